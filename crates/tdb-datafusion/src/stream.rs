//! Drives a read for DataFusion: each step waits for the store and decodes on a thread that may block, one step ahead
//! of the consumer of the batches.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

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

/// Function that returns the options of the next read when its turn comes: by then, dynamic filters have become
/// narrower.
type Ask = Box<dyn FnMut() -> Result<Option<ReadOptions>> + Send>;

/// Read in progress, passed from step to step.
struct Reading {
    source: Arc<Source>,
    schema: SchemaRef,
    ask: Ask,
    begun: Option<(Box<Reader>, Mapping)>,
}

/// Result of a step.
type Step = Result<(RecordBatch, Reading)>;

/// Record batches of a read.
pub(crate) struct Batches {
    schema: SchemaRef,
    /// Running step; `None` before the first and after the last.
    step: Option<JoinHandle<Option<Step>>>,
    first: Option<Reading>,
    metrics: BaselineMetrics,
}

impl Batches {
    pub(crate) fn new(
        source: &Arc<Source>,
        schema: &SchemaRef,
        ask: impl FnMut() -> Result<Option<ReadOptions>> + Send + 'static,
        metrics: BaselineMetrics,
    ) -> Self {
        let reading = Reading {
            source: Arc::clone(source),
            schema: Arc::clone(schema),
            ask: Box::new(ask),
            begun: None,
        };
        Self {
            schema: Arc::clone(schema),
            step: None,
            first: Some(reading),
            metrics,
        }
    }
}

impl Reading {
    /// Returns the next batch, and the read after it.
    fn step(mut self) -> Option<Step> {
        let batch = self.next().transpose()?;
        Some(batch.map(|batch| (batch, self)))
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let (reader, mapping) = match &mut self.begun {
                Some(begun) => begun,
                None => match (self.ask)()? {
                    Some(options) => self.begun.insert(begin(&self.source, &options)?),
                    None => return Ok(None),
                },
            };
            if let Some(batch) = reader.next() {
                let batch = batch.map_err(|error| self.source.failed(error))?;
                let batch = mapping
                    .record_batch(&batch)
                    .map_err(|error| self.source.failed(error))?;
                return in_order(&batch, &self.schema).map(Some);
            }
            self.begun = None;
        }
    }
}

fn begin(source: &Source, options: &ReadOptions) -> Result<(Box<Reader>, Mapping)> {
    let reader = Reader::open(&source.session, &source.array, options)
        .map_err(|error| source.failed(error))?;
    let mapping = Mapping::for_queries(reader.fields(), OutputOptions::default())
        .map_err(|error| source.failed(error))?;
    Ok((Box::new(reader), mapping))
}

/// Returns the columns in the requested order.
fn in_order(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = schema
        .fields()
        .iter()
        .map(|field| {
            let column = batch.column_by_name(field.name()).cloned();
            column.ok_or_else(|| exec_datafusion_err!("column {} was not read", field.name()))
        })
        .collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(DataFusionError::from)
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
