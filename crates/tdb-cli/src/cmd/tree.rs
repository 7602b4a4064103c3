//! `tdb tree`: shows all arrays and groups below a folder as a tree.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use super::children::{Child, Kind, Site, children};
use super::object_details::Details;
use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use crate::paint::{Role, visible};
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb tree fixtures/v22_group/group\n  tdb tree -l fixtures/v22_group/group"
)]
pub(crate) struct Arguments {
    /// A folder or group
    uri: String,
    /// Show shape or cell count, size, and SOMA type
    #[arg(short)]
    long: bool,
    /// Follow members outside of this group
    #[arg(long)]
    follow_external: bool,
}

/// A child with its descendants.
struct Branch {
    child: Child,
    long: Option<Details>,
    below: Vec<Branch>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::folder(&arguments.uri, &global.counts)?;
    let opener = Opener::of_arguments(context(global)?, global);
    let mut tree = Tree {
        follow_external: arguments.follow_external,
        is_long: arguments.long,
        global,
        opener: &opener,
        out,
        above: vec![location.uri.clone()],
    };
    let branches = tree.grow(&location)?;
    if global.json {
        let branches: Vec<Value> = branches.iter().map(branch_json).collect();
        return write_json(out, &Value::Array(branches));
    }
    let root = out.look.paint(Role::Title, &visible(&arguments.uri));
    writeln!(out, "{root}")?;
    write_branches(&branches, "", out)
}

/// State of the traversal.
struct Tree<'a> {
    follow_external: bool,
    is_long: bool,
    global: &'a Global,
    opener: &'a Opener,
    out: &'a Output,
    /// URIs of the folders from the root to the current one.
    above: Vec<String>,
}

impl Tree<'_> {
    fn grow(&mut self, location: &Place) -> Result<Vec<Branch>, Failure> {
        let mut branches = Vec::new();
        for child in children(location, self.opener)? {
            let inside = child.location(self.follow_external, self.global)?;
            let long = self.long(&child, inside.as_ref())?;
            // Groups can contain themselves, so a folder that is already being visited is not entered again.
            let is_new = |inside: &Place| !self.above.contains(&inside.uri);
            let inside = inside.filter(|inside| child.kind.has_children() && is_new(inside));
            let below = match inside {
                Some(inside) => {
                    self.above.push(inside.uri.clone());
                    let below = self.grow(&inside)?;
                    self.above.pop();
                    below
                }
                None => Vec::new(),
            };
            // Folders without arrays or groups are left out.
            if child.kind != Kind::Folder || !below.is_empty() {
                branches.push(Branch { child, long, below });
            }
        }
        Ok(branches)
    }

    fn long(&self, child: &Child, place: Option<&Place>) -> Result<Option<Details>, Failure> {
        if !self.is_long {
            return Ok(None);
        }
        let long = Details::of(child, place, self.opener)?;
        if let Some(problem) = long.problem() {
            self.out.warn(&format!("{}: {problem}", child.uri()));
        }
        Ok(Some(long))
    }
}

fn write_branches(branches: &[Branch], indent: &str, out: &mut Output) -> Result<(), Failure> {
    for (number, Branch { child, long, below }) in branches.iter().enumerate() {
        let last = number + 1 == branches.len();
        let (fork, bar) = if last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        let role = if matches!(child.kind, Kind::Missing | Kind::Unfinished(_)) {
            Role::Warning
        } else {
            Role::Type
        };
        let kind = out.look.paint(role, child.kind.name());
        let name = out.look.paint(Role::Title, &visible(&child.name));
        write!(out, "{indent}{fork}{name}  {kind}")?;
        for (role, text) in long.iter().flat_map(Details::columns) {
            if !text.is_empty() {
                write!(out, "  {}", out.look.paint(role, &visible(&text)))?;
            }
        }
        if let Site::Outside(uri) = &child.site {
            let uri = out.look.paint(Role::Dim, &visible(uri));
            // A missing member has no location.
            let site = if child.kind == Kind::Missing {
                ""
            } else {
                "outside: "
            };
            write!(out, "  {site}{uri}")?;
        }
        writeln!(out)?;
        write_branches(below, &format!("{indent}{bar}"), out)?;
    }
    Ok(())
}

fn branch_json(branch: &Branch) -> Value {
    let below: Vec<Value> = branch.below.iter().map(branch_json).collect();
    let mut object = json!({
        "name": branch.child.name,
        "uri": branch.child.uri(),
        "type": branch.child.kind.name(),
    });
    if let Some(object) = object.as_object_mut() {
        object.extend(branch.long.iter().flat_map(Details::json));
        object.insert("members".to_owned(), Value::Array(below));
    }
    object
}
