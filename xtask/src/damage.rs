//! `cargo xtask damage`: opens and reads damaged golden arrays.
//!
//! The cases are those of the test `damage` of tdb-query, of which every test run tries a few; this command tries
//! others, or more.

use std::error::Error;

use crate::outcome::Outcome;
use crate::workspace::cargo;

/// Default number of cases.
const COUNT: u64 = 5000;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut seed, mut count) = (1, COUNT);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || -> Result<u64, Box<dyn Error>> {
            let value = arguments.next();
            let value = value.ok_or(format!("{argument} needs a number"))?;
            Ok(value.parse()?)
        };
        match argument.as_str() {
            "--seed" => seed = value()?,
            "--count" => count = value()?,
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    // Seeds within a run are consecutive; those of another run are far away.
    let first = seed.wrapping_mul(1 << 32);
    let status = cargo()
        .args([
            "test",
            "--quiet",
            "--package",
            "tdb-query",
            "--test",
            "damage",
        ])
        .args(["--", "--nocapture"])
        .env("TDB_DAMAGE_SEED", first.to_string())
        .env("TDB_DAMAGE_COUNT", count.to_string())
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("some cases do not end as they should".into())
    }
}
