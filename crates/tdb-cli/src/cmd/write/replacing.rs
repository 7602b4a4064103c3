//! `tdb write --replace`: rows of a file in the place of cells.

use std::io::Write;

use serde_json::json;
use tdb::Written;
use tdb_array::ErrorKind;
use tdb_schema::names::UnknownName;

use super::arguments::{Arguments, Which};
use crate::access::{Change, context};
use crate::cmd::input::{Becoming, InputArguments};
use crate::cmd::progress::Progress;
use crate::cmd::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;

pub(super) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let context = context(global)?;
    let session = context.shared_session();
    Change::new(global, session)?;
    let array = context.open(&arguments.array)?;
    let engine = array.engine();
    let file = &arguments.input;
    let becoming = Becoming::fields_of(engine.newest_schema());
    let input = file.open(becoming, None, global, session)?;
    let names = input.names().to_vec();
    let schema = engine.newest_schema();
    if let Some(name) = names.iter().find(|name| schema.field(name).is_none()) {
        let known = schema.fields().map(|field| field.name);
        return Err(Failure::from(UnknownName::new("field", name, known)).within(&file.name()));
    }
    let mut given = tdb::input_fields(engine, &names, arguments.enum_codes)?;
    given.retain(|field| names.contains(&field.name));
    let mut write = array.write().replace().dry_run(arguments.dry_run);
    write = write.sort_in(&file.temp())?;
    if let Some(size) = &arguments.sorting.max_fragment {
        write = write.max_fragment(size.0);
    }
    if arguments.sorting.duplicates == Some(Which::First) {
        write = write.first_of_duplicates();
    }
    if let Some(time) = global.at() {
        write = write.at(time);
    }
    let mut stream = write.stream()?;
    let mut progress = Progress::new(global, file.len());
    let (mut cells, read) = input.cells(&given).map_err(|error| file.failed(error))?;
    let counts = &global.counts;
    while let Some(batch) = counts
        .stage("input", || cells.next())
        .map_err(|error| file.failed(error))?
    {
        let pushed = counts.stage("write", || stream.push(&batch));
        pushed.map_err(|error| failed(error, file))?;
        progress.tell("reading", stream.rows(), read.bytes());
    }
    global.note_zoned(cells.zoned());
    progress.say("sorting and writing");
    let written = counts.stage("write", || stream.finish());
    let written = written.map_err(|error| failed(error, file))?;
    tell(&written, arguments.dry_run, global, out)
}

/// Says how many cells were there, and how many are new.
fn tell(
    written: &Written,
    dry_run: bool,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let new = written.cells.saturating_sub(written.replaced);
    if global.json {
        return write_json(
            out,
            &json!({
                "rows": written.cells,
                "replaced": written.replaced,
                "fragments": written.fragments,
                "dry_run": dry_run,
            }),
        );
    }
    let verb = if dry_run { "would replace" } else { "replaced" };
    let replaced = plural(written.replaced, "cell");
    let new = match new {
        0 => String::new(),
        1 => ", 1 row is new".to_owned(),
        new => format!(", {new} rows are new"),
    };
    Ok(writeln!(out, "{verb} {replaced}{new}")?)
}

/// The failure; where the rows are at fault, with their file.
fn failed(error: tdb::Error, file: &InputArguments) -> Failure {
    let is_of_rows = error.kind() == ErrorKind::Invalid;
    let failure = Failure::from(error);
    if is_of_rows {
        failure.within(&file.name())
    } else {
        failure
    }
}
