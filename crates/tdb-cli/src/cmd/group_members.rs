//! `tdb group add` and `tdb group rm`.

use std::io::Write;

use clap::Args;
use serde_json::{Map, Value as Json, json};
use tdb::engine::array::{ChangeOptions, GroupMember};
use tdb::engine::tile::Code;
use tdb::{AddOptions, Group, MemberPlace};

use super::change::{self, tell_later};
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::visible;

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// A group
    group: String,
    /// An array or group
    uri: String,
    /// Name of the member [default: the last part of its path]
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Fail if the member lies outside the group; one inside is stored relative to it by default
    #[arg(long)]
    relative: bool,
    /// Store the whole URI even inside the group; it breaks when the group is moved
    #[arg(long, conflicts_with = "relative")]
    absolute: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// A group
    group: String,
    /// The member's name; its URI, if it has none
    #[arg(allow_hyphen_values = true)]
    name: String,
    /// Print which member would be removed, without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn add(arguments: &Add, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let (group, change) = open(&arguments.group, global)?;
    let mut options = AddOptions::default();
    options.name.clone_from(&arguments.name);
    options.place = match (arguments.relative, arguments.absolute) {
        (true, _) => MemberPlace::Relative,
        (false, true) => MemberPlace::Absolute,
        (false, false) => MemberPlace::Any,
    };
    options.change = change;
    let member = group.add_with(&arguments.uri, &options)?;
    tell_later(group.engine().later_changes(), global, out);
    if global.json {
        return write_json(out, &Json::Object(member_json(&group, &member)));
    }
    let how = if member.relative {
        "kept relative to the group"
    } else {
        "kept as a whole URI"
    };
    let member = shown(&group, &member);
    out.note(&format!("added {member}, {how}"));
    Ok(())
}

pub(crate) fn remove(arguments: &Rm, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let (group, change) = open(&arguments.group, global)?;
    let dry_run = arguments.dry_run;
    let member = if dry_run {
        group.member(&arguments.name)?.clone()
    } else {
        group.remove_with(&arguments.name, &change)?
    };
    tell_later(group.engine().later_changes(), global, out);
    if global.json {
        let mut told = member_json(&group, &member);
        told.insert("dry_run".to_owned(), json!(dry_run));
        return write_json(out, &Json::Object(told));
    }
    let member = shown(&group, &member);
    if dry_run {
        writeln!(out, "would remove {}", visible(&member))?;
    } else {
        out.note(&format!(
            "removed {member} from the group; it is kept where it is"
        ));
    }
    Ok(())
}

/// Formats a member as JSON, as `tdb group ls` prints it.
pub(super) fn member_json(group: &Group, member: &GroupMember) -> Map<String, Json> {
    let facts = [
        ("name", json!(member.name)),
        ("uri", json!(group.member_uri(member))),
        ("relative", json!(member.relative)),
        ("type", json!(member.object_type.name())),
    ];
    let members = facts.map(|(name, value)| (name.to_owned(), value));
    members.into_iter().collect()
}

/// Formats a member: `array "first" (file:///runs/first)`.
fn shown(group: &Group, member: &GroupMember) -> String {
    let (kind, uri) = (member.object_type.name(), group.member_uri(member));
    match &member.name {
        Some(name) => format!("{kind} {name:?} ({uri})"),
        None => format!("{kind} {uri}"),
    }
}

/// Opens the group as of the time of the change.
fn open(uri: &str, global: &Global) -> Result<(Group, ChangeOptions), Failure> {
    let context = context(global)?;
    let options = change::options(global)?;
    let opener = change::opener(context, global);
    Ok((opener.group_of_uri(uri)?, options))
}
