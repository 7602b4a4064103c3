//! Building crates for targets on which the tests do not run: browsers and Windows.

use std::process::{Command, Stdio};

use crate::commands::succeed;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::workspace::{cargo, root};

/// Packages to check for a target, without their default features, which need C code.
struct Target {
    name: &'static str,
    packages: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target {
        name: "wasm32-unknown-unknown",
        packages: &[
            "tdb-tile",
            "tdb-filters",
            "tdb-rtree",
            "tdb-schema",
            "tdb-fragment",
        ],
    },
    Target {
        name: "x86_64-pc-windows-gnu",
        packages: &["tdb-consolidate"],
    },
];

/// Checks each target that is installed or can be added. Others are reported as not checked, which is not a failure.
pub(crate) fn check(report: &mut Report) -> Outcome {
    for target in TARGETS {
        let name = target.name;
        if !is_there(name) && !added(name) {
            report.told(
                name,
                "the target is not installed, and `rustup target add` could not add it",
            );
            continue;
        }
        succeed(&mut check_of(target))?;
        println!("   {name}: {}", target.packages.join(", "));
    }
    Ok(())
}

fn check_of(target: &Target) -> Command {
    let mut check = cargo();
    check.args(["check", "--quiet", "--no-default-features"]);
    check.args(["--target", target.name]);
    for package in target.packages {
        check.args(["--package", package]);
    }
    check
}

/// True if the compiler has the target's standard library.
fn is_there(name: &str) -> bool {
    let mut libraries = Command::new("rustc");
    libraries.args(["--print", "target-libdir", "--target", name]);
    let found = libraries.current_dir(root()).stderr(Stdio::null()).output();
    found.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success() && std::fs::read_dir(folder).is_ok()
    })
}

fn added(name: &str) -> bool {
    println!("   adding {name}");
    let mut add = Command::new("rustup");
    add.args(["target", "add", name]).current_dir(root());
    add.stdout(Stdio::null()).stderr(Stdio::null());
    add.status().is_ok_and(|status| status.success()) && is_there(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::CORE;

    #[test]
    fn a_released_program_checks_its_sums() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let released = manifest.split("[profile.release]\n").nth(1).unwrap();
        let profile = released.split("\n[").next().unwrap();
        assert!(profile.contains("\noverflow-checks = true\n"), "{profile}");
    }

    #[test]
    fn what_does_no_io_is_checked_for_a_browser() {
        let [browser, _] = TARGETS else {
            panic!("other targets");
        };
        // The last core crate reads through a store, so it is not included.
        assert_eq!(browser.packages, &CORE[..CORE.len() - 1]);
        assert!(!is_there("pdp11-unknown-none"));
    }
}
