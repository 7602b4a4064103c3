//! The parts of the checks that only call cargo: formatting, lints, tests, documentation.

use std::process::Command;

use crate::commands::succeed;
use crate::outcome::Outcome;
use crate::programs;
use crate::report::Report;
use crate::workspace::{SQL, WITH_SQL, WITHOUT_SQL, cargo, root};

/// Targets to document. Examples are included so that dependencies have the same features as for lints, and are not
/// checked again. The program `tdb` is excluded, since its name is that of the library.
const PAGES: &[&str] = &["--lib", "--examples"];

/// Programs to document.
const PROGRAMS: &[&str] = &[
    "--bin",
    "xtask",
    "--bin",
    "xtask-engine",
    "--bin",
    "tdb-bench",
];

/// Checks formatting, including the fuzz targets.
pub(crate) fn format() -> Outcome {
    let format = ["fmt", "--all", "--check"];
    succeed(cargo().args(format))?;
    succeed(cargo().current_dir(root().join("fuzz")).args(format))
}

/// Lints everything except SQL.
pub(crate) fn lint() -> Outcome {
    succeed(&mut lints(WITHOUT_SQL, &["--all-targets"]))
}

/// Lints SQL, and `tdb-filters` with all features.
pub(crate) fn lint_all_features() -> Outcome {
    succeed(&mut lints(WITH_SQL, &["--all-targets"]))?;
    let filters = ["--package", "tdb-filters", "--all-features"];
    succeed(&mut lints(&filters, &["--all-targets"]))
}

fn lints(packages: &[&str], targets: &[&str]) -> Command {
    let mut clippy = cargo();
    clippy.args(["clippy", "--quiet"]).args(packages);
    clippy.args(targets).args(["--", "-D", "warnings"]);
    clippy
}

/// Builds the documentation of everything except SQL, of SQL, and of `tdb-filters` with all features.
pub(crate) fn document() -> Outcome {
    succeed(&mut pages(&[WITHOUT_SQL, PROGRAMS].concat()))?;
    succeed(&mut pages(WITH_SQL))?;
    succeed(&mut pages(&["--package", "tdb-filters", "--all-features"]))
}

fn pages(packages: &[&str]) -> Command {
    let mut docs = cargo();
    docs.args(["doc", "--quiet", "--no-deps"]).args(packages);
    docs.args(PAGES).env("RUSTDOCFLAGS", "-D warnings");
    docs
}

/// Builds the tests of everything except SQL, and keeps the programs that judges need.
pub(crate) fn build() -> Outcome {
    programs::keep_plain(&programs::build_plain()?)
}

/// Runs the tests of everything except SQL, then the examples in the documentation.
pub(crate) fn test(report: &mut Report) -> Outcome {
    // The tests are built already; this asks cargo for their paths.
    programs::build_plain()?.test(report, |_, _| false)?;
    document_tests(WITHOUT_SQL, report)
}

/// Builds and runs the tests of SQL, and keeps the program that judges need.
pub(crate) fn test_sql(report: &mut Report) -> Outcome {
    let built = programs::build_sql()?;
    programs::keep_sql(&built)?;
    built.test(report, |package, _| !SQL.contains(&package))?;
    document_tests(WITH_SQL, report)
}

fn document_tests(packages: &[&str], report: &mut Report) -> Outcome {
    let mut tests = cargo();
    tests.args(["test", "--quiet", "--doc"]).args(packages);
    report.run("documentation", &mut tests)
}
