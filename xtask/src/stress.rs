//! `cargo xtask stress`: processes of tdb and TileDB write, merge, vacuum and read one array at the same time.
//!
//! `xtask/interop/stress.py` defines what each process does and what a reader must find. `xtask/interop/beside.py`
//! runs writes by TileDB at the same time as changes of the same cells by tdb, and kills imports.

use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::Workshop;
use crate::workspace::root;

/// Default duration in seconds: enough to exercise everything, not to rule out rare failures.
const SECONDS: &str = "20";

/// Default number of TileDB's writes at the same time as a change.
const ROUNDS: &str = "20";

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (mut seconds, mut rounds) = (SECONDS.to_owned(), ROUNDS.to_owned());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().ok_or("--seconds needs a number")?.clone(),
            "--rounds" => rounds = arguments.next().ok_or("--rounds needs a number")?.clone(),
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    let workshop = Workshop::open()?;
    let folder = workshop.scratch().join("stress");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let program = programs::tdb()?;
    for (script, amount) in [("stress", &seconds), ("beside", &rounds)] {
        let out = folder.join(script);
        fs::create_dir_all(&out)?;
        let said = output(
            Command::new(workshop.python())
                .arg("-B")
                .arg(root().join(format!("xtask/interop/{script}.py")))
                .arg(&out)
                .arg(amount)
                .arg(&program),
        )?;
        print!("{said}");
    }
    Ok(())
}
