//! DataFusion's memory, counted in the budget of the session that reads the arrays.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::prelude::SessionConfig;
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

/// Part of the memory that is kept for small reservations: operators that collect rows until memory is full must not
/// make them fail.
///
/// An aggregate that merges what it spilled reserves memory for as many files as it can, then for the groups. It fails
/// if nothing is left for these, and where others leave it too little for two files, it writes them anew with half as
/// many rows in a batch, again and again: a query then took minutes and more.
const PART_KEPT: usize = 4;

/// Reservations that an operator which spills has at a time.
const OF_OPERATOR: usize = 2;

/// Rows of a batch, of DataFusion's own choice.
const BATCH: usize = 8192;

/// Part of the memory that a batch of rows of ordinary length may take, and that length in bytes.
const PART_OF_BATCH: u64 = 256;
const ROW: u64 = 100;

/// Fewest rows of a batch.
const SHORT_BATCH: usize = 256;

/// Bounds what a query takes beside the memory that its operators reserve, and mends how they spill. `config` is that of
/// the process which runs the operators.
///
/// # Errors
/// None, as long as DataFusion takes the values.
pub fn fit_to_memory(config: &mut SessionConfig, budget: &Budget) -> Result<()> {
    let execution = &mut config.options_mut().execution;
    let rows = batch_rows(budget).min(execution.batch_size.get());
    execution.batch_size = ConfigNonZeroUsize::try_new(rows)?;
    // In DataFusion 55.2, rows that are divided among partitions, and do not fit into memory, go to files of which two
    // are written at a time. Who reads waits for more of the first, even if what it was told of is in the second: if
    // all wait, no more is written. Files of one batch are complete at once.
    execution.max_spill_file_size_bytes = ConfigNonZeroUsize::try_new(1)?;
    Ok(())
}

/// Returns the number of rows of a batch: fewer than DataFusion's own with little memory, since operators, functions
/// and spilled files take a few batches of memory that they do not reserve.
fn batch_rows(budget: &Budget) -> usize {
    let rows = budget.limit() / 2 / PART_OF_BATCH / ROW;
    usize::try_from(rows).map_or(BATCH, |rows| rows.clamp(SHORT_BATCH, BATCH))
}

/// Memory pool that takes what DataFusion reserves from the budget of a session, at most half of it: the rest is for
/// reading.
///
/// An operator that can spill may take all that others leave, but of the part that is kept only a share, which is the
/// same for all operators that can spill.
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
    /// Number of operators that can spill.
    spilling: usize,
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
            state: Mutex::new(State {
                used: 0,
                spilling: 0,
                grant,
            }),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave plain numbers half updated.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes that are left for a reservation.
    fn left(&self, state: &State, reservation: &MemoryReservation) -> usize {
        let left = self.most.saturating_sub(state.used);
        if !reservation.consumer().can_spill() {
            return left;
        }
        let kept = self.most / PART_KEPT;
        let share = kept / OF_OPERATOR / state.spilling.max(1);
        let to_share = share.saturating_sub(reservation.size());
        let to_kept = left.saturating_sub(kept);
        left.min(to_share.max(to_kept))
    }
}

impl MemoryPool for SharedPool {
    fn name(&self) -> &'static str {
        "tdb"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.state().spilling += 1;
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            let mut state = self.state();
            state.spilling = state.spilling.saturating_sub(1);
        }
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
        let left = self.left(&state, reservation);
        if additional > left {
            return Err(refused(left as u64));
        }
        let grown = state.grant.grow(additional as u64);
        grown.map_err(|_| refused(self.budget.left()))?;
        state.used = state.used.saturating_add(additional);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_for_those_with_less_than_their_share() {
        let budget = Budget::new(2000);
        let pool: Arc<dyn MemoryPool> = Arc::new(SharedPool::new(&budget, "the query").unwrap());
        let spilling = |name| {
            MemoryConsumer::new(name)
                .with_can_spill(true)
                .register(&pool)
        };
        let (first, second) = (spilling("first"), spilling("second"));
        first.try_grow(750).unwrap();
        let error = first.try_grow(1).unwrap_err();
        assert!(error.to_string().contains("0 are left"), "{error}");
        second.try_grow(62).unwrap();
        assert!(second.try_grow(1).is_err());
        let groups = second.new_empty();
        groups.try_grow(62).unwrap();
        first.free();
        second.try_grow(500).unwrap();
        drop((first, second, groups));
        let other = MemoryConsumer::new("a join").register(&pool);
        other.try_grow(1000).unwrap();
    }

    #[test]
    fn batches_are_short_where_memory_is_small() {
        assert_eq!(batch_rows(&Budget::new(50_000_000)), 976);
        assert_eq!(batch_rows(&Budget::new(1 << 30)), BATCH);
        assert_eq!(batch_rows(&Budget::new(1 << 20)), SHORT_BATCH);
    }
}
