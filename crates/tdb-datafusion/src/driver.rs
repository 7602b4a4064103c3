//! Drives reads asynchronously: what a far store is asked for is waited for by a task, and only what keeps a processor
//! or a disk busy runs on a thread that may block.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use tdb_query::{Fetch, QueryError, ReadOptions, SharedPlan};
use tdb_store::{Piece, Read, Store, StoreError};
use tdb_tile::ErrorKind;

use crate::source::Source;

/// Answers of a store, one for each read.
pub(crate) type Answers = Vec<Result<Piece, StoreError>>;

/// Runs work that decodes, or reads files, on a thread that may block.
///
/// # Errors
/// The work panicked, or the runtime ends.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| exec_datafusion_err!("a read was cut off: {error}"))
}

/// Returns the answers to what a read asks of a far store.
pub(crate) async fn fetch(store: &Arc<dyn Store>, fetch: &Fetch) -> Result<Answers> {
    let joined = fetch.reads();
    let answers = read(store, joined.requests()).await?;
    let alone = joined.alone(&answers);
    let repeated = if alone.is_empty() {
        Vec::new()
    } else {
        read(store, alone).await?
    };
    Ok(joined.split(answers, repeated))
}

async fn read(store: &Arc<dyn Store>, reads: Vec<Read>) -> Result<Answers> {
    if let Some(sent) = store.send(&reads) {
        return Ok(sent.await);
    }
    // A store of a kind that answers late and can only block has to have a thread.
    let store = Arc::clone(store);
    off_the_runtime(move || store.read(&reads)).await
}

/// Makes the plan that the parts of a read share; `None` if there is no memory for it, so that each part has to be
/// planned by itself.
pub(crate) async fn shared_plan(
    source: &Arc<Source>,
    options: ReadOptions,
) -> Result<Option<SharedPlan>> {
    match plan(source, options).await {
        Ok(plan) => Ok(Some(plan)),
        Err(PlanError::Query(error)) if error.kind() == ErrorKind::Memory => Ok(None),
        Err(PlanError::Query(error)) => Err(source.failed(error)),
        Err(PlanError::Runtime(error)) => Err(error),
    }
}

/// The reasons why a plan is not made.
enum PlanError {
    Query(QueryError),
    Runtime(DataFusionError),
}

impl From<QueryError> for PlanError {
    fn from(error: QueryError) -> Self {
        Self::Query(error)
    }
}

impl From<DataFusionError> for PlanError {
    fn from(error: DataFusionError) -> Self {
        Self::Runtime(error)
    }
}

async fn plan(source: &Arc<Source>, options: ReadOptions) -> Result<SharedPlan, PlanError> {
    let of = Arc::clone(source);
    let begin = move || SharedPlan::begin(&of.session, &of.array, &options);
    let mut plan = off_the_runtime(begin).await??;
    loop {
        let advance = move || plan.advance().map(|wanted| (plan, wanted));
        let (advanced, wanted) = off_the_runtime(advance).await??;
        let Some(wanted) = wanted else {
            return Ok(advanced);
        };
        plan = advanced;
        let answers = fetch(source.array.store(), &wanted).await?;
        let accept = move || plan.accept(wanted, answers).map(|()| plan);
        plan = off_the_runtime(accept).await??;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tdb_array::{Array, Location, OpenOptions};
    use tdb_cells::{Session, SessionOptions};
    use tdb_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn without_memory_for_a_shared_plan_there_is_none() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/v22_tour/array");
        let store = Arc::new(MemoryStore::from_folder(folder).unwrap());
        let session = Session::new(SessionOptions::default().memory(Some(64 << 20)));
        let location = Location::new(store, "").with_limits(session.limits().clone());
        let array = Array::open_location(&location, OpenOptions::default()).unwrap();
        let source = Source::new(Arc::new(array), session.clone(), "tour").unwrap();
        let source = Arc::new(source);
        let plan = || shared_plan(&source, ReadOptions::default());
        let budget = &session.limits().budget;
        let all = budget.take(budget.left()).unwrap();
        assert!(plan().await.unwrap().is_none());
        drop(all);
        assert!(plan().await.unwrap().is_some());
    }
}
