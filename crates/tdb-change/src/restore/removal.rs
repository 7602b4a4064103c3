//! Restoring an array to an earlier time by removing everything later.

use tdb_array::ArrayError;
use tdb_consolidate::{Plan, VacuumOptions, plan_later_removal};
use tdb_open::{Array, Result, Time};

use super::check_begun;

const REMOVAL_HINT: &str =
    "a restore that removes nothing makes the array what it was by a new write";

/// Restores the array to a time by permanently removing everything later: cells, deletes, schemas and metadata. No
/// other program may change the array meanwhile. If interrupted, it can be repeated. Arrays of dimension labels
/// are arrays of their own, and stay as they are.
///
/// # Errors
/// Fails if a merged fragment or merged metadata spans the time, if something older depends on an object to be
/// removed, or if the store fails.
pub fn remove_after(array: &Array, to: impl Into<Time>) -> Result<Plan> {
    let options = VacuumOptions::default();
    let plan = plan_removal_after(array, to, &options)?;
    let done = plan.vacuum(array.engine().location(), &options);
    done.map_err(|error| array.failed(error))?;
    Ok(plan)
}

/// Returns what [`remove_after`] would remove.
///
/// # Errors
/// As for [`remove_after`].
pub fn plan_removal_after(
    array: &Array,
    to: impl Into<Time>,
    options: &VacuumOptions,
) -> Result<Plan> {
    let to = to.into();
    let now = array.whole()?;
    check_begun(&now, to)?;
    let plan = plan_later_removal(now.engine(), to.0, options);
    plan.map_err(|error| match error {
        error @ ArrayError::Straddles { .. } | error @ ArrayError::Invalid { .. } => {
            array.failed(error).with_hint(REMOVAL_HINT)
        }
        error => array.failed(error),
    })
}
