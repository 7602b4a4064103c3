//! Reads Parquet files.
//!
//! Parquet's reader allocates as much memory as lengths in the file say. So the footer and the header of each page are
//! checked first ([`checks`]). Texts are read as views, which share the bytes of their pages, so that a dictionary
//! label is not copied for each of its cells.

mod checks;
mod chunks;
mod groups;
mod thrift;

use std::io::{Read, Seek};
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use tdb_cells::files::{InputError, InputOptions};

use self::chunks::{Chunks, FORMAT};
use self::groups::{Groups, have_labels, without_lost_orders};
use super::arrow::{ArrowInput, guarded};
use super::columns::ColumnSelection;
use super::flattened::FlatReader;
use crate::ARRAY_SCHEMA;

/// Opens a Parquet file.
///
/// # Errors
/// [`InputError::Library`] if the file is not valid; [`InputError::Limit`] if a page or a row takes more than
/// [`InputOptions::memory`].
pub fn parquet_input<R: Read + Seek + Send + 'static>(
    file: R,
    options: InputOptions,
) -> Result<ArrowInput, InputError> {
    let file = Chunks::of(file)?;
    file.check_footer()?;
    let (metadata, schema) = guarded(FORMAT, || open(&file))?.map_err(failed)?;
    let stored = metadata.metadata();
    guarded(FORMAT, || file.check_pages(stored, options.memory))??;
    let least = checks::row_size(stored)?;
    checks::check_row(least, options.memory)?;
    let groups = stored.row_groups().iter();
    let bytes = groups
        .map(|group| group.total_byte_size())
        .fold(0, i64::saturating_add);
    let rows = stored.file_metadata().num_rows();
    let size = bytes
        .checked_div(rows)
        .and_then(|size| u64::try_from(size).ok())
        .unwrap_or(1);
    let array_schema = metadata.schema().metadata().get(ARRAY_SCHEMA).cloned();
    let rows = options.batch_rows(size.max(least));
    if options.flatten && FlatReader::changes(&schema) {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
            .with_batch_size(rows);
        let reader = guarded(FORMAT, || builder.build())?.map_err(failed)?;
        let reader = FlatReader::new(Box::new(reader));
        let input = ArrowInput::of_file(Box::new(reader), FORMAT).with_memory(options.memory);
        return input.with_columns(&options.columns);
    }
    let mut chosen = ColumnSelection::of(&schema, &options.columns)?;
    chosen.fields = without_lost_orders(chosen.fields, &chosen.numbers, &metadata);
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
    // `RecordBatchReader` returns a schema without the file's metadata.
    Ok(input.with_chosen(chosen).with_array_schema(array_schema))
}

/// Reads the footer; also returns the schema in which columns are still dictionaries, even if they are read as plain
/// values.
fn open<R: Read + Seek + Send>(
    file: &Chunks<R>,
) -> parquet::errors::Result<(ArrowReaderMetadata, Schema)> {
    let metadata = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let stored = metadata.schema();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(with_types(stored, read_as)));
    let told = with_types(stored, |data_type| match data_type {
        DataType::Dictionary(..) => None,
        data_type => read_as(data_type),
    });
    let metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?;
    Ok((metadata, told))
}

fn with_types(schema: &Schema, other: impl Fn(&DataType) -> Option<DataType>) -> Schema {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            let field = Field::clone(field);
            match other(field.data_type()) {
                Some(data_type) => field.with_data_type(data_type),
                None => field,
            }
        })
        .collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// Returns the type to read a column as, if it differs from the stored one. Texts and bytes are read as views. Only
/// dictionaries of texts or bytes are read as dictionaries; narrow keys are widened, because all row groups together
/// may have more labels than such keys can count.
fn read_as(data_type: &DataType) -> Option<DataType> {
    Some(match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(keys, values) => match &**values {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                let is_narrow = keys.primitive_width().is_some_and(|bytes| bytes < 4);
                is_narrow
                    .then(|| DataType::Dictionary(Box::new(DataType::Int32), values.clone()))?
            }
            values => read_as(values).unwrap_or_else(|| values.clone()),
        },
        _ => return None,
    })
}

fn failed(error: ParquetError) -> InputError {
    let error = match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => return InputError::Input(*error),
            Err(source) => ParquetError::External(source),
        },
        ParquetError::NYI(what) => return unsupported(what),
        ParquetError::ArrowError(what) if what.starts_with("Not yet implemented") => {
            return unsupported(what);
        }
        error => error,
    };
    InputError::Library {
        format: FORMAT,
        source: error.into(),
    }
}

fn unsupported(what: String) -> InputError {
    InputError::Unsupported {
        format: FORMAT,
        what,
    }
}
