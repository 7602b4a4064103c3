//! Rows that replace cells as a part of a change that another makes: it has found them in the array as the change sees it.

use tdb_write::{SealedWrite, WriteOptions};

use super::Replacing;
use crate::{Array, Result};

impl Replacing {
    /// Rows of cells that are there, of an array without duplicates as the change sees it; the options have the time of the change.
    pub(crate) fn part_of_change(seen: Array, options: WriteOptions) -> Self {
        Self {
            are_there: true,
            ..Self::begun(seen, options, false)
        }
    }

    /// The write of the rows, but for the commit; `None` without rows.
    pub(crate) fn seal(mut self) -> Result<Option<SealedWrite>> {
        if self.cells == 0 {
            return Ok(None);
        }
        let (writers, _) = self.write()?;
        self.sealed(writers).map(Some)
    }
}
