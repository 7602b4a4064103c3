//! Arrow's own format.

use std::io::{Read, Seek, SeekFrom};

use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{Block, root_as_footer};

use super::arrow::{ArrowInput, failed, guarded};
use super::error::InputError;

const FORMAT: &str = "Arrow IPC";

/// Opens an Arrow IPC file.
///
/// # Errors
/// [`InputError::Library`] for what is none.
pub fn ipc_file_input<R: Read + Seek + Send + 'static>(
    mut file: R,
) -> Result<ArrowInput, InputError> {
    check_blocks(&mut file)?;
    let reader = guarded(FORMAT, || FileReader::try_new_buffered(file, None))?;
    let reader = reader.map_err(|error| failed(FORMAT, error))?;
    Ok(ArrowInput::new(Box::new(reader), FORMAT))
}

/// Bytes of the length of the footer and the mark behind it.
const TRAILER: u64 = 10;

/// Fails where the footer names blocks that are not in the file: the reader asks for as much memory as it says.
fn check_blocks<R: Read + Seek>(file: &mut R) -> Result<(), InputError> {
    let damaged = |what: &'static str| InputError::Library {
        format: FORMAT,
        source: what.into(),
    };
    let len = file.seek(SeekFrom::End(0))?;
    let end = len
        .checked_sub(TRAILER)
        .ok_or_else(|| damaged("the file is too short"))?;
    file.seek(SeekFrom::Start(end))?;
    let mut size = [0; 4];
    file.read_exact(&mut size)?;
    let start = end.checked_sub(u64::from(u32::from_le_bytes(size)));
    let start = start.ok_or_else(|| damaged("the footer is longer than the file"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut footer = Vec::new();
    file.by_ref().take(end - start).read_to_end(&mut footer)?;
    file.rewind()?;
    let footer = root_as_footer(&footer).map_err(|_| damaged("the footer does not decode"))?;
    let blocks = [footer.recordBatches(), footer.dictionaries()];
    let is_inside = |block: &Block| {
        let parts = [
            block.offset(),
            block.metaDataLength().into(),
            block.bodyLength(),
        ];
        let parts = parts.map(|part| u64::try_from(part).unwrap_or(u64::MAX));
        parts.into_iter().try_fold(0, u64::checked_add) <= Some(start) && !parts.contains(&u64::MAX)
    };
    match blocks.into_iter().flatten().flatten().all(is_inside) {
        true => Ok(()),
        false => Err(damaged("a block of the footer lies outside of the file")),
    }
}

/// Opens an Arrow IPC stream.
///
/// # Errors
/// [`InputError::Library`] for what is none.
pub fn ipc_stream_input<R: Read + Send + 'static>(stream: R) -> Result<ArrowInput, InputError> {
    let reader = guarded(FORMAT, || StreamReader::try_new_buffered(stream, None))?;
    let reader = reader.map_err(|error| failed(FORMAT, error))?;
    Ok(ArrowInput::new(Box::new(reader), FORMAT))
}
