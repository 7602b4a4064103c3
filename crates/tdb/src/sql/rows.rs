//! Rows that a statement returns.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Field, SchemaRef};
use arrow_select::concat::concat_batches;
use futures_util::StreamExt;
use tdb_arrow::{ArrowInput, field_of_column};
use tdb_cells::files::{BatchReader, BatchWriter, Input, InputError};
use tdb_cells::{Batch, FieldInfo};
use tdb_datafusion::{RowStream, StorableRows};
use tdb_files::{CellSink, ExportedCells, OutputFile, write_all};
use tdb_open::{Error, Result};
use tdb_tile::Datatype;

use super::errors::of_sql;
use super::threads::Threads;
use crate::Context;
use crate::arrow::of_arrow;

/// Rows that a statement returns, as Arrow record batches. They are computed as they are taken.
pub struct Rows {
    /// `None` once the stream has ended or was cancelled.
    stream: Option<RowStream>,
    schema: SchemaRef,
    threads: Threads,
    // Boxed, so that `Answer` is not large for answers without rows.
    context: Box<Context>,
}

impl Rows {
    pub(super) fn new(stream: RowStream, threads: Threads, context: Context) -> Self {
        Self {
            schema: stream.schema(),
            stream: Some(stream),
            threads,
            context: Box::new(context),
        }
    }

    /// Returns all rows in one batch.
    ///
    /// # Errors
    /// Fails if reading fails, or if the rows do not fit into memory.
    pub fn to_arrow(self) -> Result<RecordBatch> {
        let schema = self.schema();
        let batches = self.collect::<std::result::Result<Vec<_>, ArrowError>>();
        concat_batches(&schema, &batches.map_err(of_arrow)?).map_err(of_arrow)
    }

    /// True if the rows are the plans of an `EXPLAIN`.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        let schema = self.schema();
        let names = schema.fields().iter().map(|field| field.name().as_str());
        names.eq(["plan_type", "plan"])
    }

    /// Returns the plans of an `EXPLAIN`, as pairs of the kind and the text.
    ///
    /// # Errors
    /// Fails if planning fails, or if the rows are not plans.
    pub fn plans(self) -> Result<Vec<(String, String)>> {
        let batch = self.to_arrow()?;
        let texts = |column: usize| -> Option<Vec<String>> {
            let column = batch.columns().get(column)?.as_any();
            let texts = column.downcast_ref::<arrow_array::StringArray>()?;
            Some(texts.iter().flatten().map(str::to_owned).collect())
        };
        let plans = texts(0).zip(texts(1));
        let (kinds, plans) = plans.ok_or_else(|| Error::invalid("the rows are no plans"))?;
        Ok(kinds.into_iter().zip(plans).collect())
    }

    /// Writes all rows to a file whose extension names the format: CSV, JSON lines, Arrow IPC or Parquet. The file
    /// appears complete or not at all.
    ///
    /// # Errors
    /// Fails if no such format has the extension, if reading fails, or if the file system fails.
    pub fn export(self, file: impl Into<OutputFile>) -> Result<ExportedCells> {
        let file = file.into();
        let layout = file.layout_of_rows()?;
        let (fields, cells, context) = self.cells()?;
        let sink = file.begin(layout, &fields, context.shared_session())?;
        write_all(context.shared_session(), cells, sink, None)
    }

    /// Writes all rows to a writer, in the format of `like`.
    ///
    /// # Errors
    /// As for [`Rows::export`].
    pub fn write_to<W: Write + Send + 'static>(
        self,
        to: W,
        like: &OutputFile,
    ) -> Result<ExportedCells> {
        let layout = like.layout_of_rows()?;
        let (fields, cells, context) = self.cells()?;
        let writer = layout.writer(&fields, to)?;
        write_all(
            context.shared_session(),
            cells,
            CellSink::to_writer(writer),
            None,
        )
    }

    /// Writes all rows to a batch writer, which `make` creates for the fields of the result.
    ///
    /// # Errors
    /// Fails if reading, creating the writer, or writing fails.
    pub fn write_with(
        self,
        make: impl FnOnce(&[FieldInfo]) -> Result<Box<dyn BatchWriter>>,
    ) -> Result<ExportedCells> {
        let (fields, cells, context) = self.cells()?;
        let writer = make(&fields)?;
        write_all(
            context.shared_session(),
            cells,
            CellSink::to_writer(writer),
            None,
        )
    }

    /// Converts the rows to cells; columns of types that fields do not have become text.
    fn cells(self) -> Result<(Vec<FieldInfo>, Cells, Context)> {
        let context = Context::clone(&self.context);
        let memory = context.shared_session().limits().budget.limit();
        let held = StorableRows::new(self);
        let schema = held.schema();
        let columns = schema.fields().iter().enumerate();
        let fields = columns
            .map(|(place, column)| Some(shown(field_of_column(column, place)?, column)))
            .collect::<Option<Vec<FieldInfo>>>()
            .ok_or_else(|| tdb_tile::Bug::new("a column that no field holds"))?;
        let input = ArrowInput::new(Box::new(held), "SQL").with_memory(memory);
        let mut rest = Box::new(input).cells(&fields)?;
        // Reading the first batch early ensures that a query that fails at once writes no header line.
        let first = rest.next().map_err(of_query)?;
        Ok((fields, Cells { first, rest }, context))
    }
}

/// Returns the field as which a column is shown. Bytes that SQL computed are shown as text if they are text.
fn shown(field: FieldInfo, column: &Field) -> FieldInfo {
    let is_computed = !column.metadata().contains_key(tdb_arrow::DATATYPE);
    let datatype = match field.datatype {
        Datatype::Blob if is_computed => Datatype::Char,
        datatype => datatype,
    };
    FieldInfo { datatype, ..field }
}

impl Iterator for Rows {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // Reading from memory never asks a store, so cancellation is checked here.
        if let Err(cancelled) = self.context.shared_session().check_cancelled() {
            return Some(Err(ArrowError::from(std::io::Error::from(cancelled))));
        }
        let mut stream = self.stream.take()?;
        // Runs on another thread, so that cancelling does not wait for a slow batch.
        let next = async move { (stream.next().await, stream) };
        let session = self.context.shared_session();
        let batch = match self.threads.unless_cancelled(session, next) {
            Ok((batch, rest)) => {
                self.stream = Some(rest);
                batch?.map_err(|error| of_sql(error.into()))
            }
            Err(error) => Err(error),
        };
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Cells batch by batch, with the query's errors restored.
struct Cells {
    first: Option<Batch>,
    rest: Box<dyn BatchReader>,
}

impl Iterator for Cells {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        self.rest.next().map_err(of_query).transpose()
    }
}

/// Restores an error of the query from the error of the reader around it.
fn of_query(error: InputError) -> Error {
    let InputError::Library { source, .. } = error else {
        return error.into();
    };
    match source.downcast::<Error>() {
        Ok(error) => *error,
        Err(source) => Error::invalid(source.to_string()),
    }
}
