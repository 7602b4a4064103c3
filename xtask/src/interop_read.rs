//! `cargo xtask interop`: compares `tdb read` with TileDB 2.30 on random arrays that TileDB writes
//! (`xtask/interop/random_arrays.py`).

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::interop::{compare, parse};
use crate::interop_write;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let options = parse(arguments, &workshop)?;
    if let Some(wanted) = &options.releases {
        return interop_write::releases(&options, &workshop, wanted);
    }
    let library = workshop.library(JUDGE.0, JUDGE.1)?;
    if options.folder.exists() {
        fs::remove_dir_all(&options.folder)?;
    }
    let script = root().join("xtask/interop/random_arrays.py");
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(script)
            .arg(library)
            .arg(root().join("fixtures/recipes"))
            .arg(&options.folder)
            .args([&options.seed, &options.count]),
    )?;
    print!("{said}");
    compare(&programs::tdb()?, &options.folder, &[])
}
