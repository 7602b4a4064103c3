//! Changes in two steps, of which the second may be missing.

use tdb_store::{StoreError, list_all, name};

use crate::directory::RESTORE;
use crate::{Array, ArrayError};

impl Array {
    /// Stores a note that cells are about to be restored to the time `to`, and metadata after them. Until
    /// [`Array::end_restores`], opening the array returns a [warning](crate::Warning::UnfinishedRestore). Returns
    /// false if the note existed already.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn begin_restore(&self, to: u64) -> Result<bool, ArrayError> {
        let key = self.location().full(&format!("{RESTORE}{to}"));
        if tdb_store::exists(&**self.store(), &key)? {
            return Ok(false);
        }
        match self.store().put(&key, bytes::Bytes::new()) {
            Ok(()) => Ok(true),
            Err(StoreError::Exists { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the note of [`Array::begin_restore`], if nothing was restored.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn give_up_restore(&self, to: u64) -> Result<(), ArrayError> {
        let key = self.location().full(&format!("{RESTORE}{to}"));
        Ok(self.location().remove_all(&[key])?)
    }

    /// Removes all notes of restores, because they are complete.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn end_restores(&self) -> Result<(), ArrayError> {
        let listing = list_all(&**self.store(), self.prefix())?;
        let keys = listing.objects.iter().map(|object| object.key.as_str());
        let notes: Vec<&str> = keys.filter(|key| name(key).starts_with(RESTORE)).collect();
        Ok(self.location().remove_all(&notes)?)
    }
}
