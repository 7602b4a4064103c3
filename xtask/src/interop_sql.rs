//! `cargo xtask interop-sql`: runs SQL queries over files, over an S3 server, on two workers and over Parquet, and
//! compares them with what TileDB reads (`xtask/interop/sql.py`).

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::interop_stores::moto;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let Some(argument) = arguments.first() {
        return Err(format!("unknown argument `{argument}`").into());
    }
    let workshop = Workshop::open()?;
    let folder = workshop.scratch().join("sql");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (_server, settings) = moto(&workshop, &folder)?;
    let mut python = Command::new(workshop.python());
    python.arg("-B").arg(root().join("xtask/interop/sql.py"));
    python.arg(workshop.library(JUDGE.0, JUDGE.1)?);
    python
        .arg(root().join("fixtures/recipes"))
        .arg("s3://tdbsql");
    python
        .arg(root().join("fixtures"))
        .arg(programs::tdb_with_sql()?)
        .arg(&folder);
    python.envs(settings);
    print!("{}", output(&mut python)?);
    Ok(())
}
