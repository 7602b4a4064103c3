//! Parquet files.
//!
//! Parquet's reader asks for as much memory as lengths in the file say. So the footer and the header of each page are looked
//! at first ([`checks`]), and texts are read as views, which share the bytes of their pages: a label of a dictionary does
//! not stand once for each of its cells.

mod checks;
mod thrift;

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use tdb_cells::files::{InputError, InputOptions};

use super::arrow::{ArrowInput, guarded};
use super::columns::Chosen;

const FORMAT: &str = "Parquet";

/// Bytes that are read at a time where it is not known how many are wanted: a header takes fewer.
const READ_AHEAD: usize = 512;

/// Opens a Parquet file.
///
/// # Errors
/// [`InputError::Library`] for what is none; [`InputError::Limit`] where a page, or a row, takes more than
/// [`InputOptions::memory`].
pub fn parquet_input<R: Read + Seek + Send + 'static>(
    mut file: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    let len = file.seek(SeekFrom::End(0))?;
    let file = Chunks {
        file: Arc::new(Mutex::new(file)),
        len,
    };
    file.check_footer()?;
    let metadata = guarded(FORMAT, || open(&file))?.map_err(failed)?;
    let stored = metadata.metadata();
    guarded(FORMAT, || file.check_pages(stored, options.memory))??;
    let least = checks::row_size(stored)?;
    checks::check_row(least, options.memory)?;
    let groups = stored.row_groups().iter();
    let bytes = groups
        .map(|group| group.total_byte_size())
        .fold(0, i64::saturating_add);
    let rows = stored.file_metadata().num_rows();
    let size = u64::try_from(bytes.checked_div(rows).unwrap_or(1)).unwrap_or(1);
    let chosen = Chosen::of(metadata.schema(), &options.columns)?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let builder = builder.with_batch_size(options.batch_rows(size.max(least)));
    let numbers = chosen.numbers.iter().copied();
    let mask = ProjectionMask::roots(builder.parquet_schema(), numbers);
    let builder = builder.with_projection(mask);
    let reader = guarded(FORMAT, || builder.build())?.map_err(failed)?;
    let input = ArrowInput::new(Box::new(reader), FORMAT).with_memory(options.memory);
    Ok(input.with_chosen(chosen))
}

/// Reads the footer.
fn open<R: Read + Seek + Send>(file: &Chunks<R>) -> parquet::errors::Result<ArrowReaderMetadata> {
    let metadata = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let options = ArrowReaderOptions::new().with_schema(with_views(metadata.schema()));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
}

/// The schema, with views for texts and bytes.
fn with_views(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let view = match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
            DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
            _ => return Field::clone(field),
        };
        Field::clone(field).with_data_type(view)
    });
    let fields: Vec<Field> = fields.collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
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

impl<R> Chunks<R> {
    fn chunk(&self, at: u64) -> Chunk<R> {
        Chunk {
            file: Arc::clone(&self.file),
            at,
        }
    }
}

impl<R: Send> Length for Chunks<R> {
    fn len(&self) -> u64 {
        self.len
    }
}

impl<R: Read + Seek + Send> ChunkReader for Chunks<R> {
    type T = BufReader<Chunk<R>>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::with_capacity(READ_AHEAD, self.chunk(start)))
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
        self.chunk(start)
            .take(length as u64)
            .read_to_end(&mut bytes)?;
        if bytes.len() == length {
            Ok(bytes.into())
        } else {
            Err(ParquetError::EOF("the file has become shorter".to_owned()))
        }
    }
}
