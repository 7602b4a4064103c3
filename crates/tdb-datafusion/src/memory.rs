//! DataFusion's memory, counted in the budget of the session that reads the arrays.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use tdb_tile::{Budget, Grant};

use crate::arrays::Arrays;
use crate::error::external;
use crate::file_stores::FileStores;

/// Returns the runtime of DataFusion: at most half of the memory of the session of `arrays`, the temporary folder of
/// the system for spilling, and the stores that arrays may be in for files. `owner` names the owner of the memory in
/// errors.
///
/// # Errors
/// Half of the session's memory exceeds the address space.
pub fn runtime(arrays: &Arc<Arrays>, owner: &str) -> Result<Arc<RuntimeEnv>> {
    let pool = SharedPool::new(&arrays.session().limits().budget, owner)?;
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(pool))
        .with_object_store_registry(Arc::new(FileStores::new(arrays)))
        .build_arc()
}

/// Memory pool that takes what DataFusion reserves from the budget of a session, at most half of it: the rest is for
/// reading.
#[derive(Debug)]
pub(crate) struct SharedPool {
    budget: Budget,
    owner: String,
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Bytes that DataFusion reports as used.
    used: usize,
    /// Grant for these bytes; smaller if DataFusion took memory without asking.
    grant: Grant,
}

impl SharedPool {
    /// Creates a pool.
    ///
    /// # Errors
    /// Half of the budget exceeds the address space.
    pub(crate) fn new(budget: &Budget, owner: &str) -> Result<Self> {
        let grant = budget.take(0).map_err(external)?;
        Ok(Self {
            budget: budget.clone(),
            owner: owner.to_owned(),
            most: usize::try_from(budget.limit() / 2).map_err(external)?,
            state: Mutex::new(State { used: 0, grant }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave plain numbers half updated.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryPool for SharedPool {
    fn name(&self) -> &'static str {
        "tdb"
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        let mut state = self.state();
        state.used = state.used.saturating_add(additional);
        // The memory is used in any case: what the budget does not have left is not counted.
        let _ = state.grant.grow(additional as u64);
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(shrink);
        let used = state.used as u64;
        state.grant.shrink_to(used);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let mut state = self.state();
        let refused = |left: u64| {
            DataFusionError::ResourcesExhausted(format!(
                "{} needs {additional} bytes more, and of the memory of {} {left} are left",
                reservation.consumer().name(),
                self.owner
            ))
        };
        let used = state.used.saturating_add(additional);
        if used > self.most {
            return Err(refused(self.most.saturating_sub(state.used) as u64));
        }
        let grown = state.grant.grow(additional as u64);
        grown.map_err(|_| refused(self.budget.left()))?;
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
