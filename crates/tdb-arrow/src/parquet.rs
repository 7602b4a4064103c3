//! Writes Parquet files, compressed with zstd.

use std::io::Write;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

#[cfg(doc)]
use crate::ARRAY_SCHEMA;
use crate::Mapping;
use crate::element::ArrowTarget;

/// Maximum number of cells per row group.
const ROW_GROUP: usize = 1 << 20;
/// Maximum size of a row group in bytes, which a writer holds in memory.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// Writes a Parquet file.
pub struct ParquetWriter<W: Write + Send> {
    mapping: Mapping,
    file: ArrowWriter<W>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Starts a file of these fields. The schema of the array, as JSON, is stored in the metadata if it is given:
    /// [`ARRAY_SCHEMA`].
    ///
    /// # Errors
    /// Errors of [`Mapping::new`] and of the output; a type that Parquet lacks.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
        array_schema: Option<&str>,
    ) -> Result<Self, ConversionError> {
        Self::within(out, fields, options, array_schema, u64::MAX)
    }

    /// Like [`ParquetWriter::try_new`], with about `most` bytes of buffered data at most, which limits the size of row
    /// groups.
    ///
    /// # Errors
    /// Errors of [`ParquetWriter::try_new`].
    pub fn within(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
        array_schema: Option<&str>,
        most: u64,
    ) -> Result<Self, ConversionError> {
        let most = usize::try_from(most).unwrap_or(ROW_GROUP_BYTES);
        // Parquet has no unit of seconds: most readers would take timestamps in seconds for plain numbers. Labels of
        // fixed size are written in a form that cannot be read back.
        let target = ArrowTarget {
            options,
            has_seconds: false,
            // A Parquet dictionary has labels in the order of their first occurrence.
            keeps_labels: false,
            has_fixed_labels: false,
            is_for_queries: false,
        };
        let mapping = Mapping::for_target(fields, target)?.remembering(array_schema);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_max_row_group_bytes(Some(most.clamp(1, ROW_GROUP_BYTES)))
            .build();
        let schema = mapping.schema().clone();
        let file = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
        Ok(Self { mapping, file })
    }
}

impl<W: Write + Send> BatchWriter for ParquetWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let batch = self.mapping.record_batch(batch)?;
        self.file.write(&batch).map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.file.finish().map_err(failed)?;
        Ok(self.file.inner_mut().flush()?)
    }
}

fn failed(error: ParquetError) -> ConversionError {
    let error = match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(error) => return ConversionError::Output(*error),
            Err(source) => ParquetError::External(source),
        },
        error => error,
    };
    ConversionError::library("Parquet", error)
}
