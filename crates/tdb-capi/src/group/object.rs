//! The object that a handle of a group stands for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tdb::engine::array::{
    ChangeOptions, GroupMember, MemberChange, Metadata, MetadataRecord, OpenOptions, TimeWindow,
    UriTarget,
};
use tdb::{ErrorKind, ObjectType, Settings, Time};

use crate::border::context::with_settings;
use crate::border::{Error, LentValues, Result};
use crate::constants::*;

/// The end of the time window that stands for "now".
const NOW: u64 = u64::MAX;

/// A group, which is open or not.
#[derive(Debug)]
pub(crate) struct Group {
    pub(super) uri: String,
    state: Mutex<State>,
    pub(super) lent: LentValues,
}

#[derive(Debug)]
struct State {
    engine: tdb::Context,
    settings: Settings,
    opened: Option<Arc<OpenedGroup>>,
}

/// An open group.
#[derive(Debug)]
pub(super) struct OpenedGroup {
    engine: tdb::Context,
    pub(super) group: tdb::Group,
    pub(super) query_type: tiledb_query_type_t,
    /// The time at which changes are written; `None` for the time of the change.
    time: Option<u64>,
    metadata: OnceLock<Metadata>,
    changes: Mutex<Changes>,
}

/// Changes, stored when the group is closed.
#[derive(Debug, Default)]
struct Changes {
    metadata: Vec<MetadataRecord>,
    members: Vec<MemberChange>,
    added: BTreeSet<String>,
    removed: BTreeSet<String>,
}

/// A member to be added.
pub(super) struct NewMember<'a> {
    pub(super) uri: &'a str,
    pub(super) name: Option<&'a str>,
    pub(super) is_relative: bool,
    /// `None` to look what is there.
    pub(super) object_type: Option<ObjectType>,
}

fn error(message: impl Into<String>) -> Error {
    Error::short("Group", message)
}

fn members_error(message: impl Into<String>) -> Error {
    Error::short("Group Details", message)
}

fn failed(error: tdb::Error) -> Error {
    self::error(error.to_string())
}

impl Group {
    pub(super) fn new(uri: &str, engine: tdb::Context, settings: Settings) -> Result<Self> {
        // As in TileDB, a slash at the end stays.
        let end = if uri.ends_with('/') { "/" } else { "" };
        let absolute = engine.files().absolute(uri).map_err(failed)?;
        Ok(Self {
            uri: format!("{}{end}", absolute.trim_end_matches('/')),
            state: Mutex::new(State {
                engine,
                settings,
                opened: None,
            }),
            lent: LentValues::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn settings(&self) -> Settings {
        self.lock().settings.clone()
    }

    /// Takes over settings, such as times, for the next time that the group is opened.
    pub(super) fn inherit(&self, settings: &Settings) -> Result<()> {
        let mut state = self.lock();
        if state.opened.is_some() {
            return Err(error("[set_config] Cannot set config; Group is open"));
        }
        state.settings.inherit(settings);
        state.engine = with_settings(&state.engine, &state.settings)?;
        Ok(())
    }

    pub(super) fn is_open(&self) -> bool {
        self.lock().opened.is_some()
    }

    /// Returns the open group.
    ///
    /// # Errors
    /// Fails if it is not open; `what` could not be done.
    pub(super) fn opened(&self, what: &str) -> Result<Arc<OpenedGroup>> {
        let opened = self.lock().opened.clone();
        opened.ok_or_else(|| error(format!("{what}; Group is not open")))
    }

    /// Returns the group, which must be open for reading.
    pub(super) fn read(&self, what: &str) -> Result<Arc<OpenedGroup>> {
        let opened = self.opened(what)?;
        if opened.query_type == TILEDB_READ {
            return Ok(opened);
        }
        Err(error(format!("{what}; Group was not opened in read mode")))
    }

    /// Returns the group, which must be open for changes.
    pub(super) fn change(&self, what: &str) -> Result<Arc<OpenedGroup>> {
        let opened = self.opened(what)?;
        if opened.query_type != TILEDB_READ {
            return Ok(opened);
        }
        Err(error(format!(
            "{what}; Group was not opened in write or modify_exclusive mode"
        )))
    }

    /// Opens the group for the window of times that its settings give.
    pub(super) fn open(&self, query_type: tiledb_query_type_t) -> Result<()> {
        let mut state = self.lock();
        if state.opened.is_some() {
            return Err(error("Cannot open group; Group already open"));
        }
        if !matches!(
            query_type,
            TILEDB_READ | TILEDB_WRITE | TILEDB_MODIFY_EXCLUSIVE
        ) {
            return Err(error("Cannot open group; Unsupported query type"));
        }
        let since = time_setting(&state.settings, "sm.group.timestamp_start")?;
        let end = time_setting(&state.settings, "sm.group.timestamp_end")?;
        let at = if end == NOW { Time::now().0 } else { end };
        let options = OpenOptions::default().window(TimeWindow { since, at });
        let opening = state.engine.open_group_with(&self.uri, options);
        let group = opening.map_err(|found| match found.kind() {
            ErrorKind::NotFound => error("Cannot open group; Group does not exist."),
            _ => failed(found),
        })?;
        state.opened = Some(Arc::new(OpenedGroup {
            engine: state.engine.clone(),
            group,
            query_type,
            time: (end != NOW).then_some(end),
            metadata: OnceLock::new(),
            changes: Mutex::default(),
        }));
        Ok(())
    }

    /// Closes the group, after storing what was changed. A group that is closed stays so.
    pub(super) fn close(&self) -> Result<()> {
        let opened = self.lock().opened.take();
        opened.map_or(Ok(()), |opened| opened.flush())
    }

    /// Removes a group from its store, and closes this one without storing its changes.
    pub(super) fn delete(&self, uri: &str, is_recursive: bool) -> Result<()> {
        let Some(opened) = self.lock().opened.clone() else {
            return Err(error("[delete_group] Group is not open"));
        };
        if opened.query_type != TILEDB_MODIFY_EXCLUSIVE {
            let text = "[delete_group] Query type must be MODIFY_EXCLUSIVE";
            return Err(error(text));
        }
        let deleted = opened.engine.delete_group(uri, is_recursive);
        deleted.map_err(failed)?;
        self.lock().opened = None;
        Ok(())
    }
}

fn time_setting(settings: &Settings, name: &str) -> Result<u64> {
    let text = settings.get(name).unwrap_or("");
    text.parse().map_err(|_| {
        let text = format!("Cannot open group; {name}={text} is not a time in milliseconds");
        error(text)
    })
}

impl OpenedGroup {
    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the metadata, read when they are first asked for.
    pub(super) fn metadata(&self) -> Result<&Metadata> {
        if let Some(metadata) = self.metadata.get() {
            return Ok(metadata);
        }
        let metadata = self.group.metadata().map_err(failed)?;
        Ok(self.metadata.get_or_init(|| metadata))
    }

    pub(super) fn change_metadata(&self, record: MetadataRecord) {
        self.changes().metadata.push(record);
    }

    /// Adds a member when the group is closed.
    pub(super) fn add(&self, member: &NewMember<'_>) -> Result<()> {
        let mut added = GroupMember {
            uri: member.uri.to_owned(),
            name: member.name.map(str::to_owned),
            relative: member.is_relative,
            ..GroupMember::default()
        };
        if !member.is_relative {
            added.uri = self.engine.files().absolute(member.uri).map_err(failed)?;
        }
        let group = self.group.engine();
        if group.target(&added) == UriTarget::Inside(group.prefix().to_owned()) {
            let text = format!("Cannot add group member {}, it is the group", added.key());
            return Err(members_error(text));
        }
        added.object_type = match member.object_type {
            Some(object_type) => object_type,
            None => {
                let uri = group.member_uri(&added);
                self.engine.found_type(&uri).map_err(failed)?
            }
        };
        let mut changes = self.changes();
        if !changes.added.insert(added.key().to_owned()) {
            return Err(already(&added, "add", "added"));
        }
        changes.members.push(MemberChange::Add {
            uri: added.uri,
            name: added.name,
            relative: added.relative,
            object_type: added.object_type,
        });
        Ok(())
    }

    /// Removes a member by its name or its URI when the group is closed.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        let member = self.known(name)?;
        let mut changes = self.changes();
        if changes.added.contains(member.key()) {
            return Err(already(member, "remove", "added"));
        }
        if !changes.removed.insert(member.key().to_owned()) {
            return Err(already(member, "remove", "removed"));
        }
        let removed = MemberChange::Remove(member.key().to_owned());
        changes.members.push(removed);
        Ok(())
    }

    /// Returns the member with this name or, if only one has it, this URI.
    fn known(&self, name: &str) -> Result<&GroupMember> {
        let absolute = self.engine.files().absolute(name).ok();
        let names: Vec<&str> = [Some(name), absolute.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        let members = self.group.members();
        let is_named = |member: &&GroupMember| names.contains(&member.key());
        if let Some(member) = members.iter().find(is_named) {
            return Ok(member);
        }
        let has_uri = |member: &&GroupMember| names.contains(&&*member.uri);
        let mut found = members.iter().filter(has_uri);
        let why = match (found.next(), found.next()) {
            (Some(member), None) => return Ok(member),
            (None, _) => "member does not exist in group",
            (Some(_), Some(_)) => {
                "there are multiple members with the same URI, please remove by name"
            }
        };
        Err(members_error(format!(
            "Cannot remove group member {name}, {why}."
        )))
    }

    /// Returns a member by its name. One without a name has none, though it has a URI.
    pub(super) fn named(&self, name: &str) -> Result<&GroupMember> {
        let mut members = self.group.members().iter();
        let named = members.find(|member| member.name.as_deref() == Some(name));
        named.ok_or_else(|| members_error(format!("{name} does not exist in group")))
    }

    /// Returns a member by its number.
    pub(super) fn numbered(&self, index: u64) -> Result<&GroupMember> {
        let members = self.group.members();
        let found = usize::try_from(index).ok().and_then(|at| members.get(at));
        found.ok_or_else(|| {
            let count = members.len();
            members_error(format!("index {index} is larger than member count {count}"))
        })
    }

    /// Stores the changes.
    fn flush(&self) -> Result<()> {
        let changes = std::mem::take(&mut *self.changes());
        let options = ChangeOptions::default().timestamp(self.time);
        let group = self.group.engine();
        let stored_metadata = if changes.metadata.is_empty() {
            Ok(())
        } else {
            group.put_metadata(changes.metadata, &options)
        };
        let stored =
            stored_metadata.and_then(|()| group.change_members(&changes.members, &options));
        stored.map_err(|found| failed(found.into()))
    }

    /// Returns the group and its members as text: a line each, in TileDB's layout.
    pub(super) fn dump(&self, is_recursive: bool) -> String {
        let mut out = format!(
            "{} GROUP\n",
            tdb::engine::store::name(&self.group.engine().uri())
        );
        let mut path = vec![self.group.engine().uri()];
        self.dump_members(&self.group, is_recursive, &mut path, &mut out);
        out
    }

    fn dump_members(
        &self,
        group: &tdb::Group,
        is_recursive: bool,
        path: &mut Vec<String>,
        out: &mut String,
    ) {
        // Two dashes, and four more for each level.
        let dashes = "-".repeat(4 * path.len() - 2);
        for member in group.members() {
            let uri = group.member_uri(member);
            let name = tdb::engine::store::name(&uri);
            let name = member.name.as_deref().unwrap_or(name);
            let kind = match member.object_type {
                ObjectType::Array => "ARRAY",
                ObjectType::Group => "GROUP",
                ObjectType::Invalid => "INVALID",
            };
            out.push_str(&format!("|{dashes} {name} {kind}"));
            let goes_on =
                is_recursive && member.object_type == ObjectType::Group && !path.contains(&uri);
            if !goes_on {
                out.push('\n');
                continue;
            }
            let Ok(inner) = self.engine.open_group(&uri) else {
                out.push_str(" (does not exist)\n");
                continue;
            };
            out.push('\n');
            path.push(uri);
            self.dump_members(&inner, is_recursive, path, out);
            path.pop();
        }
    }
}

fn already(member: &GroupMember, what: &str, happened: &str) -> Error {
    let key = member.key();
    members_error(format!(
        "Cannot {what} group member {key}, a member with the same name or URI has already been {happened}."
    ))
}
