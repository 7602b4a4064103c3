//! Slices of batches that a join without equality conditions can process quickly.
//!
//! For each batch of its second input, `NestedLoopJoinExec` of DataFusion 55.2 visits every row of its first input,
//! and does not yield while no pair matches: with 10^7 rows there, one batch takes minutes. The right number of rows
//! is only known from the time that the last slices took.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures_util::{Stream, StreamExt};

/// Desired time between two slices.
const AIM: Duration = Duration::from_millis(100);

/// Rows of the first slice.
const FIRST: usize = 1;

/// Plan node that returns the batches of its input in slices, and yields to other tasks between them.
#[derive(Debug)]
pub struct ShortBatches {
    input: Arc<dyn ExecutionPlan>,
}

impl ShortBatches {
    /// Wraps `input`; partitions and order stay the same.
    #[must_use]
    pub fn new(input: Arc<dyn ExecutionPlan>) -> Self {
        Self { input }
    }
}

impl DisplayAs for ShortBatches {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ShortBatches")
    }
}

impl ExecutionPlan for ShortBatches {
    fn name(&self) -> &'static str {
        "ShortBatches"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match &children[..] {
            [input] => Ok(Arc::new(Self::new(Arc::clone(input)))),
            _ => internal_err!("ShortBatches has one input, not {}", children.len()),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        Ok(Box::pin(Slices {
            input: self.input.execute(partition, context)?,
            rest: None,
            rows: FIRST,
            given: None,
        }))
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        match inputs {
            [input] => Ok(Arc::clone(input)),
            _ => internal_err!("statistics of {} inputs, not of one", inputs.len()),
        }
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }
}

/// Batches of one partition, in slices.
struct Slices {
    input: SendableRecordBatchStream,
    /// Rest of a batch that was not returned yet; never empty.
    rest: Option<RecordBatch>,
    /// Maximum number of rows of the next slice.
    rows: usize,
    /// Time at which the last slice was returned, until the next poll.
    given: Option<Instant>,
}

impl Stream for Slices {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(given) = self.given.take() {
            let took = given.elapsed();
            self.rows = rows_after(self.rows, took);
            if took >= AIM / 2 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        let batch = match self.rest.take() {
            Some(batch) => batch,
            None => match ready!(self.input.poll_next_unpin(context)) {
                Some(Ok(batch)) => batch,
                end => return Poll::Ready(end),
            },
        };
        let (all, rows) = (batch.num_rows(), self.rows.min(batch.num_rows()));
        if rows < all {
            self.rest = Some(batch.slice(rows, all - rows));
        }
        self.given = Some(Instant::now());
        Poll::Ready(Some(Ok(batch.slice(0, rows))))
    }
}

impl RecordBatchStream for Slices {
    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }
}

/// Most times as many rows as the last slice had that the next one has.
const GROWTH: u128 = 8;

/// Returns the number of rows of the next slice after one of `rows` rows, which took some time: as many as take [`AIM`],
/// at most [`GROWTH`] times as many, and at least one.
///
/// The join takes longer for each row of a small slice than of a large one, so few slices lead to the right size.
fn rows_after(rows: usize, took: Duration) -> usize {
    let aim = AIM.as_nanos();
    let took = took.as_nanos().max(aim / GROWTH);
    let next = rows as u128 * aim / took;
    usize::try_from(next).map_or(rows, |next| next.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_while_they_are_quick_and_shrink_to_one_row() {
        let ms = Duration::from_millis;
        assert_eq!(rows_after(1, ms(1)), 8);
        assert_eq!(rows_after(64, ms(50)), 128);
        assert_eq!(rows_after(64, ms(100)), 64);
        assert_eq!(rows_after(64, ms(400)), 16);
        assert_eq!(rows_after(64, ms(60_000)), 1);
        assert_eq!(rows_after(usize::MAX, ms(1)), usize::MAX);
    }
}
