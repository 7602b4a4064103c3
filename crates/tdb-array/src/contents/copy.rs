//! Copies and moves an array, or a group and all that is in it.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_store::{Distance, Object, Store, join, list_all};
use tdb_tile::Code;

use super::{Contents, Part, below, inside, join_folders};
use crate::copying::{Copying, vanished};
use crate::create::check_above;
use crate::{
    ArrayError, ChangeOptions, Found, Group, GroupMember, Location, MemberChange, ObjectType,
    UriTarget,
};
impl Contents {
    /// Copies all into a folder of a store that has nothing there. What makes an array an array is copied last, and
    /// groups after what is in them. Absolute URIs of members that were copied become relative.
    ///
    /// # Errors
    /// [`ArrayError::Exists`] where something is, [`ArrayError::Within`] where the copy would lie in what an array or a
    /// group is stored as; as either store reports. What was copied before an error is removed, if the store still
    /// does that.
    pub fn copy(
        &self,
        to: &Arc<dyn Store>,
        to_prefix: &str,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        self.copied(to, to_prefix, options).map(drop)
    }

    /// Copies all, as [`Contents::copy`] does, and removes the original, with what is no member, too. Where nothing of that could be removed, the
    /// copy goes again; where a part of it was, the copy stays, which is whole then.
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

    /// Copies all, and gives what it takes to undo that.
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

    /// Fails where an array is not whole yet, or something is no object, as a link: so that it is found before anything is copied. What was listed with
    /// its size is one.
    pub(crate) fn check_objects(&self) -> Result<(), ArrayError> {
        if let Some((work, prefix)) = self.unfinished()? {
            return Err(ArrayError::Unfinished { work, prefix });
        }
        let mut sizes = self.unlisted_sizes().into_iter();
        sizes.try_for_each(|size| size.map(drop).map_err(vanished))
    }

    /// Fails where an array has no objects: no more than what marks its folder, or the folder itself.
    fn check_held(&self) -> Result<(), ArrayError> {
        match self.parts.iter().find(|part| part.objects.is_empty()) {
            None => Ok(()),
            Some(part) => Err(ArrayError::NoSuch {
                what: part.object_type.name(),
                prefix: part.prefix.clone(),
            }),
        }
    }

    /// Whether all objects are still there.
    fn is_whole(&self) -> bool {
        let keys: Vec<&str> = self.keys().collect();
        let sizes = self.location.store().sizes(&keys);
        sizes.iter().all(Result::is_ok)
    }

    /// Copies all, and each group, by its folder, has its members changed so.
    pub(crate) fn copy_with(
        &self,
        copying: &mut Copying<'_>,
        to_prefix: &str,
        changes: &HashMap<String, Vec<MemberChange>>,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        for objects in self.all().flat_map(Part::stages) {
            let objects = objects.iter().map(|object| {
                let to_key = join(to_prefix, below(self.prefix(), &object.key));
                (object, to_key)
            });
            let objects: Vec<(&Object, String)> = objects.collect();
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

    /// The changes that make members of a group relative that point into the original.
    fn related(&self, group: &str) -> Result<Vec<MemberChange>, ArrayError> {
        let original = self.open_group(group)?;
        let mut changes = Vec::new();
        for member in original.members().iter().filter(|member| !member.relative) {
            // A member that lies beside its group cannot be told relative to it: it stays as it is.
            if let UriTarget::Inside(prefix) = original.target(member)
                && let Some(uri) = inside(group, &prefix)
            {
                changes.extend(moved(member, uri, true));
            }
        }
        Ok(changes)
    }
}

/// Fails where something is in a folder, or an array or a group is stored above.
pub(crate) fn check_vacant(store: &dyn Store, prefix: &str) -> Result<(), ArrayError> {
    check_above(store, prefix)?;
    let listing = list_all(store, prefix)?;
    if listing.objects.is_empty() && is_all_marked(store, listing.prefixes)? {
        return Ok(());
    }
    let found = Found::at(store, prefix)?;
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

/// Whether folders hold nothing, at any depth, in a store without folders of its own: then they are there only because other
/// programs mark them. The folders of a file system are there by themselves.
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

/// The changes that make a member point elsewhere; without a name its URI is what it is called by.
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
