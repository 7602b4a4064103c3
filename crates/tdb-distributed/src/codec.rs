//! Encoding of array scans and of [`ShortBatches`] for workers, and decoding on the worker.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{DataFusionError, Result, exec_err, internal_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde_json::Value as Json;
use tdb_datafusion::{ArrayScan, ArrayTable, Arrays, BoxedError, ErrorForm, ShortBatches};

use crate::Allowed;
use crate::state::state_of;
use crate::wire::{Named, task_from_json, task_to_json};
use crate::worker_error;

/// The encoded form of [`ShortBatches`]; scans are JSON.
pub(crate) const SHORT_BATCHES: &[u8] = b"short batches";

/// Number of arrays that a worker keeps open. The parts of a query name the same array again and again.
const KEPT: usize = 32;

/// An open array; `None` until the first caller has opened it under the lock.
type Slot = Arc<Mutex<Option<ArrayTable>>>;

/// Encodes scans on the client; on a worker, decodes them and opens their arrays.
#[derive(Debug)]
pub(crate) struct ScanCodec {
    arrays: Arc<Arrays>,
    /// Places that may be opened; `None` on a client, which decodes no scans.
    allowed: Option<Allowed>,
    /// Converts errors to the form in which a worker reports them; `None` on a client.
    form: Option<ErrorForm>,
    opened: Mutex<VecDeque<(Named, Slot)>>,
}

impl ScanCodec {
    pub(crate) fn of_client(arrays: Arc<Arrays>) -> Self {
        Self {
            arrays,
            allowed: None,
            form: None,
            opened: Mutex::default(),
        }
    }

    pub(crate) fn of_worker(arrays: Arc<Arrays>, allowed: Allowed, name: &str) -> Self {
        let describer = Arc::clone(&arrays);
        let form = worker_error::form(name, move |error| describer.describe(error));
        Self {
            allowed: Some(allowed),
            form: Some(ErrorForm::new(form)),
            ..Self::of_client(arrays)
        }
    }

    fn slot(&self, named: &Named) -> Slot {
        // A panic cannot leave the queue half changed, so a poisoned lock is safe to use.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = opened.iter().find(|(other, _)| other == named) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        opened.push_back((named.clone(), Arc::clone(&slot)));
        while opened.len() > KEPT {
            opened.pop_front();
        }
        slot
    }

    /// Returns the table of the array, opening it if necessary. Fails if its state differs from the one that the
    /// client saw.
    fn table(&self, named: &Named) -> Result<ArrayTable> {
        let Some(allowed) = &self.allowed else {
            return internal_err!("a scan came to a client");
        };
        // Checked on every call, since a symbolic link may have changed meanwhile.
        let place = allowed.uri(&named.uri).map_err(external)?;
        let shared = self.slot(named);
        // After a panic the slot is still empty, and the next caller opens the array.
        let mut slot = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = &*slot {
            return Ok(table.clone());
        }
        let opened = self.arrays.open(&place, named.window);
        let array = opened.map_err(external)?;
        if state_of(&array) != named.state {
            return exec_err!(
                "{}: the worker sees other fragments than the client: the array was changed or vacuumed meanwhile, or the worker has \
                 another array at this URI\nrun the query again",
                named.uri
            );
        }
        let session = self.arrays.session().clone();
        let mut table = ArrayTable::new(array, session, &named.uri)?;
        if let Some(form) = &self.form {
            table = table.with_error_form(form.clone());
        }
        *slot = Some(table.clone());
        Ok(table)
    }

    fn decode(&self, bytes: &[u8]) -> Result<ArrayScan> {
        let scan: Json = serde_json::from_slice(bytes).map_err(external)?;
        let named = Named::of_json(&scan).map_err(external)?;
        let table = self.table(&named)?;
        let limits = self.arrays.session().limits();
        let task = task_from_json(&scan, table.array().schema(), limits).map_err(external)?;
        ArrayScan::of_task(&table, task)
    }
}

impl PhysicalExtensionCodec for ScanCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        _context: &TaskContext,
        _converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match inputs {
            [] => {}
            [input] if bytes == SHORT_BATCHES => {
                return Ok(Arc::new(ShortBatches::new(Arc::clone(input))));
            }
            _ => return internal_err!("a scan of an array has no inputs"),
        }
        // Opening the array may block on a store.
        let scan = tokio::task::block_in_place(|| self.decode(bytes));
        let told = |error| match &self.form {
            Some(form) => external(form.of(external_of(error))),
            None => error,
        };
        Ok(Arc::new(scan.map_err(told)?))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        _converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if node.is::<ShortBatches>() {
            bytes.extend_from_slice(SHORT_BATCHES);
            return Ok(());
        }
        let Some(scan) = node.downcast_ref::<ArrayScan>() else {
            return internal_err!("{} is no scan of an array", node.name());
        };
        let (task, table) = (scan.task()?, scan.table());
        let named = Named {
            uri: self.arrays.absolute(&task.uri).map_err(external)?,
            window: task.window,
            state: state_of(table.array()),
        };
        let json = task_to_json(&task, table.array().schema(), &named);
        serde_json::to_writer(bytes, &json.map_err(external)?).map_err(external)
    }
}

/// Unwraps the external error inside a DataFusion error, or boxes the DataFusion error itself.
fn external_of(error: DataFusionError) -> BoxedError {
    match error {
        DataFusionError::External(error) => error,
        error => error.into(),
    }
}

fn external(error: impl Into<BoxedError>) -> DataFusionError {
    DataFusionError::External(error.into())
}
