//! Rows that a statement selects from an array, as a change of the array sees it.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Result, plan_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use futures_util::StreamExt;
use tdb_array::Array;
use tdb_cells::Session;
use tokio::runtime::Handle;

use crate::given_up::unless_cancelled;
use crate::source::Source;
use crate::table::{ArrayTable, array_of};

/// Query for the cells that a statement changes. It runs again if others changed the array meanwhile.
pub(crate) struct CellQuery {
    pub(crate) context: SessionContext,
    pub(crate) plan: LogicalPlan,
    /// Table that is changed.
    pub(crate) source: Arc<Source>,
    /// Runtime on which queries run.
    pub(crate) threads: Handle,
}

impl CellQuery {
    /// Returns the rows as of an open array. For a thread that may block.
    pub(crate) fn rows(&self, array: &Arc<Array>) -> Result<SeenRows> {
        let (session, uri) = (self.source.session.clone(), &self.source.uri);
        let table = ArrayTable::new(Arc::clone(array), session, uri)?;
        if table.source().schema != self.source.schema {
            return plan_err!(
                "the schema of {uri} is another by now\nname the array by its URI, or create the table anew"
            );
        }
        let plan = self.plan_over(&table)?;
        let context = self.context.clone();
        let rows = self.threads.block_on(async move {
            let frame = context.execute_logical_plan(plan).await?;
            frame.execute_stream().await
        })?;
        Ok(SeenRows {
            session: self.source.session.clone(),
            schema: rows.schema(),
            rows,
            threads: self.threads.clone(),
        })
    }

    /// Returns the query with this state of the array in place of the current one.
    fn plan_over(&self, table: &ArrayTable) -> Result<LogicalPlan> {
        let source = provider_as_source(Arc::new(table.clone()));
        let over = self.plan.clone().transform_down_with_subqueries(|plan| {
            let LogicalPlan::TableScan(mut scan) = plan else {
                return Ok(Transformed::no(plan));
            };
            let is_it = array_of(&scan.source)
                .is_some_and(|named| !named.is_past && named.source().uri == self.source.uri);
            if is_it {
                scan.source = Arc::clone(&source);
            }
            Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
        });
        Ok(over?.data)
    }
}

/// Rows of a query, for a thread that may block.
pub(crate) struct SeenRows {
    session: Session,
    schema: SchemaRef,
    rows: SendableRecordBatchStream,
    threads: Handle,
}

impl Iterator for SeenRows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = unless_cancelled(&self.session, self.rows.next());
        let batch = self
            .threads
            .block_on(next)
            .and_then(Option::transpose)
            .transpose()?;
        Some(batch.map_err(|error| ArrowError::ExternalError(Box::new(error))))
    }
}

impl RecordBatchReader for SeenRows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
