//! The parts that call cargo and nothing else: formatting, lints, tests, documentation.

use std::process::Command;

use crate::commands::succeed;
use crate::outcome::Outcome;
use crate::programs;
use crate::report::Report;
use crate::workspace::{SQL, WITH_SQL, WITHOUT_SQL, cargo, root};

/// What has documentation. With examples, dependencies have the features that they have in lints, and are not checked again. The
/// program `tdb` has no pages of its own: its name is that of the library.
const PAGES: &[&str] = &["--lib", "--examples"];

/// The programs that have documentation.
const PROGRAMS: &[&str] = &[
    "--bin",
    "xtask",
    "--bin",
    "xtask-engine",
    "--bin",
    "tdb-bench",
];

/// Formatting, also of the fuzz targets.
pub(crate) fn format() -> Outcome {
    let format = ["fmt", "--all", "--check"];
    succeed(cargo().args(format))?;
    succeed(cargo().current_dir(root().join("fuzz")).args(format))
}

/// Lints of everything but SQL.
pub(crate) fn lint() -> Outcome {
    succeed(&mut lints(WITHOUT_SQL, &["--all-targets"]))
}

/// Lints of what there is of SQL, and of filters with all of their features.
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

/// Documentation: of everything but SQL, of what there is of SQL, and of filters with all of their features.
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

/// Builds the tests of everything but SQL, and keeps the programs for the judges.
pub(crate) fn build() -> Outcome {
    programs::keep_plain(&programs::build_plain()?)
}

/// Runs the tests of everything but SQL, then the examples in the documentation.
pub(crate) fn test(report: &mut Report) -> Outcome {
    // They are built: this asks cargo where they are.
    programs::build_plain()?.test(report, |_, _| false)?;
    document_tests(WITHOUT_SQL, report)
}

/// Builds and runs the tests of what there is of SQL, and keeps the program for the judges.
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
