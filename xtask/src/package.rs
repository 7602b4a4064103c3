//! Testing each core crate alone, with default, no and all features, from the contents of its `cargo package` archive.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::commands::succeed;
use crate::feature_sets;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::side_by_side;
use crate::workspace::{CORE, cargo, metadata, root, target};

/// Number of crates tested at once: while one runs its tests, another is compiled.
const AT_ONCE: usize = 2;

/// Tests each core crate alone, with each of its sets of features, from the contents of its package.
pub(crate) fn check(report: &mut Report) -> Outcome {
    let metadata = metadata(&[])?;
    let folder = unpack(&metadata)?;
    // The crates at the top take longest.
    let done = side_by_side::each(CORE.iter().rev(), AT_ONCE, |name| {
        let mut report = Report::default();
        let failures = test(&metadata, &folder, name, &mut report);
        (report, failures)
    })?;
    let mut failures = Vec::new();
    for (found, failed) in done {
        report.add(found);
        failures.extend(failed);
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.join("\n").into())
}

/// Packages the core crates and the workspace crates they need, and unpacks them next to each other as a workspace.
fn unpack(metadata: &Value) -> Result<PathBuf, Box<dyn Error>> {
    let packages = needed(metadata);
    let mut package = cargo();
    package.args(["package", "--quiet", "--allow-dirty", "--no-verify"]);
    for (name, _) in &packages {
        package.args(["--package", name]);
    }
    succeed(&mut package)?;

    let target = target()?;
    let folder = target.join("package-check");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    for (name, version) in &packages {
        let file = target.join(format!("package/{name}-{version}.crate"));
        succeed(
            Command::new("tar")
                // Uses current file times; those in packages are constant, so changes would not be rebuilt.
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
    Ok(folder)
}

/// Tests an unpacked core crate with each of its sets of features. All sets are tried, so that one run shows every
/// failure.
fn test(metadata: &Value, folder: &Path, name: &str, report: &mut Report) -> Vec<String> {
    let mut failures = Vec::new();
    for features in feature_sets::of(metadata, name) {
        let (begun, mut found) = (Instant::now(), Report::default());
        let mut test = cargo();
        test.current_dir(folder).args(["test", "--quiet"]);
        test.args(["--package", name]).args(features);
        // Shares the target folder, so that external packages are not built again.
        let target = target().map(|target| test.arg("--target-dir").arg(target));
        let outcome = target.and_then(|test| found.run(name, test));
        let features = features.first().copied().unwrap_or("default features");
        println!(
            "   {name}, {features}: {} tests, {:.1} s",
            found.total().run(),
            begun.elapsed().as_secs_f64()
        );
        report.add(found);
        if let Err(error) = outcome {
            failures.push(format!("{name} from its package, {features}: {error}"));
        }
    }
    failures
}

/// Returns the names and versions of the core crates and of the workspace crates they use.
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

/// Returns the manifest of a workspace of the unpacked crates, with the build profiles of the repository.
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
