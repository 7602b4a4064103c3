//! `tdb ls`: lists arrays and groups below a folder.

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
use crate::paint::{Role, Table};
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb ls -l fixtures/v22_group/group")]
pub(crate) struct Arguments {
    /// A folder or group
    uri: String,
    /// Show shape or cell count, size, SOMA type, and where members are
    #[arg(short)]
    long: bool,
    /// List all levels
    #[arg(short = 'R')]
    recursive: bool,
    /// Follow members outside of this group
    #[arg(long)]
    follow_external: bool,
}

/// A listed array, group or folder, with its path relative to the start of the listing.
struct ListedObject {
    path: String,
    child: Child,
    long: Option<Details>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::folder(&arguments.uri, &global.counts)?;
    let mut walk = Walk {
        arguments,
        global,
        opener: Opener::of_arguments(context(global)?, global),
        above: vec![location.uri.clone()],
        found: Vec::new(),
    };
    walk.collect(&location, "")?;
    for found in &walk.found {
        if let Some(problem) = found.long.as_ref().and_then(Details::problem) {
            out.warn(&format!("{}: {problem}", found.path));
        }
    }
    if global.json {
        let objects = walk.found.iter().map(object_json);
        return write_json(out, &Value::Array(objects.collect()));
    }
    if walk.found.is_empty() {
        return Ok(());
    }
    let mut table = if arguments.long {
        Table::new(&["type", ">cells", ">size", "soma", "name", "at"])
    } else {
        Table::plain(&[])
    };
    for found in &walk.found {
        table.painted(row(found, &location.uri));
    }
    let look = out.look;
    Ok(table.write(out, look)?)
}

fn row(found: &ListedObject, root: &str) -> Vec<(Role, String)> {
    let kind = found.child.kind;
    let role = if matches!(kind, Kind::Missing | Kind::Unfinished(_)) {
        Role::Warning
    } else {
        Role::Type
    };
    let mut row = vec![(role, kind.name().to_owned())];
    row.extend(found.long.iter().flat_map(Details::columns));
    row.push((Role::Title, found.path.clone()));
    if found.long.is_some() {
        row.push((Role::Dim, whereabouts(found, root)));
    }
    row
}

/// Location of a child: the path below the listed folder, or the URI. Empty if the name already shows the location.
fn whereabouts(found: &ListedObject, root: &str) -> String {
    let uri = found.child.uri();
    if matches!(found.child.site, Site::Outside(_)) {
        return uri.to_owned();
    }
    let below = uri
        .strip_prefix(root)
        .map(|below| below.trim_start_matches('/'));
    match below {
        Some(below) if below == found.path => String::new(),
        Some(below) => below.to_owned(),
        None => uri.to_owned(),
    }
}

/// State of a listing in progress.
struct Walk<'a> {
    arguments: &'a Arguments,
    global: &'a Global,
    opener: Opener,
    /// URIs of the folders from the start of the listing to the current one.
    above: Vec<String>,
    found: Vec<ListedObject>,
}

impl Walk<'_> {
    fn collect(&mut self, location: &Place, path: &str) -> Result<(), Failure> {
        for child in children(location, &self.opener)? {
            let path = match path {
                "" => child.name.clone(),
                path => format!("{path}/{}", child.name),
            };
            let kind = child.kind;
            let inside = child.location(self.arguments.follow_external, self.global)?;
            let is_listed = !(self.arguments.recursive && kind == Kind::Folder);
            let long = (self.arguments.long && is_listed)
                .then(|| Details::of(&child, inside.as_ref(), &self.opener))
                .transpose()?;
            // In a recursive listing, plain folders appear only through their contents.
            if is_listed {
                self.found.push(ListedObject {
                    path: path.clone(),
                    child,
                    long,
                });
            }
            // Groups can contain themselves, so a folder that is already being listed is not entered again.
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

fn object_json(found: &ListedObject) -> Value {
    let mut object = json!({
        "name": found.path,
        "uri": found.child.uri(),
        "type": found.child.kind.name(),
    });
    if let (Some(object), Some(long)) = (object.as_object_mut(), &found.long) {
        object.extend(long.json());
    }
    object
}
