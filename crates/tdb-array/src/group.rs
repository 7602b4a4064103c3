use std::collections::HashSet;
use std::sync::Arc;

use tdb_store::Store;
use tdb_tile::Limits;

use crate::directory::{DatedObjects, GROUP_FOLDER, GROUP_MARKER, METADATA_FOLDER};
use crate::open::ObjectReader;
use crate::uri::{Base, UriTarget};
use crate::{
    ArrayError, At, GroupDetails, GroupMember, LaterObjects, Location, Metadata, Names, ObjectType,
    OpenOptions, Warning,
};

/// A group, seen at a time: its members, and its metadata on request.
///
/// ```
/// use std::sync::Arc;
/// use tdb_array::{Group, OpenOptions};
/// use tdb_store::{MemoryStore, Store};
///
/// let store = MemoryStore::new();
/// store.put("fruit/__tiledb_group.tdb", "".into())?;
/// let group = Group::open(Arc::new(store), "fruit", "mem://here", OpenOptions::default())?;
/// assert_eq!(group.uri(), "mem://here/fruit");
/// assert!(group.members().is_empty() && group.metadata()?.is_empty());
/// # Ok::<(), tdb_array::ArrayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Group {
    pub(crate) place: ObjectReader,
    base: Base,
    members: Vec<GroupMember>,
    /// The version of the last details, 2 where there are none.
    version: u32,
    pub(crate) metadata: DatedObjects,
    /// Changes of the members that are of a later time.
    later: Option<LaterObjects>,
    warnings: Vec<Warning>,
}

impl Group {
    /// Opens the group in a folder of a store, without a key and with the usual limits; `store_uri` is where the store's root is, empty if
    /// that has no URI: absolute members inside the store are found by it.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] where no group is; as the store reports; members that break the format.
    pub fn open(
        store: Arc<dyn Store>,
        prefix: &str,
        store_uri: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        Self::open_location(&Location::new(store, prefix), store_uri, options)
    }

    /// Opens the group that is at a location; `store_uri` as for [`Group::open`].
    ///
    /// # Errors
    /// As [`Group::open`].
    pub fn open_location(
        location: &Location,
        store_uri: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        let base = Base::new(store_uri, location.prefix());
        Self::open_within(location, base, options)
    }

    /// The same where nothing leads out of the root of `base`.
    pub(crate) fn open_within(
        location: &Location,
        base: Base,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        let place = ObjectReader::new(location, options);
        let names = place.names(&["", GROUP_FOLDER, METADATA_FOLDER])?;
        if !is_group(&names) {
            return Err(ArrayError::NoSuch {
                what: "group",
                prefix: location.prefix().to_owned(),
            });
        }
        let details = DatedObjects::from_names(&names, GROUP_FOLDER);
        let mut all = Vec::new();
        for (key, tile) in place.replayed(GROUP_FOLDER, &details)? {
            all.push(GroupDetails::open(&tile.payload, place.location.limits()).at(&key)?);
        }
        let version = all.last().map_or(GroupDetails::NEWEST, |last| last.version);
        let metadata = DatedObjects::from_names(&names, METADATA_FOLDER);
        let strays = details.strays().chain(metadata.strays());
        let strays = strays.map(str::to_owned);
        let warnings = strays.map(|key| Warning::Stray { key }).collect();
        Ok(Self {
            members: GroupDetails::replay(all),
            version,
            later: LaterObjects::of_changes(place.options.window.at, &details),
            metadata,
            warnings,
            place,
            base,
        })
    }

    /// Where the group is kept.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.place.location.store()
    }

    /// Changes of the members that bear a later time than that for which the group was opened.
    pub fn later_changes(&self) -> Option<LaterObjects> {
        self.later
    }

    /// Objects of the metadata that bear a later time than that for which the group was opened.
    pub fn later_metadata(&self) -> Option<LaterObjects> {
        LaterObjects::of_metadata(self.window().at, &self.metadata)
    }

    /// Warnings about the group: oddities that are no reason to refuse it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The key, if the group is encrypted.
    pub fn key(&self) -> Option<&tdb_filters::EncryptionKey> {
        self.place.location.key()
    }

    /// The caps in force.
    pub fn limits(&self) -> &Limits {
        self.place.location.limits()
    }

    /// The span of time that the group was opened for.
    pub fn window(&self) -> crate::TimeWindow {
        self.place.options.window
    }

    /// The version of the records that say what the members are: 1 or 2.
    pub(crate) fn details_version(&self) -> u32 {
        self.version
    }

    /// Where the group is.
    pub fn location(&self) -> &Location {
        &self.place.location
    }

    /// The members, by name or, without one, URI.
    pub fn members(&self) -> &[GroupMember] {
        &self.members
    }

    /// The URI of the group; its folder, if its store has no URI.
    pub fn uri(&self) -> String {
        self.base.uri(self.place.location.prefix())
    }

    /// The folder of the group in its store.
    pub fn prefix(&self) -> &str {
        self.place.location.prefix()
    }

    /// Where a member is.
    pub fn target(&self, member: &GroupMember) -> UriTarget {
        let within = self.place.location.prefix();
        self.base.resolve(within, &member.uri, member.relative)
    }

    /// The URI of a member, resolved against that of the group.
    pub fn member_uri(&self, member: &GroupMember) -> String {
        match self.target(member) {
            UriTarget::Inside(prefix) => self.base.uri(&prefix),
            UriTarget::Outside(uri) => uri,
        }
    }

    /// The folder of a member in the store of the group.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] for a member that lies outside of the group that was opened first.
    pub fn member_prefix(&self, member: &GroupMember) -> Result<String, ArrayError> {
        match self.target(member) {
            UriTarget::Inside(prefix) => Ok(prefix),
            UriTarget::Outside(_) => Err(ArrayError::EscapesRoot {
                key: self.uri(),
                uri: member.uri.clone(),
            }),
        }
    }

    /// Opens a member that is a group. What is inside is told as this group tells it.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`], and as [`Group::open`].
    pub fn open_member(&self, member: &GroupMember) -> Result<Self, ArrayError> {
        let prefix = self.member_prefix(member)?;
        let (base, options) = (self.base.clone(), self.place.options.clone());
        Self::open_within(&self.location().at(&prefix), base, options)
    }

    /// The group's metadata at the time it was opened for; read anew each time.
    ///
    /// # Errors
    /// As the store reports; objects that break the format.
    pub fn metadata(&self) -> Result<Metadata, ArrayError> {
        self.place.metadata(&self.metadata)
    }

    /// All members, and theirs, down to the last: each group before what is in it.
    ///
    /// Members that lie outside are told, and not looked into; so are groups that came up before, since
    /// there may be any number of ways to them.
    ///
    /// # Errors
    /// [`ArrayError::Cycle`], [`ArrayError::Limit`] for groups too deep in one another, and as
    /// [`Group::open_member`].
    pub fn walk(&self) -> Result<Vec<Descendant>, ArrayError> {
        let limits = self.limits().clone();
        let mut found = Vec::new();
        // What is still to be told, the next one last; and the groups above that one.
        let mut todo = pending(self, 1);
        let mut path = vec![self.clone()];
        let mut seen = HashSet::new();
        while let Some((depth, member)) = todo.pop() {
            path.truncate(depth);
            let Some(parent) = path.last() else {
                break;
            };
            let target = parent.target(&member);
            let opened = match (&target, member.object_type) {
                (UriTarget::Inside(prefix), ObjectType::Group) => {
                    if let Some(again) = path.iter().find(|group| group.prefix() == prefix) {
                        return Err(ArrayError::Cycle { uri: again.uri() });
                    }
                    let deep = path.len() as u64;
                    Limits::check("depth of groups", "group_depth", deep, limits.group_depth)?;
                    if seen.insert(prefix.clone()) {
                        Some(parent.open_member(&member)?)
                    } else {
                        None
                    }
                }
                _ => None,
            };
            found.push(Descendant {
                uri: parent.member_uri(&member),
                depth,
                member,
                target,
            });
            if let Some(group) = opened {
                todo.append(&mut pending(&group, depth.saturating_add(1)));
                path.push(group);
            }
        }
        Ok(found)
    }
}

/// A member of a group, or of a group in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descendant {
    /// 1 for members of the group itself, 2 for theirs, and so on.
    pub depth: usize,
    /// What its own group says of it.
    pub member: GroupMember,
    /// Where it is.
    pub target: UriTarget,
    /// Its URI, resolved.
    pub uri: String,
}

fn pending(group: &Group, depth: usize) -> Vec<(usize, GroupMember)> {
    let members = group.members().iter().rev();
    members.map(|member| (depth, member.clone())).collect()
}

fn is_group(names: &Names) -> bool {
    names.folders_in("").any(|folder| folder == GROUP_FOLDER)
        || names.objects_in("").any(|key| key == GROUP_MARKER)
}
