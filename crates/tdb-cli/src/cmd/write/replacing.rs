//! `tdb write --replace`: rows of a file replace cells with the same coordinates.

use std::io::Write;

use serde_json::json;
use tdb::WrittenCells;
use tdb::engine::array::LaterObjects;
use tdb::engine::tile::Exact;

use super::arguments::{Arguments, DuplicateRule};
use crate::cmd::change::{self, later_json, tell_later};
use crate::cmd::progress::Line;
use crate::cmd::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;

pub(super) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let context = line.of(context(global)?);
    change::options(global)?;
    let array = context.open(&arguments.array)?;
    let mut write = array.write().replace().dry_run(arguments.dry_run);
    if let Some(size) = arguments.sorting.max_fragment {
        write = write.max_fragment(size.0);
    }
    if arguments.sorting.duplicates == Some(DuplicateRule::First) {
        write = write.first_of_duplicates();
    }
    if arguments.enum_codes {
        write = write.enumeration_codes();
    }
    if let Some(time) = global.at() {
        write = write.at(time);
    }
    let written = write.file(arguments.input.file(global));
    line.clear();
    let written = written?;
    global.note_zoned(&written.zoned);
    tell(&written, array.later(), arguments.dry_run, global, out)
}

/// Prints how many cells were replaced, and how many rows are new.
fn tell(
    written: &WrittenCells,
    later: Option<LaterObjects>,
    dry_run: bool,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let new = written.cells.exact_sub(written.replaced)?;
    if global.json {
        return write_json(
            out,
            &json!({
                "rows": written.cells,
                "replaced": written.replaced,
                "fragments": written.fragments,
                "dry_run": dry_run,
                "later": later_json(later, global),
            }),
        );
    }
    if written.cells > 0 {
        tell_later(later, global, out);
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
