//! Parquet files.
//!
//! Parquet's reader asks for as much memory as lengths in the file say. So the footer and the header of each page are looked
//! at first ([`checks`]), and texts are read as views, which share the bytes of their pages: a label of a dictionary does
//! not stand once for each of its cells.

mod checks;
mod chunks;
mod groups;
mod thrift;

use std::io::{Read, Seek};
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use tdb_cells::files::{InputError, InputOptions};

use self::chunks::{Chunks, FORMAT};
use self::groups::{Groups, have_labels, without_lost_orders};
use super::arrow::{ArrowInput, guarded};
use super::columns::Chosen;
use crate::ARRAY_SCHEMA;

/// Opens a Parquet file.
///
/// # Errors
/// [`InputError::Library`] for what is none; [`InputError::Limit`] where a page, or a row, takes more than
/// [`InputOptions::memory`].
pub fn parquet_input<R: Read + Seek + Send + 'static>(
    file: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    let file = Chunks::of(file)?;
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
    let mut chosen = Chosen::of(metadata.schema(), &options.columns)?;
    chosen.fields = without_lost_orders(chosen.fields, &chosen.numbers, &metadata);
    let array_schema = metadata.schema().metadata().get(ARRAY_SCHEMA).cloned();
    let rows = options.batch_rows(size.max(least));
    let numbers = chosen.numbers.iter().copied();
    let mask = ProjectionMask::roots(metadata.parquet_schema(), numbers);
    let reader: Box<dyn RecordBatchReader + Send> = if have_labels(&chosen.fields) {
        let groups = guarded(FORMAT, || Groups::try_new(file, metadata, mask, rows))?;
        Box::new(groups.map_err(failed)?)
    } else {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
            .with_batch_size(rows)
            .with_projection(mask);
        Box::new(guarded(FORMAT, || builder.build())?.map_err(failed)?)
    };
    let input = ArrowInput::of_file(reader, FORMAT).with_memory(options.memory);
    // The reader of batches gives no metadata.
    Ok(input.with_chosen(chosen).with_array_schema(array_schema))
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
