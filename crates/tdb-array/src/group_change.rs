//! Changes of a group: its members and its metadata.

use std::collections::BTreeMap;

use tdb_tile::{FormatVersion, Record};

use crate::directory::GROUP_FOLDER;
use crate::put::{later_id, names_in, put_metadata, put_tile};
use crate::{
    ArrayError, At, ChangeOptions, Group, GroupDetails, GroupMember, MetadataRecord, ObjectType,
    TimestampedName, UriTarget,
};

/// One change of the members of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberChange {
    /// Adds a member; replaces one with the same name, or with the same URI if there is no name.
    Add {
        /// The URI of the member; a path below the group if `relative`.
        uri: String,
        /// The name of the member in the group.
        name: Option<String>,
        /// True if the URI is relative to the group.
        relative: bool,
        /// The type of the member.
        object_type: ObjectType,
    },
    /// Removes a member by its name, or by its URI if only one member has that.
    Remove(String),
}

impl Group {
    /// Sets and removes metadata in one change: a record without a value removes its key. If several records have the
    /// same key, the last one counts. The metadata is encrypted with the key with which the group was opened.
    ///
    /// # Errors
    /// A value of datatype `any`, or any error of the store.
    pub fn put_metadata(
        &self,
        records: Vec<MetadataRecord>,
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        put_metadata(self.location(), records, options)
    }

    /// Changes the members in one step. The stored object contains all members of the group as it was opened, with the
    /// changes.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] for a member that does not exist, that is changed twice, or that is the group itself;
    /// [`ArrayError::EscapesRoot`] for a relative URI that leads out of the group; or any error of the store.
    pub fn change_members(
        &self,
        changes: &[MemberChange],
        options: &ChangeOptions,
    ) -> Result<(), ArrayError> {
        if changes.is_empty() {
            return Ok(());
        }
        let version = self.details_version();
        let details = GroupDetails {
            version,
            members: self.changed(changes, version)?,
        };
        let time = options.time();
        let others = names_in(self.location(), GROUP_FOLDER)?;
        let id = later_id(options, time, &others)?;
        let form = FormatVersion::new(version);
        let name = TimestampedName::versioned(time, time, id, form).at("name")?;
        let key = format!("{GROUP_FOLDER}/{name}");
        let payload = details.encode(FormatVersion::WRITTEN, &()).at(&key)?;
        put_tile(self.location(), &key, &payload)
    }

    /// Returns the members to store: in version 2 with the removed ones, in version 1 without them.
    fn changed(
        &self,
        changes: &[MemberChange],
        version: u32,
    ) -> Result<Vec<GroupMember>, ArrayError> {
        let keyed = self.members().iter().cloned();
        let mut members: BTreeMap<String, GroupMember> = keyed
            .map(|member| (member.key().to_owned(), member))
            .collect();
        let mut changed: Vec<String> = Vec::new();
        for change in changes {
            let member = match change {
                MemberChange::Add {
                    uri,
                    name,
                    relative,
                    object_type,
                } => self.added(uri, name.as_deref(), *relative, *object_type)?,
                MemberChange::Remove(name) => GroupMember {
                    deleted: true,
                    ..self.member_called(name)?.clone()
                },
            };
            let key = member.key().to_owned();
            if changed.contains(&key) {
                return Err(member_error(&key, "is changed twice at once"));
            }
            members.insert(key.clone(), member);
            changed.push(key);
        }
        let all = members.into_values();
        let kept = all.filter(|member| version > 1 || !member.deleted);
        Ok(kept
            .map(|member| GroupMember { version, ..member })
            .collect())
    }

    fn added(
        &self,
        uri: &str,
        name: Option<&str>,
        relative: bool,
        object_type: ObjectType,
    ) -> Result<GroupMember, ArrayError> {
        if uri.is_empty() || name == Some("") {
            return Err(member_error(
                uri,
                "needs a URI, and a name that is not empty",
            ));
        }
        let member = GroupMember {
            version: GroupDetails::NEWEST,
            object_type,
            relative,
            uri: uri.to_owned(),
            name: name.map(str::to_owned),
            deleted: false,
        };
        if relative {
            self.member_prefix(&member)?;
        }
        if self.target(&member) == UriTarget::Inside(self.prefix().to_owned()) {
            return Err(member_error(uri, "is the group itself"));
        }
        Ok(member)
    }

    /// Returns the member with this name or, if only one has it, with this URI, as stored or resolved.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if there is none, or more than one.
    pub fn member_called(&self, name: &str) -> Result<&GroupMember, ArrayError> {
        let mut all = self.members().iter();
        if let Some(member) = all.find(|member| member.key() == name) {
            return Ok(member);
        }
        let has_uri = |m: &&GroupMember| m.uri == name || self.member_uri(m) == name;
        let mut found = self.members().iter().filter(has_uri);
        match (found.next(), found.next()) {
            (Some(member), None) => Ok(member),
            (Some(_), Some(_)) => Err(member_error(name, "is a URI that several members have")),
            (None, _) => Err(member_error(name, "is not there")),
        }
    }
}

fn member_error(name: &str, why: &'static str) -> ArrayError {
    ArrayError::Invalid {
        what: "member",
        name: name.to_owned(),
        why,
    }
}
