//! What verbs that change something have in common.

use std::path::Path;

use serde_json::Value;
use tdb_array::{Array, ArrayError, ErrorKind, Group, OpenOptions, TimeWindow};

use crate::access::{Access, Change};
use crate::failure::Failure;
use crate::request_file;
use tdb::place::Place;

/// The failure of a change, with the URI in front and the way out.
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
                _ => failure
                    .hint("neither an array nor a group: see what it is, or choose another place"),
            }
        }
        error => Failure::in_place(error, location),
    }
}

/// JSON as it stands on the command line, or `@` and the file that holds it.
pub(crate) fn json_argument(what: &str, text: &str) -> Result<Value, Failure> {
    match text.strip_prefix('@') {
        Some(file) => request_file::json(Path::new(file)),
        None => serde_json::from_str(text)
            .map_err(|error| Failure::invalid(format!("{what}: is not JSON: {error}"))),
    }
}

/// Opens an array as it is now, whatever the time of the change.
pub(crate) fn open_array(location: &Place, access: &Access) -> Result<Array, Failure> {
    Array::open_location(&access.to(location), OpenOptions::default())
        .map_err(|error| Failure::in_place(error, location))
}

/// Opens a group as it is at the time of a change.
pub(crate) fn open_group_at(location: &Place, change: &Change) -> Result<Group, Failure> {
    let window = change.options.timestamp;
    let options = OpenOptions {
        window: window.map_or(TimeWindow::ALL, TimeWindow::until),
        ..OpenOptions::default()
    };
    open_group(location, &change.access, options)
}

pub(crate) fn open_group(
    location: &Place,
    access: &Access,
    options: OpenOptions,
) -> Result<Group, Failure> {
    Group::open_location(&access.to(location), &location.store_uri, options)
        .map_err(|error| Failure::in_place(error, location))
}
