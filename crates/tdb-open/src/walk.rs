//! Looking for arrays and groups in folders, and handling their folders as a whole.

use tdb_array::{ErrorKind, ObjectType};

use crate::place;
use crate::{Context, Error, Files, Result};

/// An array or a group in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundObject {
    /// Its whole URI.
    pub uri: String,
    /// Array or group.
    pub object_type: ObjectType,
}

/// Whether a walk sees a group before or after what is in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkOrder {
    /// Before.
    Pre,
    /// After.
    Post,
}

impl Context {
    /// Returns whether there is an array or a group at this URI, or neither, also where nothing exists.
    ///
    /// # Errors
    /// Fails if there is no such kind of store, or if the store fails.
    pub fn found_type(&self, uri: &str) -> Result<ObjectType> {
        let files = self.files();
        if !files.is_folder(uri)? {
            return Ok(ObjectType::Invalid);
        }
        match place::folder(uri, self.opener()) {
            Ok(place) => place.object_type(),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(ObjectType::Invalid),
            Err(error) => Err(error),
        }
    }

    /// Returns the arrays and groups that lie directly in a folder, ordered by URI, whether or not they are members of a
    /// group there.
    ///
    /// # Errors
    /// As [`Context::found_type`].
    pub fn objects_in(&self, uri: &str) -> Result<Vec<FoundObject>> {
        let mut found = Vec::new();
        for uri in self.files().list(uri)? {
            // What belongs to an array or a group itself is no object.
            if tdb_store::name(&uri).starts_with("__") {
                continue;
            }
            let object_type = self.found_type(&uri)?;
            if object_type != ObjectType::Invalid {
                found.push(FoundObject { uri, object_type });
            }
        }
        Ok(found)
    }

    /// Calls `see` with the arrays and groups in a folder, those in their folders, and so on, until it returns false.
    /// Folders that are neither are not looked into. `see` may change what is stored.
    ///
    /// # Errors
    /// As [`Context::found_type`]; fails also if `see` does.
    pub fn walk_objects(
        &self,
        uri: &str,
        order: WalkOrder,
        see: &mut dyn FnMut(&FoundObject) -> Result<bool>,
    ) -> Result<()> {
        // The next object is the last one; it is looked into once.
        let pending = |uri: &str| -> Result<Vec<(FoundObject, bool)>> {
            let found = self.objects_in(uri)?.into_iter().rev();
            Ok(found.map(|object| (object, false)).collect())
        };
        let mut todo = pending(uri)?;
        while let Some((object, is_expanded)) = todo.pop() {
            if order == WalkOrder::Post && !is_expanded {
                let inside = pending(&object.uri)?;
                todo.push((object, true));
                todo.extend(inside);
                continue;
            }
            let inside = match order {
                WalkOrder::Pre => pending(&object.uri)?,
                WalkOrder::Post => Vec::new(),
            };
            if !see(&object)? {
                break;
            }
            todo.extend(inside);
        }
        Ok(())
    }

    /// Moves the folder of an array or a group with all that is in it, as it is: local folders are renamed, so that this
    /// happens at once. [`Context::rename`] also rewrites what refers to the old place.
    ///
    /// # Errors
    /// Fails if there is neither an array nor a group, if something is at the new place, or if the store fails.
    pub fn move_folder(&self, from: &str, to: &str) -> Result<()> {
        self.check_object("move", from)?;
        let files = self.files();
        if files.is_file(to)? || !files.list(to)?.is_empty() {
            let error = Error::new(ErrorKind::Exists, "there is something here already");
            return Err(error.at(to));
        }
        files.move_folder(from, to)
    }

    /// Removes the folder of an array or a group with all that is in it. [`Context::remove`] leaves what does not belong
    /// to the array or group.
    ///
    /// # Errors
    /// Fails if there is neither an array nor a group, or if the store fails.
    pub fn remove_folder(&self, uri: &str) -> Result<()> {
        self.check_object("remove", uri)?;
        self.files().remove_folder(uri)
    }

    /// Removes what makes up a group: its members' list and its metadata, and its folder if nothing else is in it. With
    /// `recursive`, removes the arrays and groups that are its members before, wherever they lie.
    ///
    /// # Errors
    /// Fails if there is no group, or if a store fails. Some of it may be left then; removing can be repeated.
    pub fn delete_group(&self, uri: &str, recursive: bool) -> Result<()> {
        let mut todo = vec![uri.to_owned()];
        // Each group after those that it is in: the last ones are removed first.
        let mut groups: Vec<String> = Vec::new();
        while let Some(uri) = todo.pop() {
            if groups.contains(&uri) {
                continue;
            }
            let group = self.open_group(&uri)?;
            groups.push(uri);
            if !recursive {
                continue;
            }
            for member in group.members() {
                let uri = group.member_uri(member);
                match self.found_type(&uri)? {
                    ObjectType::Group => todo.push(uri),
                    ObjectType::Array => self.remove(&uri)?,
                    ObjectType::Invalid => {}
                }
            }
        }
        let mut innermost_first = groups.iter().rev();
        innermost_first.try_for_each(|uri| self.delete_group_objects(uri))
    }

    fn delete_group_objects(&self, uri: &str) -> Result<()> {
        let (files, uri) = (self.files(), uri.trim_end_matches('/'));
        for folder in ["__meta", "__group"] {
            let folder = format!("{uri}/{folder}");
            if files.is_folder(&folder)? {
                files.remove_folder(&folder)?;
            }
        }
        let marker = format!("{uri}/__tiledb_group.tdb");
        if files.is_file(&marker)? {
            files.remove_file(&marker)?;
        }
        if files.is_local(uri)? && files.list(uri)?.is_empty() {
            files.remove_file(uri)?;
        }
        Ok(())
    }

    /// Returns the files of the stores that URIs lead to.
    #[must_use]
    pub fn files(&self) -> Files {
        Files::of(self.shared_stores())
    }

    fn check_object(&self, what: &str, uri: &str) -> Result<()> {
        if self.found_type(uri)? == ObjectType::Invalid {
            let text = format!("Cannot {what} object '{uri}'; Invalid TileDB object");
            return Err(Error::new(ErrorKind::NotFound, text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::MemoryStores;

    fn found(context: &Context, uri: &str, order: WalkOrder, most: usize) -> String {
        let mut names = Vec::new();
        let mut see = |object: &FoundObject| {
            assert_eq!(object.object_type, ObjectType::Group);
            names.push(tdb_store::name(&object.uri).to_owned());
            Ok(names.len() < most)
        };
        context.walk_objects(uri, order, &mut see).unwrap();
        names.join(" ")
    }

    /// The groups a, a/b, a/b/c, a/d and e, and a folder that is none.
    fn groups(root: &str) -> Context {
        let context = Context::new().stores(Arc::new(MemoryStores::default()));
        for name in ["a", "a/b", "a/b/c", "a/d", "e"] {
            context.create_group(&format!("{root}/{name}")).unwrap();
        }
        context.files().touch(&format!("{root}/f/file")).unwrap();
        context
    }

    #[test]
    fn walks_see_all_objects_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for root in [folder.path().to_str().unwrap(), "mem://root"] {
            let context = groups(root);
            assert_eq!(found(&context, root, WalkOrder::Pre, 99), "a b c d e");
            assert_eq!(found(&context, root, WalkOrder::Post, 99), "c b d a e");
            assert_eq!(found(&context, root, WalkOrder::Pre, 2), "a b");
            assert_eq!(context.objects_in(root).unwrap().len(), 2);
            let none = format!("{root}/none");
            assert!(context.objects_in(&none).unwrap().is_empty());
            assert_eq!(context.found_type(&none).unwrap(), ObjectType::Invalid);
        }
    }

    #[test]
    fn deleted_groups_leave_what_is_not_theirs() {
        let folder = tempfile::tempdir().unwrap();
        for root in [folder.path().to_str().unwrap(), "mem://root"] {
            let context = groups(root);
            let uri = |name: &str| format!("{root}/{name}");
            let a = context.open_group(&uri("a")).unwrap();
            a.add(&uri("a/b")).unwrap();
            let a = context.open_group(&uri("a")).unwrap();
            a.add(&uri("e")).unwrap();
            context.files().touch(&uri("a/b/file")).unwrap();
            context.delete_group(&uri("a/d"), false).unwrap();
            assert_eq!(found(&context, root, WalkOrder::Pre, 99), "a b c e");
            context.delete_group(&uri("a"), true).unwrap();
            assert_eq!(found(&context, root, WalkOrder::Pre, 99), "");
            assert!(context.files().is_file(&uri("a/b/file")).unwrap());
            assert_eq!(found(&context, &uri("a/b"), WalkOrder::Pre, 99), "c");
            assert!(context.delete_group(&uri("a"), true).is_err());
        }
    }

    #[test]
    fn objects_are_moved_and_removed_with_their_folders() {
        let folder = tempfile::tempdir().unwrap();
        for root in [folder.path().to_str().unwrap(), "mem://root"] {
            let context = groups(root);
            let uri = |name: &str| format!("{root}/{name}");
            context.move_folder(&uri("a"), &uri("g/h")).unwrap();
            assert_eq!(found(&context, root, WalkOrder::Pre, 99), "e");
            assert_eq!(found(&context, &uri("g"), WalkOrder::Pre, 99), "h b c d");
            assert!(context.move_folder(&uri("e"), &uri("g/h")).is_err());
            assert!(context.move_folder(&uri("f"), &uri("i")).is_err());
            context.remove_folder(&uri("g/h")).unwrap();
            assert!(context.remove_folder(&uri("g/h")).is_err());
            assert!(context.remove_folder(&uri("f")).is_err());
            assert!(context.files().is_file(&uri("f/file")).unwrap());
        }
    }
}
