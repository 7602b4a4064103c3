//! Drives a read for DataFusion: each step waits for the store and decodes on a thread that may wait, one step ahead of whoever takes
//! the batches.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::{collections::VecDeque, pin::Pin};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::RecordBatchStream;
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures_util::{FutureExt, Stream};
use tdb_arrow::Mapping;
use tdb_cells::files::OutputOptions;
use tdb_query::{ReadOptions, Reader};
use tokio::task::JoinHandle;

use crate::source::Source;

/// What is read of one part, once it is its turn: by then, dynamic filters have become narrower.
pub(crate) type Asks = dyn Fn(usize) -> Result<Option<ReadOptions>> + Send + Sync;

/// A read in progress; moves from step to step.
struct Reading {
    source: Arc<Source>,
    schema: SchemaRef,
    asks: Arc<Asks>,
    /// Parts that are still to be read.
    parts: VecDeque<usize>,
    current: Option<(Reader, Mapping)>,
    /// Rows that are still wanted.
    left: Option<usize>,
}

/// What a step came to.
type Step = Result<(RecordBatch, Box<Reading>)>;

/// The record batches of some parts, one part after the other.
pub(crate) struct Batches {
    schema: SchemaRef,
    /// The step that is under way; none before the first and after the last.
    step: Option<JoinHandle<Option<Step>>>,
    first: Option<Box<Reading>>,
    metrics: BaselineMetrics,
}

impl Batches {
    pub(crate) fn new(
        source: &Arc<Source>,
        schema: &SchemaRef,
        (asks, parts): (Arc<Asks>, Vec<usize>),
        limit: Option<usize>,
        metrics: BaselineMetrics,
    ) -> Self {
        let reading = Reading {
            source: Arc::clone(source),
            schema: Arc::clone(schema),
            asks,
            parts: parts.into(),
            current: None,
            left: limit,
        };
        Self {
            schema: Arc::clone(schema),
            step: None,
            first: Some(Box::new(reading)),
            metrics,
        }
    }
}

impl Reading {
    /// The next batch, and what is left.
    fn step(mut self: Box<Self>) -> Option<Step> {
        match self.next() {
            Ok(batch) => batch.map(|batch| Ok((batch, self))),
            Err(error) => Some(Err(error)),
        }
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if self.left == Some(0) {
                return Ok(None);
            }
            if let Some((reader, mapping)) = &mut self.current {
                if let Some(batch) = reader.next() {
                    let source = &self.source;
                    let batch = batch.map_err(|error| source.failed(error))?;
                    let batch = mapping.record_batch(&batch);
                    let batch = batch.map_err(|error| source.failed(error))?;
                    return self.given(&batch).map(Some);
                }
                self.current = None;
            }
            let Some(part) = self.parts.pop_front() else {
                return Ok(None);
            };
            let Some(mut options) = (self.asks)(part)? else {
                continue;
            };
            options.limit = self.left.map(|left| left as u64);
            let source = &self.source;
            let reader = Reader::open(&source.session, &source.array, &options);
            let reader = reader.map_err(|error| source.failed(error))?;
            let mapping = Mapping::new(reader.fields(), OutputOptions::default());
            let mapping = mapping.map_err(|error| source.failed(error))?;
            self.current = Some((reader, mapping));
        }
    }

    /// The columns in the order in which they were asked for.
    fn given(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = batch.num_rows();
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(rows);
        }
        let columns = self.schema.fields().iter().map(|field| {
            let column = batch.column_by_name(field.name()).cloned();
            column.ok_or_else(|| exec_datafusion_err!("column {} was not read", field.name()))
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(DataFusionError::from)
    }
}

impl Stream for Batches {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(reading) = self.first.take() {
            self.step = Some(tokio::task::spawn_blocking(move || reading.step()));
        }
        let Some(step) = &mut self.step else {
            return self.metrics.record_poll(Poll::Ready(None));
        };
        let Poll::Ready(done) = step.poll_unpin(context) else {
            return Poll::Pending;
        };
        self.step = None;
        let given = match done {
            Ok(None) => None,
            Ok(Some(Ok((batch, reading)))) => {
                self.step = Some(tokio::task::spawn_blocking(move || reading.step()));
                Some(Ok(batch))
            }
            Ok(Some(Err(error))) => Some(Err(error)),
            Err(error) => Some(Err(exec_datafusion_err!("a read was cut off: {error}"))),
        };
        self.metrics.record_poll(Poll::Ready(given))
    }
}

impl RecordBatchStream for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
