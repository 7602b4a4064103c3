//! Settings by TileDB's names, for what only upper layers do.

use tdb_consolidate::{History, MergeOptions, StepPolicy};
use tdb_open::{Result, Settings};

/// Returns options of a merge with what settings under `sm.consolidation.` say, and defaults for the rest.
///
/// ```
/// let mut settings = tdb::Settings::new();
/// settings.set("sm.consolidation.step_min_frags", "4")?;
/// let options = tdb::merge_options(&settings)?;
/// assert_eq!(options.policy.min_fragments, 4);
/// # Ok::<(), tdb::Error>(())
/// ```
///
/// # Errors
/// Fails if a value is invalid, which [`Settings::set`] does not let in.
pub fn merge_options(settings: &Settings) -> Result<MergeOptions> {
    let merging = settings.merging()?;
    let mut options = MergeOptions::default();
    let defaults = options.policy;
    options.policy = StepPolicy {
        steps: merging.steps.unwrap_or(defaults.steps),
        min_fragments: merging.min_fragments.unwrap_or(defaults.min_fragments),
        max_fragments: merging.max_fragments.unwrap_or(defaults.max_fragments),
        size_ratio: merging.size_ratio.unwrap_or(defaults.size_ratio),
        amplification: merging.amplification.unwrap_or(defaults.amplification),
    };
    if let Some(since) = merging.since {
        options.since = since;
    }
    if merging.purges_deleted == Some(true) {
        options.history = History::WithoutDeleted;
    }
    Ok(options
        .until(merging.until)
        .max_fragment_bytes(merging.max_fragment_bytes))
}
