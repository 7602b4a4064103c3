use std::sync::Arc;

use tdb_array::{NameSource, SystemNames, TimeWindow};

/// Options of a merge: which fragments are merged, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MergeOptions {
    /// Only fragments whose cells are all of this time or later, in milliseconds since 1970.
    pub since: u64,
    /// Only fragments whose cells are all of this time or earlier; the current time if `None`. Fragments with a future
    /// time are not read yet: merged with them, present cells would be invisible until then.
    pub until: Option<u64>,
    /// Exactly these fragments, by name, all in one merge; if `None`, those that `policy` chooses.
    pub fragments: Option<Vec<String>>,
    /// How fragments are chosen if none are named.
    pub policy: StepPolicy,
    /// What happens to overwritten and deleted cells.
    pub history: History,
    /// Whether to merge fragments with values of attributes that were dropped later. The merged fragment lacks these
    /// values, also for reads of earlier times.
    pub forget_dropped: bool,
    /// Maximum bytes of a fragment before the next one is begun; see [`WriteOptions`](tdb_write::WriteOptions).
    pub max_fragment_bytes: Option<u64>,
    /// The URI of the array, which lists before format version 19 contain.
    pub uri: Option<String>,
    /// The source of names.
    pub names: Arc<dyn NameSource>,
}

impl MergeOptions {
    /// Sets [`since`](field@Self::since).
    #[must_use]
    pub fn since(mut self, since: u64) -> Self {
        self.since = since;
        self
    }

    /// Sets [`until`](field@Self::until).
    #[must_use]
    pub fn until(mut self, until: Option<u64>) -> Self {
        self.until = until;
        self
    }

    /// Sets [`fragments`](field@Self::fragments).
    #[must_use]
    pub fn fragments(mut self, fragments: Option<Vec<String>>) -> Self {
        self.fragments = fragments;
        self
    }

    /// Sets [`policy`](field@Self::policy).
    #[must_use]
    pub fn policy(mut self, policy: StepPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets [`history`](field@Self::history).
    #[must_use]
    pub fn history(mut self, history: History) -> Self {
        self.history = history;
        self
    }

    /// Sets [`forget_dropped`](field@Self::forget_dropped).
    #[must_use]
    pub fn forget_dropped(mut self, forget_dropped: bool) -> Self {
        self.forget_dropped = forget_dropped;
        self
    }

    /// Sets [`max_fragment_bytes`](field@Self::max_fragment_bytes).
    #[must_use]
    pub fn max_fragment_bytes(mut self, max_fragment_bytes: Option<u64>) -> Self {
        self.max_fragment_bytes = max_fragment_bytes;
        self
    }

    /// Sets [`uri`](field@Self::uri).
    #[must_use]
    pub fn uri(mut self, uri: Option<String>) -> Self {
        self.uri = uri;
        self
    }

    /// Sets [`names`](field@Self::names).
    #[must_use]
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.names = names;
        self
    }
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
    /// Returns the time window of the fragments to merge.
    pub(crate) fn window(&self) -> TimeWindow {
        TimeWindow {
            since: self.since,
            at: self.until.unwrap_or_else(|| self.names.now()),
        }
    }

    /// Returns the time up to which deletes are applied in a merge of fragments up to `last`. Later deletes stay
    /// separate.
    pub(crate) fn deletes_until(&self, last: u64) -> u64 {
        self.names.now().max(last).max(self.until.unwrap_or(0))
    }
}

/// How much of the past a merged fragment of a sparse array keeps. Dense arrays, and sparse ones before format version
/// 15, keep nothing, as in TileDB: earlier states can be read only until a vacuum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// Everything: overwritten and deleted cells stay, each with its times. Reads of any time return the same as
    /// before.
    #[default]
    Kept,
    /// Everything except deleted cells and the cells that these had overwritten.
    WithoutDeleted,
    /// Nothing: only current cells stay, as if written at the end of the fragments' time range.
    Dropped,
}

/// The policy by which fragments are chosen. Repeatedly, the longest allowed run of fragments that are adjacent in
/// time is merged; of equally long runs, the smallest. By default, every run is allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPolicy {
    /// Maximum number of merges.
    pub steps: u32,
    /// Minimum number of fragments in a run; at least 2.
    pub min_fragments: u32,
    /// Maximum number of fragments in a run.
    pub max_fragments: u32,
    /// Minimum size ratio of two adjacent fragments, the smaller divided by the larger, from 0 to 1.
    pub size_ratio: f64,
    /// Maximum growth in dense arrays: cells of the merged fragment divided by cells of the merged ones. The merged
    /// fragment contains all cells of their bounding box, with fill values where nothing was written.
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
