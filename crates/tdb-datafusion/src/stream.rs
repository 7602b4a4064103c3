//! Drives the reads of a partition for DataFusion, one batch ahead of the consumer: decoding runs on threads that may
//! block, and what a far store is asked for is waited for without a thread.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use datafusion::execution::RecordBatchStream;
use datafusion::physical_plan::metrics::BaselineMetrics;
use futures_util::{FutureExt, Stream};
use tdb_arrow::Mapping;
use tdb_cells::Batch;
use tdb_cells::files::OutputOptions;
use tdb_query::{Advance, Fetch, Reader};

use crate::driver::{fetch, off_the_runtime};
use crate::source::Source;

/// Reads whose cells a partition returns, one after the other.
#[async_trait]
pub(crate) trait Reads: Send {
    /// Begins the next read when its turn comes: by then, dynamic filters have become narrower.
    async fn next(&mut self) -> Result<Option<Reader>>;
}

/// Reads in progress, passed from batch to batch.
struct Reading {
    source: Arc<Source>,
    schema: SchemaRef,
    reads: Box<dyn Reads>,
    begun: Option<BegunRead>,
}

/// Read that has begun, with the mapping of its columns once these are known.
struct BegunRead {
    reader: Reader,
    mapping: Option<Mapping>,
}

/// Result of [`BegunRead::advance`].
enum ReadOutcome {
    Wait(Fetch),
    Batch(RecordBatch),
    Done,
}

/// Batch, and the reads after it.
type Step = Result<Option<(RecordBatch, Reading)>>;

/// Record batches of a partition.
pub(crate) struct Batches {
    schema: SchemaRef,
    /// Running step, which ends with the stream; `None` before the first and after the last.
    step: Option<SpawnedTask<Step>>,
    first: Option<Reading>,
    metrics: BaselineMetrics,
}

impl Batches {
    pub(crate) fn new(
        source: &Arc<Source>,
        schema: &SchemaRef,
        reads: impl Reads + 'static,
        metrics: BaselineMetrics,
    ) -> Self {
        let reading = Reading {
            source: Arc::clone(source),
            schema: Arc::clone(schema),
            reads: Box::new(reads),
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
    /// Returns the next batch, and the reads after it.
    async fn step(mut self) -> Step {
        loop {
            let begun = match self.begun.take() {
                Some(begun) => begun,
                None => match self.reads.next().await? {
                    Some(reader) => BegunRead {
                        reader,
                        mapping: None,
                    },
                    None => return Ok(None),
                },
            };
            let (source, schema) = (Arc::clone(&self.source), Arc::clone(&self.schema));
            let advance = off_the_runtime(move || begun.advance(&source, &schema));
            let (mut begun, advanced) = advance.await??;
            match advanced {
                ReadOutcome::Batch(batch) => {
                    self.begun = Some(begun);
                    return Ok(Some((batch, self)));
                }
                ReadOutcome::Wait(wanted) => {
                    // The array may have been opened again since it was planned.
                    let store = Arc::clone(begun.reader.array().store());
                    let answers = fetch(&store, &wanted).await?;
                    let source = Arc::clone(&self.source);
                    let accept = move || match begun.reader.accept(wanted, answers) {
                        Ok(()) => Ok(begun),
                        Err(error) => Err(source.failed(error)),
                    };
                    self.begun = Some(off_the_runtime(accept).await??);
                }
                ReadOutcome::Done => {}
            }
        }
    }
}

impl BegunRead {
    fn advance(mut self, source: &Source, schema: &SchemaRef) -> Result<(Self, ReadOutcome)> {
        let advanced = match self.reader.advance() {
            Ok(Advance::Wait(fetch)) => ReadOutcome::Wait(fetch),
            Ok(Advance::Batch(batch)) => {
                ReadOutcome::Batch(self.record_batch(source, schema, &batch)?)
            }
            Ok(Advance::Done) => ReadOutcome::Done,
            Err(error) => return Err(source.failed(error)),
        };
        Ok((self, advanced))
    }

    fn record_batch(
        &mut self,
        source: &Source,
        schema: &SchemaRef,
        batch: &Batch,
    ) -> Result<RecordBatch> {
        let mapping = match &mut self.mapping {
            Some(mapping) => mapping,
            place @ None => {
                let mapping = Mapping::for_queries(self.reader.fields(), OutputOptions::default());
                place.insert(mapping.map_err(|error| source.failed(error))?)
            }
        };
        let converted = mapping
            .record_batch(batch)
            .map_err(|error| source.failed(error))?;
        in_order(&converted, schema)
    }
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
            self.step = Some(SpawnedTask::spawn(reading.step()));
        }
        let Some(step) = &mut self.step else {
            return self.metrics.record_poll(Poll::Ready(None));
        };
        let Poll::Ready(done) = step.poll_unpin(context) else {
            return Poll::Pending;
        };
        self.step = None;
        let given = match done {
            Ok(Ok(None)) => None,
            Ok(Ok(Some((batch, reading)))) => {
                self.step = Some(SpawnedTask::spawn(reading.step()));
                Some(Ok(batch))
            }
            Ok(Err(error)) => Some(Err(error)),
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
