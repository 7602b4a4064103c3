//! Whether the core crates pass their tests from what `cargo package` puts into their packages.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::ci::{Tests, succeed};
use crate::outcome::Outcome;
use crate::workspace::{CORE, cargo, metadata, root};

/// Packages the core crates and those of ours that they need, together; unpacks them side by side; runs the tests
/// of each core crate there.
pub(crate) fn check(tests: &mut Tests) -> Outcome {
    let metadata = metadata(&[])?;
    let packages = needed(&metadata);
    let mut package = cargo();
    package.args(["package", "--quiet", "--allow-dirty", "--no-verify"]);
    for (name, _) in &packages {
        package.args(["--package", name]);
    }
    succeed(&mut package)?;

    let target = metadata
        .get("target_directory")
        .and_then(Value::as_str)
        .ok_or("cargo names no target directory")?;
    let target = Path::new(target);
    let folder = target.join("package-check");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for (name, version) in &packages {
        let file = target.join(format!("package/{name}-{version}.crate"));
        succeed(
            Command::new("tar")
                // Times of now: those in packages are all the same, so that changes would not be built.
                .arg("-xzmf")
                .arg(file)
                .arg("-C")
                .arg(&folder),
        )?;
    }
    fs::write(
        folder.join("Cargo.toml"),
        manifest(&packages, &fs::read_to_string(root().join("Cargo.toml"))?)?,
    )?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    // The same target folder, so that packages of others are not built once more; one build for all of them, since
    // that each builds alone is another part's to see.
    let mut test = cargo();
    test.current_dir(&folder).args(["test", "--quiet"]);
    for name in CORE {
        test.args(["--package", name]);
    }
    tests
        .run(test.arg("--target-dir").arg(target))
        .map_err(|error| format!("from their packages: {error}").into())
}

/// Names and versions of the core crates and of what they use of ours.
fn needed(metadata: &Value) -> Vec<(String, String)> {
    let packages = metadata
        .get("packages")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let find = |name: &str| {
        packages
            .iter()
            .find(|package| package.get("name").is_some_and(|n| n == name))
    };
    let mut to_see: Vec<&str> = CORE.to_vec();
    let mut names = BTreeSet::new();
    while let Some(name) = to_see.pop() {
        if !names.insert(name) {
            continue;
        }
        let dependencies = find(name)
            .and_then(|package| package.get("dependencies"))
            .and_then(Value::as_array);
        let of_ours = dependencies.into_iter().flatten().filter_map(|dependency| {
            let name = dependency.get("name").and_then(Value::as_str)?;
            name.starts_with("tdb-").then_some(name)
        });
        to_see.extend(of_ours);
    }
    let version = |name: &str| {
        find(name)?
            .get("version")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    names
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), version(name)?)))
        .collect()
}

/// A workspace of the unpacked crates, which find each other there, built as the repository is.
fn manifest(packages: &[(String, String)], of_repository: &str) -> Result<String, Box<dyn Error>> {
    let mut text =
        "[workspace]\nresolver = \"3\"\nmembers = [\"tdb-*\"]\n\n[patch.crates-io]\n".to_owned();
    for (name, version) in packages {
        writeln!(text, "{name} = {{ path = \"{name}-{version}\" }}")?;
    }
    let mut in_profile = false;
    for line in of_repository.lines() {
        if line.starts_with('[') {
            in_profile = line.starts_with("[profile.");
        }
        if in_profile {
            writeln!(text, "{line}")?;
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_of_packages_keeps_the_profiles() {
        let packages = [("tdb-tile".to_owned(), "0.1.0".to_owned())];
        let of_repository =
            "[workspace]\nmembers = []\n\n[profile.dev]\nopt-level = 1\n[workspace.lints]\nx = 1\n";
        assert_eq!(
            manifest(&packages, of_repository).unwrap(),
            "[workspace]\nresolver = \"3\"\nmembers = [\"tdb-*\"]\n\n[patch.crates-io]\n\
             tdb-tile = { path = \"tdb-tile-0.1.0\" }\n[profile.dev]\nopt-level = 1\n"
        );
    }
}
