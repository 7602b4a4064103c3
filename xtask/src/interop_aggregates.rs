//! `cargo xtask interop-aggregates`: compares `tdb agg` with TileDB on random arrays, ranges and conditions.
//!
//! `xtask/interop/aggregates.py` creates the arrays, asks both, and omits questions that TileDB is known to answer
//! differently.

use std::process::Command;

use crate::commands::output;
use crate::interop::parse;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let mut options = parse(arguments, &workshop)?;
    let name = format!("aggregates-{}", options.seed);
    options.folder.set_file_name(name);
    let library = workshop.library(JUDGE.0, JUDGE.1)?;
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/aggregates.py"))
            .arg(library)
            .arg(root().join("fixtures/recipes"))
            .arg(&options.folder)
            .args([&options.seed, &options.count])
            .arg(programs::tdb()?),
    )?;
    print!("{said}");
    Ok(())
}
