use std::sync::Arc;

use tdb_array::{NameSource, SystemNames, TimeWindow};

/// Which fragments are merged, and into what.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// Only fragments all of whose cells are of this time or later, in milliseconds since 1970.
    pub since: u64,
    /// Only fragments all of whose cells are of this time or earlier; of now or earlier, where none is given: what bears a time to
    /// come is not read yet, and merged with it, what is read now could not be read until then.
    pub until: Option<u64>,
    /// Just these fragments, by name, and all of them together; else those that `policy` picks.
    pub fragments: Option<Vec<String>>,
    /// How fragments are picked that nobody names.
    pub policy: StepPolicy,
    /// What becomes of what was before.
    pub history: History,
    /// Also fragments that hold values of attributes that were dropped since: merged, they lack them, and so do earlier times.
    pub forget_dropped: bool,
    /// Bytes that a fragment may have before another one is begun, as in [`WriteOptions`](tdb_write::WriteOptions).
    pub max_fragment_bytes: Option<u64>,
    /// The URI of the array, which lists before format 19 hold.
    pub uri: Option<String>,
    /// Where names come from.
    pub names: Arc<dyn NameSource>,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self {
            since: 0,
            until: None,
            fragments: None,
            policy: StepPolicy::default(),
            history: History::default(),
            forget_dropped: false,
            max_fragment_bytes: None,
            uri: None,
            names: Arc::new(SystemNames),
        }
    }
}

impl MergeOptions {
    /// The time of which fragments are merged.
    pub(crate) fn window(&self) -> TimeWindow {
        TimeWindow {
            since: self.since,
            at: self.until.unwrap_or_else(|| self.names.now()),
        }
    }

    /// Deletes up to this time can have a part in a merge of fragments of up to `last`. Later ones go on to stand for themselves.
    pub(crate) fn deletes_until(&self, last: u64) -> u64 {
        self.names.now().max(last).max(self.until.unwrap_or(0))
    }
}

/// What of the past a merged fragment of a sparse array keeps. Dense ones, and sparse ones before format 15,
/// keep nothing, as with TileDB; what was before can be read until a vacuum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// All: cells that newer ones replaced, and deleted ones, each with its times. Reads of any time stay what
    /// they were.
    #[default]
    Kept,
    /// All but deleted cells and those that they had replaced.
    WithoutDeleted,
    /// Nothing: the cells that count, as if they had been written at the end of the time of the fragments.
    Dropped,
}

/// Which fragments are merged at a time: the longest run of neighbours in time that is allowed, and of equally
/// long ones the smallest, again and again. By default, all that is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPolicy {
    /// So many runs at most.
    pub steps: u32,
    /// Fragments that a run has at least; 2 at least.
    pub min_fragments: u32,
    /// Fragments that a run has at most.
    pub max_fragments: u32,
    /// How unequal two neighbours may be: the size of the smaller one divided by that of the larger one is at
    /// least this, from 0 to 1.
    pub size_ratio: f64,
    /// Dense arrays: how many times as many cells the merged fragment may have as those that it replaces. It
    /// holds all cells of the box around them, and fill values where nothing was written.
    pub amplification: f64,
}

impl Default for StepPolicy {
    fn default() -> Self {
        Self {
            steps: u32::MAX,
            min_fragments: 2,
            max_fragments: u32::MAX,
            size_ratio: 0.0,
            amplification: 2.0,
        }
    }
}
