//! The summary of a group on one screen.

use std::io::Write;

use serde_json::{Map, Value as Json, json};
use tdb::engine::array::{Group, GroupMember, Metadata, ObjectType};
use tdb::engine::tile::Code;
use tdb::place::Place;

use crate::cmd::cells::CellNumbers;
use crate::cmd::meta;
use crate::cmd::schema::section;
use crate::failure::Failure;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, Table, plural, visible};

/// Facts shown in the summary of a group.
pub(super) struct Facts<'a> {
    group: &'a Group,
    metadata: &'a Metadata,
    /// Cell counts per member; `None` for members that are not arrays within the group.
    cells: Vec<Option<Result<CellNumbers, Failure>>>,
}

impl<'a> Facts<'a> {
    /// Opens the member arrays; members outside the group are not opened.
    pub(super) fn gather(
        group: &'a Group,
        metadata: &'a Metadata,
        location: &Place,
        opener: &Opener,
    ) -> Self {
        let cells = |member: &GroupMember| {
            let is_array = member.object_type == ObjectType::Array;
            let prefix = is_array
                .then(|| group.member_prefix(member).ok())
                .flatten()?;
            let place = Place {
                location: location.location.at(&prefix),
                ..location.clone()
            };
            Some(opener.among_others(|opener| CellNumbers::of(opener.array(&place)?.engine())))
        };
        Self {
            group,
            metadata,
            cells: group.members().iter().map(cells).collect(),
        }
    }

    /// Warnings of the group, and of members that cannot be opened.
    pub(super) fn warnings(&self) -> Vec<String> {
        let members = self.group.members().iter().zip(&self.cells);
        let failed = members.filter_map(|(member, cells)| match cells {
            Some(Err(failure)) => Some(format!("member {:?}: {}", member.key(), failure.text())),
            _ => None,
        });
        let own = self.group.warnings().iter().map(ToString::to_string);
        own.chain(failed).collect()
    }

    pub(super) fn write(&self, uri: &str, ticks: bool, out: &mut Output) -> Result<(), Failure> {
        let title = out.look.paint(Role::Title, &visible(uri));
        writeln!(out, "Group {title}")?;
        writeln!(
            out,
            "{}, {} of metadata",
            plural(self.group.members().len() as u64, "member"),
            plural(self.metadata.len() as u64, "key"),
        )?;
        let mut table = Table::new(&["member", "type", "cells", "uri"]);
        for (member, cells) in self.group.members().iter().zip(&self.cells) {
            table.painted([
                (Role::Title, member.key().to_owned()),
                (Role::Type, member.object_type.name().to_owned()),
                (Role::Plain, text(cells.as_ref())),
                (Role::Dim, whereabouts(self.group, member)),
            ]);
        }
        section(table, out)?;
        section(meta::table(self.metadata, ticks), out)
    }

    pub(super) fn json(&self, uri: &str, ticks: bool) -> Json {
        let members: Vec<Json> = self
            .group
            .members()
            .iter()
            .zip(&self.cells)
            .map(|(member, cells)| {
                let mut told = Map::new();
                told.insert("name".to_owned(), json!(member.name));
                told.insert("uri".to_owned(), json!(self.group.member_uri(member)));
                told.insert("relative".to_owned(), json!(member.relative));
                told.insert("type".to_owned(), json!(member.object_type.name()));
                if let Some(Ok(cells)) = cells {
                    told.extend(cells.json());
                }
                Json::Object(told)
            })
            .collect();
        json!({
            "uri": uri,
            "kind": "group",
            "members": members,
            "metadata": meta::json(self.metadata, ticks),
            "metadata_keys": self.metadata.len(),
            "warnings": self.warnings(),
        })
    }
}

/// Path of a member below the group, or its URI if it lies elsewhere.
fn whereabouts(group: &Group, member: &GroupMember) -> String {
    let inside = group.member_prefix(member).ok();
    let root = group.location().prefix();
    let below = inside
        .as_deref()
        .and_then(|prefix| prefix.strip_prefix(root))
        .map(|path| path.trim_start_matches('/').to_owned());
    below.unwrap_or_else(|| group.member_uri(member))
}

/// Cell count of a member, for a table.
fn text(cells: Option<&Result<CellNumbers, Failure>>) -> String {
    match cells {
        None => String::new(),
        Some(Ok(cells)) => cells.short(),
        Some(Err(_)) => "cannot be opened".to_owned(),
    }
}
