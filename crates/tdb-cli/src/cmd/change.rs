//! Functions shared by the verbs that change something.

use std::path::Path;

use serde_json::Value;
use serde_json::json;
use tdb::engine::array::{Array, ArrayError, ErrorKind, Group, LaterObjects, OpenOptions};
use tdb::engine::schema::value::rfc3339;

use crate::access::{Access, Change};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::request_file;
use tdb::place::Place;

/// Converts the error of a change into a failure with the URI and a hint.
pub(crate) fn failed(location: &Place, error: ArrayError) -> Failure {
    let uri = &location.uri;
    match error {
        ArrayError::Exists { what, .. } => {
            let text = match what {
                "array" => "there is an array here already",
                "group" => "there is a group here already",
                _ => "there is something here already",
            };
            let failure = Failure::new(ErrorKind::Exists, text).at(uri);
            match what {
                "array" | "group" => failure.hint(format!("tdb info {uri} shows it")),
                _ => failure.hint("choose another place, or check what is there"),
            }
        }
        error => Failure::in_place(error, location),
    }
}

/// Parses a JSON argument, or the file named by `@FILE`.
pub(crate) fn json_argument(what: &str, text: &str) -> Result<Value, Failure> {
    match text.strip_prefix('@') {
        Some(file) => request_file::json(Path::new(file)),
        None => serde_json::from_str(text)
            .map_err(|error| Failure::invalid(format!("{what}: is not JSON: {error}"))),
    }
}

/// Opens an array with everything that was written, including objects with a timestamp in the future, whatever the
/// time of the change.
pub(crate) fn open_array(location: &Place, access: &Access) -> Result<Array, Failure> {
    open_array_with(location, access, OpenOptions::default())
}

pub(crate) fn open_array_with(
    location: &Place,
    access: &Access,
    options: OpenOptions,
) -> Result<Array, Failure> {
    Array::open_location(&access.to(location), options)
        .map_err(|error| Failure::in_place(error, location))
}

/// Opens a group as of the time of the change; by default as of now.
pub(crate) fn open_group_at(
    location: &Place,
    change: &Change,
    global: &Global,
) -> Result<Group, Failure> {
    let time = change.options.timestamp.unwrap_or(global.now.0);
    open_group(location, &change.access, OpenOptions::at(time))
}

/// Warns that objects with a later timestamp will override this change from their time on. Silent if the user gave
/// the time of the change, since it was then chosen deliberately.
pub(crate) fn tell_later(later: Option<LaterObjects>, global: &Global, out: &Output) {
    if let Some(later) = later.filter(|_| global.at().is_none()) {
        out.warn(&format!("{later} will override this change from then on"));
    }
}

/// The same information as JSON; null if there are no later objects, or if the time of the change was given.
pub(crate) fn later_json(later: Option<LaterObjects>, global: &Global) -> Value {
    let later = later.filter(|_| global.at().is_none());
    later.map_or(Value::Null, |later| {
        json!({
            "fragments": later.fragments,
            "deletes": later.deletes,
            "metadata": later.metadata,
            "changes": later.changes,
            "until": rfc3339(later.until),
        })
    })
}

pub(crate) fn open_group(
    location: &Place,
    access: &Access,
    options: OpenOptions,
) -> Result<Group, Failure> {
    Group::open_location(&access.to(location), &location.store_uri, options)
        .map_err(|error| Failure::in_place(error, location))
}
