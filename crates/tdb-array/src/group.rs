use std::collections::HashSet;
use std::sync::Arc;

use tdb_store::Store;
use tdb_tile::{Exact, Limits};

use crate::directory::{DatedObjects, GROUP_FOLDER, GROUP_MARKER, METADATA_FOLDER};
use crate::open::ObjectReader;
use crate::uri::{Base, UriTarget};
use crate::{
    ArrayError, At, GroupDetails, GroupMember, LaterObjects, Location, Metadata, Names, ObjectType,
    OpenOptions, Warning,
};

/// A group, opened as of a time: its members, and on request its metadata.
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
    /// The version of the last details object; 2 if there is none.
    version: u32,
    pub(crate) metadata: DatedObjects,
    /// Changes of the members that are later than the requested time.
    later: Option<LaterObjects>,
    warnings: Vec<Warning>,
}

impl Group {
    /// Opens the group in a folder of a store, without encryption key and with default limits. `store_uri` is the URI
    /// of the store's root, by which absolute URIs of members inside the store are recognized; empty if there is none.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] if there is no group; members that break the format; or any error of the store.
    pub fn open(
        store: Arc<dyn Store>,
        prefix: &str,
        store_uri: &str,
        options: OpenOptions,
    ) -> Result<Self, ArrayError> {
        Self::open_location(&Location::new(store, prefix), store_uri, options)
    }

    /// Opens the group at a location; `store_uri` as for [`Group::open`].
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

    /// Opens the group at a location; members count as inside if they are in the root of `base`.
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
        let strays = details.strays().chain(metadata.strays()).map(str::to_owned);
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

    /// Returns the store of the group.
    pub fn store(&self) -> &Arc<dyn Store> {
        self.place.location.store()
    }

    /// Returns the changes of members that are later than the time for which the group was opened; `None` if there are
    /// none.
    pub fn later_changes(&self) -> Option<LaterObjects> {
        self.later
    }

    /// Returns the metadata objects that are later than the time for which the group was opened; `None` if there are
    /// none.
    pub fn later_metadata(&self) -> Option<LaterObjects> {
        LaterObjects::of_metadata(self.window().at, &self.metadata)
    }

    /// Returns warnings: irregularities that do not prevent reading the group.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns the encryption key; `None` if the group is not encrypted.
    pub fn key(&self) -> Option<&tdb_filters::EncryptionKey> {
        self.place.location.key()
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> &Limits {
        self.place.location.limits()
    }

    /// Returns the time window for which the group was opened.
    pub fn window(&self) -> crate::TimeWindow {
        self.place.options.window
    }

    /// Returns the version of the records with the members, 1 or 2.
    pub(crate) fn details_version(&self) -> u32 {
        self.version
    }

    /// Returns the location of the group.
    pub fn location(&self) -> &Location {
        &self.place.location
    }

    /// Returns the members, sorted by name, or by URI if they have no name.
    pub fn members(&self) -> &[GroupMember] {
        &self.members
    }

    /// Returns the URI of the group; its folder if the store has no URI.
    pub fn uri(&self) -> String {
        self.base.uri(self.place.location.prefix())
    }

    /// Returns the folder of the group in its store.
    pub fn prefix(&self) -> &str {
        self.place.location.prefix()
    }

    /// Returns the location of a member.
    pub fn target(&self, member: &GroupMember) -> UriTarget {
        let within = self.place.location.prefix();
        self.base.resolve(within, &member.uri, member.relative)
    }

    /// Returns the URI of a member, resolved against that of the group.
    pub fn member_uri(&self, member: &GroupMember) -> String {
        match self.target(member) {
            UriTarget::Inside(prefix) => self.base.uri(&prefix),
            UriTarget::Outside(uri) => uri,
        }
    }

    /// Returns the folder of a member in the store of the group.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`] for a member outside of the group that was opened first.
    pub fn member_prefix(&self, member: &GroupMember) -> Result<String, ArrayError> {
        match self.target(member) {
            UriTarget::Inside(prefix) => Ok(prefix),
            UriTarget::Outside(_) => Err(ArrayError::EscapesRoot {
                key: self.uri(),
                uri: member.uri.clone(),
            }),
        }
    }

    /// Opens a member that is a group. Members inside the group that was opened first also count as inside here.
    ///
    /// # Errors
    /// [`ArrayError::EscapesRoot`], and as [`Group::open`].
    pub fn open_member(&self, member: &GroupMember) -> Result<Self, ArrayError> {
        let prefix = self.member_prefix(member)?;
        let (base, options) = (self.base.clone(), self.place.options.clone());
        Self::open_within(&self.location().at(&prefix), base, options)
    }

    /// Reads the group's metadata as of the time for which it was opened. Each call reads it from the store.
    ///
    /// # Errors
    /// Objects that break the format, or any error of the store.
    pub fn metadata(&self) -> Result<Metadata, ArrayError> {
        self.place.metadata(&self.metadata)
    }

    /// Returns all members, their members, and so on; each group before its members.
    ///
    /// Members outside are included, but not opened. A group that is reached several times is opened only once, since
    /// the number of paths to a group is unlimited.
    ///
    /// # Errors
    /// [`ArrayError::Cycle`]; [`ArrayError::Limit`] if groups are nested too deeply; and as [`Group::open_member`].
    pub fn walk(&self) -> Result<Vec<Descendant>, ArrayError> {
        let limits = self.limits().clone();
        let mut found = Vec::new();
        // `todo` is a stack of the members to visit; `path` contains the groups above its top.
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
                todo.append(&mut pending(&group, depth.exact_add(1)?));
                path.push(group);
            }
        }
        Ok(found)
    }
}

/// A member of a group, or of a group inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descendant {
    /// 1 for members of the group itself, 2 for members of these, and so on.
    pub depth: usize,
    /// The member as its own group describes it.
    pub member: GroupMember,
    /// The location of the member.
    pub target: UriTarget,
    /// The resolved URI of the member.
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
