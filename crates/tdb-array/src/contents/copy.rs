//! Copying and moving of an array, or of a group with all its members.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_store::{Distance, Object, Store, join, list_all};
use tdb_tile::Code;

use super::{Contents, Part, below, inside, join_folders};
use crate::copying::{Copying, vanished};
use crate::create::check_above;
use crate::{
    ArrayError, ChangeOptions, FoundFolder, Group, GroupMember, Location, MemberChange, ObjectType,
    UriTarget,
};
impl Contents {
    /// Copies everything into an empty folder of a store. The schema of an array is copied last, and groups after
    /// their members. Absolute URIs of copied members become relative.
    ///
    /// # Errors
    /// [`ArrayError::Exists`] if the folder is not empty; [`ArrayError::Within`] if it is inside an array, or inside a
    /// folder that a group uses; or any error of either store. After an error the partial copy is removed, if the
    /// store still allows that.
    pub fn copy(
        &self,
        to: &Arc<dyn Store>,
        to_prefix: &str,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        self.copied(to, to_prefix, options).map(drop)
    }

    /// Copies everything like [`Contents::copy`], then removes the original, including objects of no member. If
    /// nothing of the original could be removed, the copy is removed again; if a part was removed, the copy stays,
    /// since it is the only complete one.
    ///
    /// # Errors
    /// As [`Contents::copy`] and [`Contents::remove`].
    pub fn rename(
        &self,
        to: &Arc<dyn Store>,
        to_prefix: &str,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        let copying = self.copied(to, to_prefix, options)?;
        let removed = self.remove_moved();
        if removed.is_err() && self.is_whole() {
            copying.take_back();
        }
        removed
    }

    /// Copies everything; the result can undo the copy.
    fn copied<'a>(
        &self,
        to: &'a Arc<dyn Store>,
        to_prefix: &str,
        options: &ChangeOptions,
    ) -> Result<Copying<'a>, ArrayError> {
        check_vacant(&**to, to_prefix)?;
        self.check_objects()?;
        self.check_held()?;
        let mut copying = Copying::new(to);
        match self.copy_with(&mut copying, to_prefix, &HashMap::new(), options) {
            Ok(()) => Ok(copying),
            Err(error) => {
                copying.take_back();
                Err(error)
            }
        }
    }

    /// Fails if an array is unfinished, or if an entry is not an object, such as a symbolic link: this is checked
    /// before anything is copied. Entries listed with a size are objects.
    pub(crate) fn check_objects(&self) -> Result<(), ArrayError> {
        if let Some((work, prefix)) = self.unfinished()? {
            return Err(ArrayError::Unfinished { work, prefix });
        }
        let mut sizes = self.unlisted_sizes().into_iter();
        sizes.try_for_each(|size| size.map(drop).map_err(vanished))
    }

    /// Fails if an array or group has no objects, but only folder markers or an empty folder.
    fn check_held(&self) -> Result<(), ArrayError> {
        match self.parts.iter().find(|part| part.objects.is_empty()) {
            None => Ok(()),
            Some(part) => Err(ArrayError::NoSuch {
                what: part.object_type.name(),
                prefix: part.prefix.clone(),
            }),
        }
    }

    /// True if all objects still exist.
    fn is_whole(&self) -> bool {
        let keys: Vec<&str> = self.keys().collect();
        let sizes = self.location.store().sizes(&keys);
        sizes.iter().all(Result::is_ok)
    }

    /// Copies everything, then applies `changes` to the members of the copied groups; they are keyed by the folder of
    /// the original group.
    pub(crate) fn copy_with(
        &self,
        copying: &mut Copying<'_>,
        to_prefix: &str,
        changes: &HashMap<String, Vec<MemberChange>>,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        for objects in self.all().flat_map(Part::stages) {
            let objects: Vec<(&Object, String)> = objects
                .iter()
                .map(|object| {
                    let to_key = join(to_prefix, below(self.prefix(), &object.key));
                    (object, to_key)
                })
                .collect();
            copying.copy(&**self.location.store(), &objects)?;
        }
        for prefix in self.groups() {
            let mut changes = changes.get(prefix).map_or_else(Vec::new, Vec::clone);
            changes.append(&mut self.related(prefix)?);
            let copied = join_folders(to_prefix, below(self.prefix(), prefix));
            let at = Location::new(Arc::clone(copying.store), &copied)
                .with_key(self.location.key().cloned())
                .with_limits(self.limits().clone());
            let copy = Group::open_location(&at, "", self.options.clone())?;
            copying.tells_members(&copied);
            copy.change_members(&changes, options)?;
        }
        Ok(())
    }

    /// Returns the changes that make members of a group relative, if they have absolute URIs inside the original.
    fn related(&self, group: &str) -> Result<Vec<MemberChange>, ArrayError> {
        let original = self.open_group(group)?;
        let mut changes = Vec::new();
        for member in original.members().iter().filter(|member| !member.relative) {
            // A member that is not inside its group's folder has no relative URI: it stays as it is.
            if let UriTarget::Inside(prefix) = original.target(member)
                && let Some(uri) = inside(group, &prefix)
            {
                changes.extend(moved(member, uri, true));
            }
        }
        Ok(changes)
    }
}

/// Fails if a folder is not empty, or is inside an array or group.
pub(crate) fn check_vacant(store: &dyn Store, prefix: &str) -> Result<(), ArrayError> {
    check_above(store, prefix)?;
    let listing = list_all(store, prefix)?;
    if listing.objects.is_empty() && is_all_marked(store, listing.prefixes)? {
        return Ok(());
    }
    let found = FoundFolder::at(store, prefix)?;
    if let Some(work) = found.unfinished {
        let prefix = prefix.to_owned();
        return Err(ArrayError::Unfinished { work, prefix });
    }
    let what = match found.object_type {
        ObjectType::Invalid => "something",
        ObjectType::Group => "group",
        ObjectType::Array => "array",
    };
    let prefix = prefix.to_owned();
    Err(ArrayError::Exists { what, prefix })
}

/// True if the folders contain no objects at any depth, so that only markers of other programs make them visible. This
/// applies to object stores; in a file system a folder exists on its own.
fn is_all_marked(store: &dyn Store, mut folders: Vec<String>) -> Result<bool, ArrayError> {
    if store.distance() == Distance::Near {
        return Ok(folders.is_empty());
    }
    while let Some(folder) = folders.pop() {
        let mut listing = list_all(store, &folder)?;
        if !listing.objects.is_empty() || !listing.foreign.is_empty() {
            return Ok(false);
        }
        folders.append(&mut listing.prefixes);
    }
    Ok(true)
}

/// Returns the changes that give a member another URI. A member without a name is identified by its URI, so it is
/// removed and added.
pub(crate) fn moved(member: &GroupMember, uri: &str, relative: bool) -> Vec<MemberChange> {
    let add = MemberChange::Add {
        uri: uri.to_owned(),
        name: member.name.clone(),
        relative,
        object_type: member.object_type,
    };
    match &member.name {
        Some(_) => vec![add],
        None => vec![MemberChange::Remove(member.uri.clone()), add],
    }
}
