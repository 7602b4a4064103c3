//! Reads the row groups of a Parquet file one by one, because each has its own dictionaries.
//!
//! A batch that spans two groups would get a new dictionary, whose labels are in the order of their first occurrence.
//! So groups are read one by one if a column has labels.

use std::io::{Read, Seek};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::chunks::Chunks;

/// Prefix of the name of the writer that stores Arrow dictionaries unchanged: all labels in their order, including
/// unused ones. Other writers store labels in the order of their occurrence.
const KEEPS_ORDER: &str = "parquet-cpp-arrow";

/// Whether any of these columns has labels.
pub(super) fn have_labels(fields: &[Field]) -> bool {
    let mut fields = fields.iter();
    fields.any(|field| matches!(field.data_type(), DataType::Dictionary(..)))
}

/// Marks fields as unordered whose labels have lost their order; `numbers` are the numbers of the columns in the file.
pub(super) fn without_lost_orders(
    fields: Vec<Field>,
    numbers: &[usize],
    metadata: &ArrowReaderMetadata,
) -> Vec<Field> {
    let stored = metadata.metadata();
    // A computed column, which is not stored, has no number and comes last.
    let numbers = numbers.iter().map(Some).chain(std::iter::repeat(None));
    let fields = fields.into_iter().zip(numbers).map(|(field, number)| {
        let name = number.and_then(|number| metadata.schema().fields().get(*number));
        let is_kept = name.is_some_and(|column| keeps_order(stored, column.name()));
        if field.dict_is_ordered() == Some(true) && !is_kept {
            field.with_dict_is_ordered(false)
        } else {
            field
        }
    });
    fields.collect()
}

/// Whether all dictionaries of a column are as they were given to the writer.
fn keeps_order(stored: &ParquetMetaData, column: &str) -> bool {
    let writer = stored.file_metadata().created_by();
    let of_column = |chunk: &&ColumnChunkMetaData| {
        let path = chunk.column_path().parts();
        path.first().is_some_and(|name| name == column)
    };
    // If some pages are not dictionary-encoded, the dictionary lacks their labels.
    let is_whole = |chunk: &ColumnChunkMetaData| {
        chunk.page_encoding_stats_mask().is_some_and(|pages| {
            pages.is_only(Encoding::RLE_DICTIONARY) || pages.is_only(Encoding::PLAIN_DICTIONARY)
        })
    };
    let mut chunks = stored.row_groups().iter().flat_map(|group| group.columns());
    writer.is_some_and(|writer| writer.starts_with(KEEPS_ORDER))
        && chunks.all(|chunk| !of_column(&chunk) || is_whole(chunk))
}

/// Reads one row group after the other.
pub(super) struct Groups<R> {
    file: Chunks<R>,
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    batch_rows: usize,
    schema: SchemaRef,
    next: usize,
    reader: Option<ParquetRecordBatchReader>,
}

impl<R: Read + Seek + Send + 'static> Groups<R> {
    /// # Errors
    /// Errors of the first reader.
    pub(super) fn try_new(
        file: Chunks<R>,
        metadata: ArrowReaderMetadata,
        mask: ProjectionMask,
        batch_rows: usize,
    ) -> Result<Self, ParquetError> {
        let mut groups = Self {
            schema: metadata.schema().clone(),
            file,
            metadata,
            mask,
            batch_rows,
            next: 0,
            reader: None,
        };
        let first = groups.open(Vec::new())?;
        groups.schema = first.schema();
        Ok(groups)
    }

    fn open(&self, groups: Vec<usize>) -> Result<ParquetRecordBatchReader, ParquetError> {
        let (file, metadata) = (self.file.share(), self.metadata.clone());
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
            .with_batch_size(self.batch_rows)
            .with_projection(self.mask.clone())
            .with_row_groups(groups)
            .build()
    }
}

impl<R: Read + Seek + Send + 'static> Iterator for Groups<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                return Some(batch);
            }
            if self.next >= self.metadata.metadata().num_row_groups() {
                return None;
            }
            match self.open(vec![self.next]) {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => return Some(Err(error.into())),
            }
            self.next += 1;
        }
    }
}

impl<R: Read + Seek + Send + 'static> RecordBatchReader for Groups<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
