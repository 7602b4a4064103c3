//! One file per verb.

pub(crate) mod change;
pub(crate) mod children;
pub(crate) mod consolidate;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod dump;
pub(crate) mod evolve;
pub(crate) mod filters;
pub(crate) mod fragments;
pub(crate) mod group;
mod group_members;
pub(crate) mod import;
pub(crate) mod info;
mod input;
pub(crate) mod ls;
pub(crate) mod meta;
mod meta_change;
pub(crate) mod objects;
mod progress;
mod ranges;
pub(crate) mod read;
pub(crate) mod schema;
mod shape;
pub(crate) mod tree;
pub(crate) mod vacuum;
pub(crate) mod write;
mod young;

use std::io::Write;

use serde_json::Value;
use tdb_array::{Array, ArrayError, OpenOptions, TimeWindow};
use tdb_cells::{Session, SessionOptions};
use tdb_filters::EncryptionKey;

use crate::args::Global;
use crate::failure::Failure;
use crate::location::Location;
use crate::output::Output;
use crate::{location, machine, request_file};

/// How arrays and groups are opened.
pub(crate) fn open_options(global: &Global, session: &Session) -> Result<OpenOptions, Failure> {
    let window = TimeWindow {
        since: global
            .since
            .map_or(TimeWindow::ALL.since, |moment| moment.0),
        // As TileDB does: what bears a time to come is not there yet.
        at: global.at.unwrap_or(global.now).0,
    };
    Ok(OpenOptions {
        window,
        key: key(global)?,
        limits: session.limits().clone(),
        ..OpenOptions::default()
    })
}

/// The threads and memory that the user allows; a quarter of the machine's memory by default.
pub(crate) fn session(global: &Global) -> Session {
    let memory = global.memory.map(|size| size.0);
    let session = Session::new(SessionOptions {
        threads: global.threads,
        memory: memory.or_else(|| machine::memory().map(|bytes| bytes / 4)),
        ..SessionOptions::default()
    });
    global.counts.of_session(&session);
    session
}

/// Bytes of a key.
const KEY_BYTES: u64 = 32;

pub(crate) fn key(global: &Global) -> Result<Option<EncryptionKey>, Failure> {
    let Some(path) = &global.key_file else {
        return Ok(None);
    };
    let name = format!("key file {}", path.display());
    // One byte too many tells that it is no key.
    let bytes = request_file::read(path, &name, KEY_BYTES + 1)?;
    let key =
        EncryptionKey::new(&bytes).map_err(|error| Failure::invalid(format!("{name}: {error}")))?;
    Ok(Some(key))
}

/// Opens the array that a URI names.
pub(crate) fn open_array(
    uri: &str,
    global: &Global,
    session: &Session,
    out: &Output,
) -> Result<Array, Failure> {
    let location = location::array(uri, global)?;
    let options = open_options(global, session)?;
    open_location(&location, options, global, out).map_err(|error| location.failed(error))
}

/// Opens an array, and tells what is odd about it.
pub(crate) fn open_location(
    location: &Location,
    options: OpenOptions,
    global: &Global,
    out: &Output,
) -> Result<Array, ArrayError> {
    let open = || Array::open(location.store.clone(), &location.prefix, options);
    let array = global.counts.stage("open", open)?;
    global.counts.opened(&array);
    if global.verbose {
        let (schemas, deletes) = (array.schemas().count(), array.deletes().len());
        let (fragments, uri) = (array.fragments().len(), &location.uri);
        // There is nowhere left to tell that standard error is gone.
        let _ = writeln!(
            std::io::stderr(),
            "{uri}: {schemas} schemas, {fragments} fragments, {deletes} deletes",
        );
    }
    warn_of(&array, out);
    Ok(array)
}

/// Tells what is odd about an array.
pub(crate) fn warn_of(array: &Array, out: &Output) {
    for warning in array.warnings() {
        out.warn(&warning.to_string());
    }
}

/// Writes JSON as people can read it, too.
pub(crate) fn write_json(out: &mut Output, value: &Value) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value)
        .map_err(|error| Failure::from(std::io::Error::from(error)))?;
    Ok(out.write_all(b"\n")?)
}
