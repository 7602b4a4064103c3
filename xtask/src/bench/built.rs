//! Building the programs to measure.

use std::error::Error;

use serde_json::Value;

use crate::commands::output;
use crate::workspace::cargo;

/// Builds a release program, and returns its path.
pub(super) fn built(kind: &str, name: &str) -> Result<String, Box<dyn Error>> {
    built_with(kind, name, &[])
}

/// As `built`, with features.
pub(super) fn built_with(
    kind: &str,
    name: &str,
    features: &[&str],
) -> Result<String, Box<dyn Error>> {
    let package = if name == "tdb" { "tdb-cli" } else { name };
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        package,
        kind,
        name,
    ]);
    build.args(features);
    let built = output(build.args(["--message-format", "json-render-diagnostics"]))?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut executables =
        messages.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    Ok(executables.next_back().ok_or("cargo built nothing")?)
}
