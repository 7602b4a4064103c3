//! Checking whether the state of an array at an earlier time can still be read in full.

use tdb_array::HistoryGap;
use tdb_schema::value::rfc3339;

use crate::{Array, Error, Result};

impl Array {
    /// Returns the spans of time around the opening time whose cells or metadata can no longer be read in full,
    /// because they were merged and the originals are gone. Reads as of such a time lack them.
    ///
    /// # Errors
    /// Fails if stored data cannot be read.
    pub fn gaps(&self) -> Result<Vec<HistoryGap>> {
        let mut gaps = self.engine().gaps().map_err(|error| self.failed(error))?;
        let metadata = self.engine().metadata_gaps();
        gaps.extend(metadata.map_err(|error| self.failed(error))?);
        Ok(gaps)
    }

    /// Fails if cells or metadata of the opening time are certainly lost; with `doubtful`, also if they may be lost.
    pub fn check_history(&self, doubtful: bool) -> Result<()> {
        let mut gaps = self.gaps()?.into_iter();
        let Some(gap) = gaps.find(|gap| doubtful || gap.is_certain()) else {
            return Ok(());
        };
        let at = rfc3339(self.engine().window().at);
        // A gap that ends with the last time of all is followed by none.
        let after = rfc3339(gap.end.saturating_add(1));
        let hint = match gap.start.checked_sub(1) {
            Some(before) => format!(
                "the nearest times that can be read are {} and {after}; tdb info lists the gaps",
                rfc3339(before)
            ),
            None => format!("the next time that can be read is {after}; tdb info lists the gaps"),
        };
        let what = format!("the state at {at} is no longer complete: {gap}");
        Err(Error::invalid(what).at(self.uri()).with_hint(hint))
    }
}
