//! A group together with its members outside of its folder, to be copied to one place.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tdb_store::{Store, check_key, join};
use tdb_tile::{Exact, Limits};

use crate::contents::copy::{check_vacant, moved};
use crate::contents::{below, inside, join_folders};
use crate::copying::Copying;
use crate::{
    ArrayError, ChangeOptions, Contents, ContentsSize, GroupMember, MemberChange, ObjectType, Work,
};

/// A group, the members outside of its folder, the members outside of their folders, and so on.
///
/// A copy contains such members in the folder of their group.
#[derive(Clone, Debug, Default)]
pub struct ContentsOutside {
    /// The requested group, then the others in the order in which they were found.
    roots: Vec<Root>,
    /// The folder of each array and group in the copy, relative to its root, by the URI of the original.
    places: HashMap<String, String>,
    /// Folders of the copy that are in use.
    taken: HashSet<String>,
    left: Vec<String>,
}

/// The contents of one folder.
#[derive(Clone, Debug)]
struct Root {
    contents: Contents,
    /// The folder for these contents in the copy.
    to: String,
    /// Number of groups on the way to this folder.
    depth: u64,
    /// Members outside of this folder: their group, the member, and its URI.
    members: Vec<(String, GroupMember, String)>,
}

impl ContentsOutside {
    /// Returns the total size; see [`Contents::size`].
    ///
    /// # Errors
    /// Any error of the store.
    pub fn size(&self) -> Result<ContentsSize, ArrayError> {
        let mut roots = self.roots.iter();
        roots.try_fold(ContentsSize::default(), |size, root| {
            Ok(size.plus(root.contents.size()?))
        })
    }

    /// Finds the members outside of `contents`; `find` returns the contents at a URI, or `None` if nothing exists
    /// there.
    ///
    /// Contents that several members name are included once.
    ///
    /// # Errors
    /// Errors of `find`, and as [`Contents::find`]; [`ArrayError::Limit`] if groups are nested too deeply.
    pub fn find<E: From<ArrayError>>(
        contents: Contents,
        mut find: impl FnMut(&str) -> Result<Option<Contents>, E>,
    ) -> Result<Self, E> {
        let mut all = Self::default();
        let mut next = VecDeque::from([all.root(contents, String::new(), 0)]);
        while let Some(mut root) = next.pop_front() {
            let groups: Vec<String> = root.contents.groups().map(str::to_owned).collect();
            for group in groups {
                for (member, uri) in root.contents.outside(&group)? {
                    let Some(found) = find(&uri)? else {
                        all.left.push(uri);
                        continue;
                    };
                    let original = found.uri(found.prefix());
                    if !all.places.contains_key(&original) {
                        let depth = root.depth.exact_add(1).map_err(ArrayError::from)?;
                        let most = root.contents.limits().group_depth;
                        Limits::check("depth of groups", "group_depth", depth, most)
                            .map_err(ArrayError::from)?;
                        let folder = root.place(&group);
                        let folder = all.vacant(&folder, member.name.as_deref(), &uri);
                        next.push_back(all.root(found, folder, depth));
                    }
                    root.members.push((group.clone(), member, original));
                }
            }
            all.roots.push(root);
        }
        Ok(all)
    }

    /// Registers the contents of one folder, to be copied to `to`.
    fn root(&mut self, contents: Contents, to: String, depth: u64) -> Root {
        let root = Root {
            contents,
            to,
            depth,
            members: Vec::new(),
        };
        for (folder, _) in root.contents.folders() {
            let place = root.place(folder);
            let ends = place.match_indices('/').map(|(end, _)| end);
            let above = ends.filter_map(|end| place.get(..end));
            self.taken.extend(above.map(str::to_owned));
            self.taken.insert(place.clone());
            self.places
                .entry(root.contents.uri(folder))
                .or_insert(place);
        }
        self.left.extend_from_slice(root.contents.missing());
        root
    }

    /// Returns an unused folder for a member within `folder`, called like the member or the last part of its URI, if
    /// that is a valid name.
    fn vacant(&self, folder: &str, name: Option<&str>, uri: &str) -> String {
        let last = uri.trim_end_matches('/').rsplit('/').next();
        let can_be =
            |name: &&str| !name.starts_with("__") && !name.contains('/') && check_key(name).is_ok();
        let mut names = name.into_iter().chain(last);
        let name = names.find(can_be).unwrap_or("member");
        let place = join(folder, name);
        let mut vacant = place.clone();
        for number in 2_u64.. {
            if !self.taken.contains(&vacant) {
                break;
            }
            vacant = format!("{place}-{number}");
        }
        vacant
    }

    /// Returns the URIs of all arrays and groups, with their types.
    pub fn folders(&self) -> impl Iterator<Item = (String, ObjectType)> {
        let roots = self.roots.iter().map(|root| &root.contents);
        roots.flat_map(|contents| {
            let folders = contents.folders();
            folders.map(|(folder, object_type)| (contents.uri(folder), object_type))
        })
    }

    /// Like [`Contents::unfinished`], with the URI of the folder.
    ///
    /// # Errors
    /// Any error of the store.
    pub fn unfinished(&self) -> Result<Option<(Work, String)>, ArrayError> {
        for Root { contents, .. } in &self.roots {
            if let Some((work, folder)) = contents.unfinished()? {
                return Ok(Some((work, contents.uri(&folder))));
            }
        }
        Ok(None)
    }

    /// Returns the URIs of members that do not exist.
    pub fn left(&self) -> &[String] {
        &self.left
    }

    /// Copies everything into an empty folder of a store; groups after their members, as [`Contents::copy`] does.
    /// Members that were outside become relative; those that are copied with another group get their absolute URI in
    /// the copy. `to_uri` is the URI of the store's root.
    ///
    /// # Errors
    /// As [`Contents::copy`].
    pub fn copy(
        &self,
        to: &Arc<dyn Store>,
        to_prefix: &str,
        to_uri: &str,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        check_vacant(&**to, to_prefix)?;
        for root in &self.roots {
            root.contents.check_objects()?;
        }
        let mut copying = Copying::new(to);
        let result = self.copy_with(&mut copying, to_prefix, to_uri, options);
        if result.is_err() {
            copying.take_back();
        }
        result
    }

    fn copy_with(
        &self,
        copying: &mut Copying<'_>,
        to_prefix: &str,
        to_uri: &str,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        for root in self.roots.iter().rev() {
            let mut changes: HashMap<String, Vec<MemberChange>> = HashMap::new();
            for (group, member, original) in &root.members {
                let Some(place) = self.places.get(original) else {
                    continue;
                };
                let of_group = changes.entry(group.clone()).or_default();
                of_group.extend(match inside(&root.place(group), place) {
                    Some(path) => moved(member, path, true),
                    None => {
                        let uri = join_folders(to_uri, &join_folders(to_prefix, place));
                        moved(member, &uri, false)
                    }
                });
            }
            let folder = join_folders(to_prefix, &root.to);
            (root.contents).copy_with(copying, &folder, &changes, options)?;
        }
        Ok(())
    }
}

impl Root {
    /// Returns the place that a folder of the original has in the copy.
    fn place(&self, folder: &str) -> String {
        join_folders(&self.to, below(self.contents.prefix(), folder))
    }
}
