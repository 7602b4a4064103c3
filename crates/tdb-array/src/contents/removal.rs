//! Removes an array, or a group and all that is in it.

use tdb_store::join;

use super::{Contents, LAST_STAGE, Part, below, stage};
use crate::directory::{GROUP_FOLDER, METADATA_FOLDER};
use crate::{ArrayError, ObjectType};

impl Contents {
    /// Removes all, and nothing else: of an array first what makes it one, groups after what is in them. Folders that
    /// are empty then go too: they would still be taken for an array.
    /// What is gone already is no error.
    ///
    /// # Errors
    /// As the store reports. What is left can be found and removed again.
    pub fn remove(&self) -> Result<(), ArrayError> {
        self.remove_parts(self.parts.iter())
    }

    /// Removes all that was copied, and the folders that are empty then.
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
                // Each stage lasts before the next: after a loss of power, too, no array is left that lacks some of its cells.
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
                // What else lies in it is none of it.
                self.location.store().remove_folder(&part.prefix)?;
            }
        }
        Ok(())
    }
}
