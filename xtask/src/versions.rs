//! `cargo xtask versions`: generates `docs/versions.md`, the fields of each record by format version.

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::programs;
use crate::workspace::root;

/// Writes the page; a test of xtask-engine checks that it is up to date.
pub(crate) fn run(_arguments: &[String]) -> Outcome {
    let page = output(Command::new(programs::engine()?).arg("versions"))?;
    fs::write(root().join("docs/versions.md"), page)?;
    Ok(())
}
