//! `tdb tree`: all arrays and groups below, as a tree.

use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use super::children::{Child, Kind, Site, children};
use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, visible};
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb tree fixtures/v22_group/group")]
pub(crate) struct Arguments {
    /// A folder or group
    uri: String,
    /// Go on into groups outside of this one
    #[arg(long)]
    follow_external: bool,
}

/// A child and what is below it.
struct Branch {
    child: Child,
    below: Vec<Branch>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::folder(&arguments.uri, &global.counts)?;
    let opening = Opening::new(global, &session(global))?;
    let mut above = vec![location.uri.clone()];
    let follow = |child: &Child| child.location(arguments.follow_external, global);
    let branches = grow(&location, &follow, &opening, &mut above)?;
    if global.json {
        let branches: Vec<Value> = branches.iter().map(branch_json).collect();
        return write_json(out, &Value::Array(branches));
    }
    let root = out.look.paint(Role::Title, &visible(&arguments.uri));
    writeln!(out, "{root}")?;
    write_branches(&branches, "", out)
}

fn grow(
    location: &Place,
    follow: &dyn Fn(&Child) -> Result<Option<Place>, Failure>,
    opening: &Opening,
    above: &mut Vec<String>,
) -> Result<Vec<Branch>, Failure> {
    let mut branches = Vec::new();
    for child in children(location, opening)? {
        // Groups can contain themselves; where they do, the second time is the last.
        let inside = follow(&child)?;
        let inside = inside.filter(|i| child.kind.has_children() && !above.contains(&i.uri));
        let below = match inside {
            Some(inside) => {
                above.push(inside.uri.clone());
                let below = grow(&inside, follow, opening, above)?;
                above.pop();
                below
            }
            None => Vec::new(),
        };
        // A folder without arrays and groups in it is of no interest.
        if child.kind != Kind::Folder || !below.is_empty() {
            branches.push(Branch { child, below });
        }
    }
    Ok(branches)
}

fn write_branches(branches: &[Branch], indent: &str, out: &mut Output) -> Result<(), Failure> {
    for (number, Branch { child, below }) in branches.iter().enumerate() {
        let last = number.saturating_add(1) == branches.len();
        let (fork, bar) = if last {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        let role = if child.kind == Kind::Missing {
            Role::Warning
        } else {
            Role::Type
        };
        let kind = out.look.paint(role, child.kind.name());
        let name = out.look.paint(Role::Title, &visible(&child.name));
        write!(out, "{indent}{fork}{name}  {kind}")?;
        if let Site::Outside(uri) = &child.site {
            let uri = out.look.paint(Role::Dim, &visible(uri));
            write!(out, "  outside: {uri}")?;
        }
        writeln!(out)?;
        write_branches(below, &format!("{indent}{bar}"), out)?;
    }
    Ok(())
}

fn branch_json(branch: &Branch) -> Value {
    let below: Vec<Value> = branch.below.iter().map(branch_json).collect();
    json!({
        "name": branch.child.name,
        "uri": branch.child.uri(),
        "type": branch.child.kind.name(),
        "members": below,
    })
}
