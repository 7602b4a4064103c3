//! Arrow's own format.

use std::io::{Read, Seek};

use arrow_ipc::reader::{FileReader, StreamReader};

use super::arrow::{ArrowInput, failed};
use super::error::InputError;

const FORMAT: &str = "Arrow IPC";

/// Opens an Arrow IPC file.
///
/// # Errors
/// [`InputError::Library`] for what is none.
pub fn ipc_file_input<R: Read + Seek + Send + 'static>(file: R) -> Result<ArrowInput, InputError> {
    let reader = FileReader::try_new_buffered(file, None).map_err(|error| failed(FORMAT, error))?;
    Ok(ArrowInput::new(Box::new(reader), FORMAT))
}

/// Opens an Arrow IPC stream.
///
/// # Errors
/// [`InputError::Library`] for what is none.
pub fn ipc_stream_input<R: Read + Send + 'static>(stream: R) -> Result<ArrowInput, InputError> {
    let reader = StreamReader::try_new_buffered(stream, None);
    let reader = reader.map_err(|error| failed(FORMAT, error))?;
    Ok(ArrowInput::new(Box::new(reader), FORMAT))
}
