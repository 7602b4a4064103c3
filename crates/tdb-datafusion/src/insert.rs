//! `INSERT INTO`: rows of a query become cells, all in one commit or none.

use std::fmt;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::common::{Result, plan_err};
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use tdb_arrow::ArrowInput;
use tdb_cells::files::{Input, InputError, MadeOn, for_each_batch};
use tdb_store::LocalStore;
use tdb_write::{WriteError, WriteOptions, Writer, input_fields};

use crate::error::external;
use crate::rows::{Rows, hand_over};
use crate::source::Source;
use crate::storable::Storable;

/// Returns the plan of an insertion into a table.
pub(crate) fn insertion(
    source: &Arc<Source>,
    input: Arc<dyn ExecutionPlan>,
    op: InsertOp,
) -> Result<Arc<dyn ExecutionPlan>> {
    let allows_duplicates = source.array.newest_schema().allows_duplicates;
    match op {
        InsertOp::Append => {}
        InsertOp::Replace if !allows_duplicates => {}
        InsertOp::Replace => {
            return plan_err!(
                "{} allows several cells with the same coordinates, so that REPLACE INTO cannot tell which ones to replace: DELETE them first",
                source.uri
            );
        }
        InsertOp::Overwrite => {
            return plan_err!(
                "INSERT OVERWRITE is not supported for {}: DELETE cells, then INSERT INTO",
                source.uri
            );
        }
    }
    // The writer reports nulls in fields that cannot have them, with their names.
    let fields = source
        .schema
        .fields()
        .iter()
        .map(|field| Field::clone(field).with_nullable(true));
    let sink = ArraySink {
        source: Arc::clone(source),
        schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
    };
    Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), None)))
}

/// Sink that writes rows into an array.
#[derive(Debug)]
struct ArraySink {
    source: Arc<Source>,
    schema: SchemaRef,
}

impl DisplayAs for ArraySink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArraySink: {}", self.source.uri)
    }
}

#[async_trait]
impl DataSink for ArraySink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(
        &self,
        data: SendableRecordBatchStream,
        _context: &Arc<TaskContext>,
    ) -> Result<u64> {
        let source = Arc::clone(&self.source);
        hand_over(&self.source.session, data, move |rows| write(&source, rows)).await
    }
}

/// Reason why a write ended early.
enum WriteStop {
    Input(InputError),
    Write(WriteError),
}

fn write(source: &Source, rows: Rows) -> Result<u64> {
    let session = &source.session;
    let array = source.newest()?;
    let memory = session.limits().budget.limit();
    let rows = Storable::new(rows, source.fields.clone(), Arc::clone(&source.schema));
    let input = ArrowInput::new(Box::new(rows), "SQL").with_memory(memory);
    let names = input.names().to_vec();
    let failed = |error: WriteError| source.failed(error);
    let fields = input_fields(&array, &names, false).map_err(|error| source.failed(error))?;
    let mut cells = Box::new(input).cells(&fields).map_err(of_query)?;
    let folder = LocalStore::open(std::env::temp_dir()).map_err(external)?;
    let options = WriteOptions::default().sort_store(Some(Arc::new(folder)));
    let mut writer = Writer::open(session, &array, &options).map_err(failed)?;
    let made_on = MadeOn::of(&*cells);
    let done = for_each_batch(
        session,
        made_on,
        || cells.next().map_err(WriteStop::Input),
        |batch| writer.push(batch).map_err(WriteStop::Write),
    );
    match done {
        Ok(()) => {}
        Err(WriteStop::Input(error)) => return Err(of_query(error)),
        Err(WriteStop::Write(error)) => return Err(failed(error)),
    }
    let written = writer.rows();
    writer.finish().map_err(failed)?;
    Ok(written)
}

/// Unwraps an error of the query itself, which has passed through the reader of its rows.
pub(crate) fn of_query(error: InputError) -> datafusion::common::DataFusionError {
    match error {
        InputError::Library { source, .. } => external(source),
        error => external(error),
    }
}
