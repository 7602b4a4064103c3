//! A group on one screen.

use std::io::Write;

use serde_json::{Value as Json, json};
use tdb_array::{Group, Metadata};
use tdb_tile::Code;

use crate::cmd::schema::section;
use crate::failure::Failure;
use crate::output::Output;
use crate::paint::{Role, Table, plural, visible};

pub(super) fn write(
    group: &Group,
    metadata: &Metadata,
    uri: &str,
    out: &mut Output,
) -> Result<(), Failure> {
    let title = out.look.paint(Role::Title, &visible(uri));
    writeln!(out, "Group {title}")?;
    writeln!(
        out,
        "{}, {} of metadata",
        plural(group.members().len() as u64, "member"),
        plural(metadata.len() as u64, "key"),
    )?;
    let mut table = Table::new(&["member", "type", "uri"]);
    for member in group.members() {
        table.painted([
            (Role::Title, member.key().to_owned()),
            (Role::Type, member.object_type.name().to_owned()),
            (Role::Dim, group.member_uri(member)),
        ]);
    }
    section(table, out)
}

pub(super) fn json(group: &Group, metadata: &Metadata, uri: &str) -> Json {
    let members: Vec<Json> = (group.members().iter())
        .map(|member| {
            json!({
                "name": member.name,
                "uri": group.member_uri(member),
                "relative": member.relative,
                "type": member.object_type.name(),
            })
        })
        .collect();
    json!({
        "uri": uri,
        "kind": "group",
        "members": members,
        "metadata_keys": metadata.len(),
    })
}
