//! `cargo xtask interop-life`: random histories of arrays and groups, made by TileDB alone and by tdb and TileDB in
//! turns.
//!
//! `xtask/interop/life.py` performs both histories. After every step it compares what TileDB and the program read with
//! each other and with a model (`model.py`). Afterwards, TileDB's reads of its own array are compared with the
//! program's reads of the other. Histories in which TileDB crashes on its own array are counted separately.

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::interop::{compare, parse};
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let mut options = parse(arguments, &workshop)?;
    options
        .folder
        .set_file_name(format!("life-{}", options.seed));
    let library = workshop.library(JUDGE.0, JUDGE.1)?;
    if options.folder.exists() {
        fs::remove_dir_all(&options.folder)?;
    }
    let program = programs::tdb()?;
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/life.py"))
            .arg(library)
            .arg(root().join("fixtures/recipes"))
            .arg(&options.folder)
            .args([&options.seed, &options.count])
            .arg(&program),
    )?;
    print!("{said}");
    compare(&program, &options.folder, &[])
}
