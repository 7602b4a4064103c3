//! An opened input file.

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError};
use tdb_cells::{FieldInfo, Session};

use super::format::FileFormat;
use super::source::{FileShape, ReadSoFar};

/// An opened input file, whose column names are known.
pub struct OpenInput {
    input: Box<dyn Input>,
    read: ReadSoFar,
    format: FileFormat,
    /// Shape of a `.npy` file.
    pub(super) shape: Option<FileShape>,
}

impl OpenInput {
    pub(super) fn new(
        input: Box<dyn Input>,
        read: ReadSoFar,
        format: FileFormat,
        shape: Option<FileShape>,
    ) -> Self {
        Self {
            input,
            read,
            format,
            shape,
        }
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.input.names()
    }

    /// Begins to read the cells of these fields.
    ///
    /// # Errors
    /// Fails if a column is not a field, if a field has no column, or if types do not match.
    pub fn cells(self, fields: &[FieldInfo]) -> Result<Box<dyn BatchReader>, InputError> {
        self.input.cells(fields)
    }

    /// As [`OpenInput::cells`], and also returns the counter of bytes read.
    pub(crate) fn counted_cells(
        self,
        fields: &[FieldInfo],
    ) -> Result<(Box<dyn BatchReader>, ReadSoFar), InputError> {
        Ok((self.input.cells(fields)?, self.read))
    }

    /// Returns the number of cells along each axis of a `.npy` file.
    pub(crate) fn axes(&self) -> Option<&[u64]> {
        self.shape.as_ref().map(|shape| &shape.axes[..])
    }

    /// Returns the schema of the array that was exported to this file, as JSON, if the file contains it.
    #[must_use]
    pub fn array_schema(&self) -> Option<&str> {
        self.input.array_schema()
    }

    /// Returns the columns that were the index of a pandas table.
    pub(crate) fn index(&self) -> &[String] {
        self.input.index()
    }

    /// Reads the whole file to determine fields that fit its columns. CSV, Arrow and Parquet use the threads of the
    /// session; other formats run on the calling thread, whose memory is free again afterwards.
    ///
    /// # Errors
    /// Fails if no field can hold a column, or if the file is damaged.
    pub fn guess(self, session: &Session) -> Result<Vec<ColumnGuess>, InputError> {
        self.read.look_through();
        session.counters().guess.time(|| match self.format {
            FileFormat::Csv | FileFormat::Arrow | FileFormat::Parquet => {
                session.install(|| self.input.guess())
            }
            FileFormat::Jsonl | FileFormat::Json | FileFormat::Npy => self.input.guess(),
        })
    }
}
