//! Removal of an array, or of a group with all its members.

use tdb_store::join;

use super::{Contents, LAST_STAGE, Part, below, stage};
use crate::directory::{GROUP_FOLDER, METADATA_FOLDER};
use crate::{ArrayError, ObjectType};

impl Contents {
    /// Removes everything that belongs to the array or group, and nothing else. The schema of an array is removed
    /// first, and groups after their members. Empty folders are removed as well: they could be mistaken for an array.
    /// Objects that no longer exist are not an error.
    ///
    /// # Errors
    /// Any error of the store. What remains can be found and removed again.
    pub fn remove(&self) -> Result<(), ArrayError> {
        self.remove_parts(self.parts.iter())
    }

    /// Removes everything that was copied, and the folders that become empty.
    pub(super) fn remove_moved(&self) -> Result<(), ArrayError> {
        self.remove_parts(self.all())?;
        if !self.others.is_empty() {
            tdb_store::remove_empty_folders(&**self.location.store(), self.prefix())?;
        }
        Ok(())
    }

    fn remove_parts<'a>(&self, parts: impl Iterator<Item = &'a Part>) -> Result<(), ArrayError> {
        for part in parts {
            let is_array = part.object_type == ObjectType::Array;
            if is_array {
                // The removals of each stage are durable before the next begins: even after a power failure, no array
                // is left that lacks some of its cells.
                let of_stage = |key: &&str| stage(below(&part.prefix, key));
                for wanted in (0..=LAST_STAGE).rev() {
                    let keys = part.keys().rev().filter(|key| of_stage(key) == wanted);
                    self.location.remove_all(&keys.collect::<Vec<&str>>())?;
                }
            } else {
                self.location
                    .remove_all(&part.keys().collect::<Vec<&str>>())?;
            }
            self.location.remove_all(&part.markers)?;
            if part.object_type == ObjectType::Invalid {
                continue;
            }
            if is_array {
                tdb_store::remove_empty_folders(&**self.location.store(), &part.prefix)?;
            } else {
                for folder in [METADATA_FOLDER, GROUP_FOLDER] {
                    tdb_store::remove_empty_folders(
                        &**self.location.store(),
                        &join(&part.prefix, folder),
                    )?;
                }
                // Other contents of the folder stay.
                self.location.store().remove_folder(&part.prefix)?;
            }
        }
        Ok(())
    }
}
