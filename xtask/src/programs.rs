//! The programs that judges run: `tdb` without and with SQL, and `xtask-engine`.
//!
//! They are the programs of the tests, with overflow checks and with the features that everything is tested with. A
//! run of `cargo xtask test` or `ci` builds them once and keeps copies, since later builds of cargo replace the files
//! in its folder. A judge that is called alone has cargo build them first, which takes a second if nothing changed.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::Outcome;
use crate::test_programs::{self, Built};
use crate::workspace::{WITH_SQL, WITHOUT_SQL, target};

/// Variable set for judges that a run starts: the copies exist.
pub(crate) const KEPT: &str = "XTASK_PROGRAMS_ARE_KEPT";

/// The program that makes writes, and generates the page of versions.
const ENGINE: &str = "xtask-engine";

/// Folders of the copies without and with SQL.
const PLAIN: &str = "plain";
const SQL: &str = "sql";

/// Builds all tests except those of SQL, and the programs.
pub(crate) fn build_plain() -> Result<Built, Box<dyn Error>> {
    let arguments = ["test", "--no-run"];
    test_programs::build(&[&arguments, WITHOUT_SQL].concat())
}

/// Builds the tests of SQL, and the program with SQL. Of other tests in the same packages, it builds those that SQL
/// could change.
pub(crate) fn build_sql() -> Result<Built, Box<dyn Error>> {
    let arguments = [
        "test",
        "--no-run",
        "--lib",
        "--bins",
        "--test",
        "far",
        "--test",
        "golden",
        "--test",
        "it",
        "--test",
        "memory_caps",
        "--test",
        "sql",
    ];
    test_programs::build(&[&arguments, WITH_SQL].concat())
}

/// Keeps copies of the programs without SQL.
pub(crate) fn keep_plain(built: &Built) -> Outcome {
    keep(built, PLAIN, &["tdb", ENGINE])
}

/// Keeps a copy of the program with SQL.
pub(crate) fn keep_sql(built: &Built) -> Outcome {
    keep(built, SQL, &["tdb"])
}

fn keep(built: &Built, kind: &str, names: &[&str]) -> Outcome {
    let folder = folder(kind)?;
    fs::create_dir_all(&folder)?;
    for name in names {
        // Written to another file first, since a running program cannot be overwritten.
        let (copy, half) = (folder.join(name), folder.join(format!("{name}.half")));
        fs::copy(built.program(name)?, &half)?;
        fs::rename(half, copy)?;
    }
    Ok(())
}

fn folder(kind: &str) -> Result<PathBuf, Box<dyn Error>> {
    Ok(target()?.join("xtask").join(kind))
}

/// Returns the path of `tdb` without SQL.
pub(crate) fn tdb() -> Result<PathBuf, Box<dyn Error>> {
    plain("tdb")
}

/// Returns the path of `xtask-engine`.
pub(crate) fn engine() -> Result<PathBuf, Box<dyn Error>> {
    plain(ENGINE)
}

fn plain(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    if std::env::var_os(KEPT).is_none() {
        // Naming a test gives libraries the features that they have in tests, so they are not built again.
        let arguments = ["build", "--bin", "tdb", "--bin", ENGINE, "--test", "memory"];
        keep_plain(&test_programs::build(&[&arguments, WITHOUT_SQL].concat())?)?;
    }
    Ok(folder(PLAIN)?.join(name))
}

/// Returns the path of `tdb` with SQL.
pub(crate) fn tdb_with_sql() -> Result<PathBuf, Box<dyn Error>> {
    if std::env::var_os(KEPT).is_none() {
        let arguments = ["build", "--bin", "tdb", "--test", "sql"];
        keep_sql(&test_programs::build(&[&arguments, WITH_SQL].concat())?)?;
    }
    Ok(folder(SQL)?.join("tdb"))
}

/// Returns the search path with the folder of a program first.
pub(crate) fn path_with(program: &Path) -> Result<std::ffi::OsString, Box<dyn Error>> {
    let folder = program.parent().ok_or("the program lies nowhere")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(folders)?)
}
