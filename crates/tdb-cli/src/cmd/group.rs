//! `tdb group`: lists, creates and changes groups.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tdb::engine::tile::Code;

use super::{group_members, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, Table, or_blank};

/// What to do with a group.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List the members, including those outside the group
    Ls(Ls),
    /// Create a group without members
    #[command(after_help = "Example:\n  tdb group create target/runs")]
    Create(Create),
    /// Add a member, or replace the member of that name
    #[command(after_help = "Example:\n  tdb group add target/runs target/weather --name first")]
    Add(group_members::Add),
    /// Remove a member from the group; the array or group itself is kept
    #[command(after_help = "Example:\n  tdb group rm target/runs first")]
    Rm(group_members::Rm),
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// URI of the new group
    uri: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb group ls fixtures/v22_group/group")]
pub(crate) struct Ls {
    /// A group
    uri: String,
}

pub(crate) fn run(verb: &Verb, global: &Global, out: &mut Output) -> Result<(), Failure> {
    match verb {
        Verb::Ls(Ls { uri }) => list(uri, global, out),
        Verb::Create(Create { uri }) => create(uri, global, out),
        Verb::Add(arguments) => group_members::add(arguments, global, out),
        Verb::Rm(arguments) => group_members::remove(arguments, global, out),
    }
}

fn create(uri: &str, global: &Global, out: &mut Output) -> Result<(), Failure> {
    context(global)?.create_group(uri)?;
    if global.json {
        return write_json(out, &json!({ "uri": uri, "type": "group" }));
    }
    out.note(&format!("made {uri}: a group without members"));
    Ok(())
}

fn list(uri: &str, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let group = Opener::of_arguments(context(global)?, global).group_of_uri(uri)?;
    if global.json {
        let members = group
            .members()
            .iter()
            .map(|member| group_members::member_json(&group, member));
        return write_json(out, &members.map(Value::Object).collect());
    }
    let mut table = Table::new(&["name", "type", "relative", "uri"]);
    for member in group.members() {
        let relative = if member.relative { "yes" } else { "no" };
        table.painted([
            (Role::Title, or_blank(member.name.clone())),
            (Role::Type, member.object_type.name().to_owned()),
            (Role::Plain, relative.to_owned()),
            (Role::Plain, group.member_uri(member)),
        ]);
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}
