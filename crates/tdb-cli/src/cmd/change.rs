//! Functions shared by the verbs that change something.

use std::path::Path;

use serde_json::Value;
use serde_json::json;
use tdb::Context;
use tdb::engine::array::{ArrayError, ChangeOptions, ErrorKind, LaterObjects};
use tdb::engine::schema::value::rfc3339;

use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
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

/// Options of a change, with the timestamp that the user gave.
pub(crate) fn options(global: &Global) -> Result<ChangeOptions, Failure> {
    if global.since.is_some() {
        let failure = Failure::invalid("--since cannot be used with a change");
        return Err(failure.hint("use --at to set the time of the change"));
    }
    Ok(ChangeOptions::default().timestamp(global.at().map(|moment| moment.0)))
}

/// Opens as of the time of a change; by default as of now.
pub(crate) fn opener(context: Context, global: &Global) -> Opener {
    Opener::until(context, global.at().unwrap_or(global.now).0)
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
