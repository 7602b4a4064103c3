//! A file of cells that has been opened.

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError};
use tdb_cells::{FieldInfo, Session};

use super::format::FileFormat;
use super::source::{FileShape, ReadSoFar};

/// A file whose columns are known by name.
pub struct OpenInput {
    input: Box<dyn Input>,
    read: ReadSoFar,
    format: FileFormat,
    /// The shape that the file has, if it has one.
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

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> &[String] {
        self.input.names()
    }

    /// Goes on to read cells of these fields.
    ///
    /// # Errors
    /// A column that is no field, a field that has no column, and types that do not fit.
    pub fn cells(self, fields: &[FieldInfo]) -> Result<Box<dyn BatchReader>, InputError> {
        self.input.cells(fields)
    }

    /// As [`OpenInput::cells`], with what counts the bytes that are read.
    pub(crate) fn counted_cells(
        self,
        fields: &[FieldInfo],
    ) -> Result<(Box<dyn BatchReader>, ReadSoFar), InputError> {
        Ok((self.input.cells(fields)?, self.read))
    }

    /// Cells along each axis of a `.npy` file.
    pub(crate) fn axes(&self) -> Option<&[u64]> {
        self.shape.as_ref().map(|shape| &shape.axes[..])
    }

    /// The schema of the array that the file was written from, as JSON, if the file tells it.
    #[must_use]
    pub fn array_schema(&self) -> Option<&str> {
        self.input.array_schema()
    }

    /// The columns that pandas had as the index of the table.
    pub(crate) fn index(&self) -> &[String] {
        self.input.index()
    }

    /// Reads all of the file to tell what fields would take its columns: CSV, Arrow and Parquet on the threads of the session,
    /// which share it; other formats on this one, whose memory is free again for the cells.
    ///
    /// # Errors
    /// What no field would take, and a file that does not hold together.
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
