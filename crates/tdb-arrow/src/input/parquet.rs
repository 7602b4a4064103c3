//! Parquet files.

use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use super::arrow::{ArrowInput, guarded};
use super::error::InputError;
use super::{InputOptions, rows_of_batch};

const FORMAT: &str = "Parquet";

/// Opens a Parquet file.
///
/// # Errors
/// [`InputError::Library`] for what is none.
pub fn parquet_input<R: Read + Seek + Send + 'static>(
    mut file: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    let len = file.seek(SeekFrom::End(0))?;
    let file = Chunks {
        file: Arc::new(Mutex::new(file)),
        len,
    };
    let builder = guarded(FORMAT, || ParquetRecordBatchReaderBuilder::try_new(file))?;
    let builder = builder.map_err(failed)?;
    let groups = builder.metadata().row_groups();
    let bytes: i64 = groups
        .iter()
        .map(|group| group.total_byte_size())
        .fold(0, i64::saturating_add);
    let rows = builder.metadata().file_metadata().num_rows();
    let size = u64::try_from(bytes.checked_div(rows).unwrap_or(1)).unwrap_or(1);
    let builder = builder.with_batch_size(rows_of_batch(options, size));
    let reader = guarded(FORMAT, || builder.build())?.map_err(failed)?;
    Ok(ArrowInput::new(Box::new(reader), FORMAT).with_memory(options.memory))
}

fn failed(error: ParquetError) -> InputError {
    let error = match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => return InputError::Input(*error),
            Err(source) => ParquetError::External(source),
        },
        error => error,
    };
    InputError::Library {
        format: FORMAT,
        source: error.into(),
    }
}

/// A file that is read piece by piece, from several places in turns.
struct Chunks<R> {
    file: Arc<Mutex<R>>,
    len: u64,
}

/// What stands in a file from one place on.
pub(super) struct Chunk<R> {
    file: Arc<Mutex<R>>,
    at: u64,
}

impl<R: Read + Seek> Read for Chunk<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let mut file = self
            .file
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        file.seek(SeekFrom::Start(self.at))?;
        let read = file.read(out)?;
        self.at = self.at.saturating_add(read as u64);
        Ok(read)
    }
}

impl<R: Send> Length for Chunks<R> {
    fn len(&self) -> u64 {
        self.len
    }
}

impl<R: Read + Seek + Send> ChunkReader for Chunks<R> {
    type T = Chunk<R>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Chunk<R>> {
        Ok(Chunk {
            file: Arc::clone(&self.file),
            at: start,
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start
            .checked_add(length as u64)
            .filter(|end| *end <= self.len);
        if end.is_none() {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} of {}",
                self.len
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?
            .take(length as u64)
            .read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF("the file has become shorter".to_owned())),
        }
    }
}
