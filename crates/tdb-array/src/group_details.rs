use std::collections::BTreeMap;

use bytes::Bytes;
use tdb_tile::{FormatVersion, Limits, Record, Walk, WireError, WireErrorKind};

use crate::ObjectType;

/// The content of an object in a group's `__group` folder: its members, or changes of them.
///
/// It has its own version, 1 or 2, independent of the format version: see `docs/format/groups.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupDetails {
    /// 1: the complete list of members. 2: changes of the earlier details.
    pub version: u32,
    /// The members, in any order.
    pub members: Vec<GroupMember>,
}

/// A member of a group; in a [`GroupDetails`] of version 2 perhaps the removal of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMember {
    /// 1, or 2 for a record that can be a removal.
    pub version: u32,
    /// The type of the member when it was added.
    pub object_type: ObjectType,
    /// True if the URI is relative to the group.
    pub relative: bool,
    /// The URI of the member.
    pub uri: String,
    /// The name of the member in the group, if it has one.
    pub name: Option<String>,
    /// True if this record removes the member.
    pub deleted: bool,
}

impl GroupMember {
    /// Returns the key that identifies a member: its name, or its URI if it has none.
    pub fn key(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.uri)
    }
}

impl Record for GroupDetails {
    const NAME: &'static str = "GroupDetails";
    const MIN_SIZE: usize = 12;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &()) -> Result<(), WireError> {
        let Self { version, members } = self;
        w.scalar("version", version)?;
        check_version(w, *version)?;
        let count = w.count::<u64>("members", members.len())?;
        w.list("members", count, members, cx)
    }
}

impl Record for GroupMember {
    const NAME: &'static str = "GroupMember";
    const MIN_SIZE: usize = 15;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            version,
            object_type,
            relative,
            uri,
            name,
            deleted,
        } = self;
        w.scalar("version", version)?;
        check_version(w, *version)?;
        w.set_version(FormatVersion::new(*version));
        w.code("object_type", object_type)?;
        w.flag("relative", relative)?;
        w.text64("uri", uri)?;
        let mut named = name.is_some();
        w.flag("named", &mut named)?;
        if named {
            w.text64("name", name.get_or_insert_default())?
        } else {
            *name = None
        }
        w.flag_since(2, "deleted", deleted)
    }
}

fn check_version<W: Walk>(w: &W, version: u32) -> Result<(), WireError> {
    match version {
        0 => Err(w.fail(
            "version",
            WireErrorKind::Invalid("there is no format version 0"),
        )),
        1..=GroupDetails::NEWEST => Ok(()),
        found => Err(w.fail(
            "version",
            WireErrorKind::NewerVersion {
                found,
                newest: GroupDetails::NEWEST,
            },
        )),
    }
}

impl GroupDetails {
    /// The newest version of these records.
    pub(crate) const NEWEST: u32 = 2;

    /// Decodes the payload of a details object.
    ///
    /// # Errors
    /// The bytes break the format or exceed `limits`.
    pub fn open(bytes: &Bytes, limits: &Limits) -> Result<Self, WireError> {
        // The version of the record is part of its bytes.
        Self::decode(bytes, FormatVersion::WRITTEN, &(), limits)
    }

    /// Returns the members that result from details in the order of their objects. The members are sorted by key,
    /// without the removed ones.
    ///
    /// If the last details are of version 1, they alone count.
    pub fn replay(details: Vec<Self>) -> Vec<GroupMember> {
        let skipped = match details.as_slice() {
            [before @ .., last] if last.version == 1 => before.len(),
            _ => 0,
        };
        let mut members = BTreeMap::new();
        for member in details.into_iter().skip(skipped).flat_map(|d| d.members) {
            let key = member.key().to_owned();
            if member.deleted {
                members.remove(&key)
            } else {
                members.insert(key, member)
            };
        }
        members.into_values().collect()
    }
}
