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
    let defaults = MergeOptions::default();
    let policy = &defaults.policy;
    Ok(MergeOptions {
        since: merging.since.unwrap_or(defaults.since),
        until: merging.until,
        policy: StepPolicy {
            steps: merging.steps.unwrap_or(policy.steps),
            min_fragments: merging.min_fragments.unwrap_or(policy.min_fragments),
            max_fragments: merging.max_fragments.unwrap_or(policy.max_fragments),
            size_ratio: merging.size_ratio.unwrap_or(policy.size_ratio),
            amplification: merging.amplification.unwrap_or(policy.amplification),
        },
        history: match merging.purges_deleted {
            Some(true) => History::WithoutDeleted,
            Some(false) | None => defaults.history,
        },
        max_fragment_bytes: merging.max_fragment_bytes,
        ..defaults
    })
}
