//! `tdb ls`: arrays and groups below a folder.

use clap::Args;
use serde_json::{Value, json};
use tdb_store::{StoreError, list_recursive};

use super::children::{Child, Kind, children};
use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{Role, Table, bytes};
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb ls -l fixtures/v22_group/group")]
pub(crate) struct Arguments {
    /// A folder or group
    uri: String,
    /// Show sizes, and where members point
    #[arg(short)]
    long: bool,
    /// All levels
    #[arg(short = 'R')]
    recursive: bool,
    /// Go on into groups outside of this one
    #[arg(long)]
    follow_external: bool,
}

/// An array, group or folder, by its path from where the listing began.
struct Found {
    path: String,
    child: Child,
    size: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::folder(&arguments.uri, &global.counts)?;
    let mut walk = Walk {
        arguments,
        global,
        opening: Opening::new(global, &session(global))?,
        above: vec![location.uri.clone()],
        found: Vec::new(),
    };
    walk.collect(&location, "")?;
    if global.json {
        let objects = walk
            .found
            .iter()
            .map(|found| object_json(found, arguments.long));
        return write_json(out, &Value::Array(objects.collect()));
    }
    let mut table = Table::plain(&[false, arguments.long]);
    for found in &walk.found {
        table.painted(row(found, arguments.long));
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

fn row(found: &Found, long: bool) -> Vec<(Role, String)> {
    let kind = found.child.kind;
    let role = if kind == Kind::Missing {
        Role::Warning
    } else {
        Role::Type
    };
    let mut row = vec![(role, kind.name().to_owned())];
    if long {
        row.push((Role::Plain, found.size.map(bytes).unwrap_or_default()));
    }
    row.push((Role::Title, found.path.clone()));
    if long {
        row.push((Role::Dim, found.child.uri().to_owned()));
    }
    row
}

/// A listing under way.
struct Walk<'a> {
    arguments: &'a Arguments,
    global: &'a Global,
    opening: Opening,
    /// The folders from the first to the present one.
    above: Vec<String>,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn collect(&mut self, location: &Place, path: &str) -> Result<(), Failure> {
        for child in children(location, &self.opening)? {
            let path = match path {
                "" => child.name.clone(),
                path => format!("{path}/{}", child.name),
            };
            let kind = child.kind;
            let inside = child.location(self.arguments.follow_external, self.global)?;
            let size = match &inside {
                Some(inside) if self.arguments.long && kind != Kind::Folder => Some(size(inside)?),
                _ => None,
            };
            // Plain folders are worth a line only where nobody looks into them.
            if !(self.arguments.recursive && kind == Kind::Folder) {
                self.found.push(Found {
                    path: path.clone(),
                    child,
                    size,
                });
            }
            // Groups can contain themselves; where they do, the second time is the last.
            let below = inside.filter(|below| !self.above.contains(&below.uri));
            if let (Some(below), true) = (below, self.arguments.recursive && kind.has_children()) {
                self.above.push(below.uri.clone());
                self.collect(&below, &path)?;
                self.above.pop();
            }
        }
        Ok(())
    }
}

/// Bytes of all objects in a folder.
fn size(location: &Place) -> Result<u64, Failure> {
    let failed = |error: StoreError| Failure::in_place(error, location);
    let objects = list_recursive(&**location.store(), location.prefix()).map_err(failed)?;
    objects.iter().try_fold(0_u64, |sum, object| {
        let size = match object.size {
            Some(size) => size,
            None => location.store().size(&object.key).map_err(failed)?,
        };
        Ok(sum.saturating_add(size))
    })
}

fn object_json(found: &Found, long: bool) -> Value {
    let mut object = json!({
        "name": found.path,
        "uri": found.child.uri(),
        "type": found.child.kind.name(),
    });
    if let (Some(object), true) = (object.as_object_mut(), long) {
        object.insert("bytes".to_owned(), json!(found.size));
    }
    object
}
