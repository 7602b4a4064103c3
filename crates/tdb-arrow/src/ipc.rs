//! Writes Arrow's own format, IPC, as a file with an index of its batches or as a stream.

use std::io::Write;

use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::ArrowError;
use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

#[cfg(doc)]
use crate::ARRAY_SCHEMA;
use crate::Mapping;

/// Writes an Arrow IPC file, for programs that open files by name.
pub struct IpcFileWriter<W: Write> {
    mapping: Mapping,
    file: FileWriter<W>,
}

/// Writes an Arrow IPC stream, for programs that read from a pipe.
pub struct IpcStreamWriter<W: Write> {
    mapping: Mapping,
    stream: StreamWriter<W>,
}

impl<W: Write> IpcFileWriter<W> {
    /// Starts a file of these fields. The schema of the array, as JSON, is stored in the metadata if it is given:
    /// [`ARRAY_SCHEMA`].
    ///
    /// # Errors
    /// Errors of [`Mapping::new`], and of the output.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
        array_schema: Option<&str>,
    ) -> Result<Self, ConversionError> {
        let mapping = Mapping::new(fields, options)?.remembering(array_schema);
        let file = FileWriter::try_new(out, mapping.schema()).map_err(failed)?;
        Ok(Self { mapping, file })
    }
}

impl<W: Write> IpcStreamWriter<W> {
    /// Starts a stream of these fields. The schema of the array, as JSON, is stored in the metadata if it is given:
    /// [`ARRAY_SCHEMA`].
    ///
    /// # Errors
    /// Errors of [`Mapping::new`], and of the output.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
        array_schema: Option<&str>,
    ) -> Result<Self, ConversionError> {
        let mapping = Mapping::new(fields, options)?.remembering(array_schema);
        let stream = StreamWriter::try_new(out, mapping.schema()).map_err(failed)?;
        Ok(Self { mapping, stream })
    }
}

impl<W: Write> BatchWriter for IpcFileWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let batch = self.mapping.record_batch(batch)?;
        self.file.write(&batch).map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.file.finish().map_err(failed)?;
        Ok(self.file.get_mut().flush()?)
    }
}

impl<W: Write> BatchWriter for IpcStreamWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let batch = self.mapping.record_batch(batch)?;
        self.stream.write(&batch).map_err(failed)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.stream.finish().map_err(failed)?;
        Ok(self.stream.get_mut().flush()?)
    }
}

fn failed(error: ArrowError) -> ConversionError {
    match error {
        ArrowError::IoError(_, error) => ConversionError::Output(error),
        error => ConversionError::library("Arrow IPC", error),
    }
}
