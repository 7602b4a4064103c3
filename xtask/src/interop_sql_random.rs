//! `cargo xtask interop-sql-random`: runs random SQL queries over random arrays, and compares them with DuckDB's
//! answers for the cells that TileDB reads (`xtask/interop/sql_random.py`).

use std::process::Command;

use crate::commands::output;
use crate::interop::parse;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let mut options = parse(arguments, &workshop)?;
    options
        .folder
        .set_file_name(format!("sql-random-{}", options.seed));
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/sql_random.py"))
            .arg(workshop.library(JUDGE.0, JUDGE.1)?)
            .arg(root().join("fixtures/recipes"))
            .arg(&options.folder)
            .args([&options.seed, &options.count])
            .arg(programs::tdb_with_sql()?),
    )?;
    print!("{said}");
    Ok(())
}
