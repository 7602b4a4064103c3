//! The workspace as cargo sees it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// Core crates, each of which is published alone.
pub(crate) const CORE: &[&str] = &[
    "tdb-tile",
    "tdb-filters",
    "tdb-rtree",
    "tdb-schema",
    "tdb-fragment",
    "tdb-array",
];

/// Crates whose own code is the same with all of their features, which only select filters; sets of features that no
/// test uses are only linted. The core crates are below them, those tested with SQL above.
pub(crate) const FORWARDING: &[&str] = &["tdb-cells", "tdb-query", "tdb-write"];

/// Arguments for all packages except those of SQL, which take as long to build as all others together. `cargo xtask
/// test` builds them in one call of cargo, so that each dependency is built once, with one set of features.
pub(crate) const WITHOUT_SQL: &[&str] = &[
    "--workspace",
    "--exclude",
    "tdb-datafusion",
    "--exclude",
    "tdb-distributed",
];

/// Arguments for all packages, with SQL on one machine and on several. Packages built without SQL are not built again,
/// except those in [`SQL`].
pub(crate) const WITH_SQL: &[&str] = &["--workspace", "--features", "tdb-cli/distributed"];

/// Packages that are built differently with SQL.
pub(crate) const SQL: &[&str] = &["tdb-datafusion", "tdb-distributed", "tdb", "tdb-cli"];

/// Returns the root folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the Rust files in a folder and its subfolders.
pub(crate) fn sources(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(below)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Returns a command for the cargo that called this program.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Returns the folder that cargo builds into.
pub(crate) fn target() -> Result<PathBuf, Box<dyn std::error::Error>> {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    if let Some(known) = TARGET.get() {
        return Ok(known.clone());
    }
    let metadata = metadata(&["--no-deps"])?;
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    let folder = PathBuf::from(folder.ok_or("cargo names no target directory")?);
    Ok(TARGET.get_or_init(|| folder).clone())
}

/// Returns the output of `cargo metadata` for the platform of this machine.
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
