//! An array as it was at an earlier time, by removing what came later.

use tdb_array::ArrayError;
use tdb_consolidate::{Plan, VacuumOptions, plan_later_removal};

use super::check_begun;
use crate::{Array, Result, Time};

const REMOVAL_HINT: &str =
    "a restore that removes nothing makes the array what it was by a new write";

impl Array {
    /// Makes the array what it was at a time by taking away, for good, all that came later: cells, deletes, schemas and
    /// metadata. Nobody else may change the array meanwhile. Where this is stopped, it goes on when it is done again. Arrays
    /// of dimension labels are arrays of their own, and stay as they are.
    ///
    /// # Errors
    /// A merged fragment, or merged metadata, of both sides of the time; what is left would need something that goes; as the
    /// store reports.
    pub fn remove_after(&self, to: impl Into<Time>) -> Result<Plan> {
        let options = VacuumOptions::default();
        let plan = self.plan_removal_after(to, &options)?;
        let done = plan.vacuum(self.engine().location(), &options);
        done.map_err(|error| self.failed(error))?;
        Ok(plan)
    }

    /// What [`Array::remove_after`] would do.
    ///
    /// # Errors
    /// As there.
    pub fn plan_removal_after(&self, to: impl Into<Time>, options: &VacuumOptions) -> Result<Plan> {
        let to = to.into();
        let now = self.whole()?;
        check_begun(&now, to)?;
        let plan = plan_later_removal(now.engine(), to.0, options);
        plan.map_err(|error| match error {
            error @ ArrayError::Straddles { .. } | error @ ArrayError::Invalid { .. } => {
                self.failed(error).with_hint(REMOVAL_HINT)
            }
            error => self.failed(error),
        })
    }
}
