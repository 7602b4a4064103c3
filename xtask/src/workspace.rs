//! The workspace as cargo sees it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The crates that are the heart of the house, each published for itself.
pub(crate) const CORE: &[&str] = &[
    "tdb-tile",
    "tdb-filters",
    "tdb-rtree",
    "tdb-schema",
    "tdb-fragment",
    "tdb-array",
];

/// Crates that are tested each alone: the core, what it reads through, who reads with it, and what needs no leaf.
pub(crate) const ALONE: &[&str] = &[
    "tdb-store",
    "tdb-tile",
    "tdb-filters",
    "tdb-rtree",
    "tdb-schema",
    "tdb-fragment",
    "tdb-array",
    "tdb-cells",
    "tdb-condition",
    "tdb-query",
    "tdb-write",
    "tdb-text",
];

/// What chooses the crates that are not tested alone, and their features: all that is built of them is built once, as their tests
/// need it.
pub(crate) fn together() -> impl Iterator<Item = &'static str> {
    let features = [
        "--workspace",
        "--features",
        "tdb/ndarray,tdb-cli/distributed",
    ];
    let alone = ALONE.iter().flat_map(|name| ["--exclude", name]);
    features.into_iter().chain(alone)
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Cargo, as it was called.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// What `cargo metadata` says, for the platform of this machine.
pub(crate) fn metadata(arguments: &[&str]) -> Result<Value, Box<dyn std::error::Error>> {
    let host = host()?;
    let output = cargo()
        .args([
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            &host,
        ])
        .args(arguments)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub(crate) fn host() -> Result<String, Box<dyn std::error::Error>> {
    let output = Command::new("rustc").arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc -vV names no host")?.to_owned())
}
