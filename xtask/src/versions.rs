//! `cargo xtask versions`: which fields each record has in which format versions, as `docs/versions.md`.

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::programs;
use crate::workspace::root;

/// Writes the page; a test of xtask-engine compares it.
pub(crate) fn run(_arguments: &[String]) -> Outcome {
    let page = output(Command::new(programs::engine()?).arg("versions"))?;
    fs::write(root().join("docs/versions.md"), page)?;
    Ok(())
}
