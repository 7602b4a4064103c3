//! Replacing rows as part of a larger change, which has already found the rows in its view of the array.

use tdb_open::{Array, Result};
use tdb_write::{SealedWrite, WriteOptions};

use super::Replacing;

impl Replacing {
    /// Creates a write of rows for existing cells, in an array without duplicates. `options` must contain the time of
    /// the change.
    #[must_use]
    pub fn part_of_change(seen: Array, options: WriteOptions) -> Self {
        Self {
            are_there: true,
            ..Self::begun(seen, options, false)
        }
    }

    /// Finishes the write of the rows without committing; `None` if there are no rows.
    ///
    /// # Errors
    /// Fails if reading or writing fails.
    pub fn seal(mut self) -> Result<Option<SealedWrite>> {
        if self.cells == 0 {
            return Ok(None);
        }
        let (writers, _) = self.write()?;
        self.sealed(writers).map(Some)
    }
}
