//! DataFusion's memory, counted with that of the session which reads the arrays.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use tdb_tile::{Budget, Grant};

use crate::arrays::Arrays;
use crate::error::external;
use crate::file_stores::FileStores;

/// What DataFusion runs in: at most half of the memory of the session of `arrays`, the temporary folder of the system for what needs
/// more, and files where arrays may be.
///
/// # Errors
/// A session of which half of the memory is more than the machine can address.
pub fn runtime(arrays: &Arc<dyn Arrays>) -> Result<Arc<RuntimeEnv>> {
    let pool = SharedPool::new(&arrays.session().limits().budget)?;
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool))
        .with_object_store_registry(Arc::new(FileStores::new(arrays)))
        .build_arc()
}

/// Takes what DataFusion reserves from the budget of a session, at most half of it: the rest is left for reading.
#[derive(Debug)]
pub(crate) struct SharedPool {
    budget: Budget,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    grants: Vec<Grant>,
}

impl SharedPool {
    /// # Errors
    /// A budget of which half is more than the machine can address.
    pub(crate) fn new(budget: &Budget) -> Result<Self> {
        Ok(Self {
            budget: budget.clone(),
            most: usize::try_from(budget.limit() / 2).map_err(external)?,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Numbers have no state that could be half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn granted(&self) -> u64 {
        self.grants
            .iter()
            .map(Grant::bytes)
            .fold(0, u64::saturating_add)
    }

    /// Gives back what is no longer used.
    fn give_back(&mut self, budget: &Budget) {
        while let Some(last) = self.grants.pop() {
            let (others, used) = (self.granted(), self.used as u64);
            if others >= used {
                continue;
            }
            let needed = used.saturating_sub(others);
            if needed >= last.bytes() {
                self.grants.push(last);
            } else {
                drop(last);
                // Somebody else may have taken it by now; it is less than it was.
                self.grants.extend(budget.take(needed));
            }
            return;
        }
    }
}

impl MemoryPool for SharedPool {
    fn name(&self) -> &'static str {
        "tdb"
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        let mut state = self.state();
        state.used = state.used.saturating_add(additional);
        state.grants.extend(self.budget.take(additional as u64));
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(shrink);
        state.give_back(&self.budget);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut state = self.state();
        let refused = |left: u64| {
            DataFusionError::ResourcesExhausted(format!(
                "{} needs {additional} bytes more, and of the memory of the query {left} are left",
                reservation.consumer().name()
            ))
        };
        let used = state.used.saturating_add(additional);
        if used > self.most {
            return Err(refused(self.most.saturating_sub(state.used) as u64));
        }
        let grant = self.budget.take(additional as u64);
        state
            .grants
            .push(grant.map_err(|_| refused(self.budget.left()))?);
        state.used = used;
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.state().used
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.most)
    }
}

impl fmt::Display for SharedPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tdb(used: {}, of: {})", self.reserved(), self.most)
    }
}
