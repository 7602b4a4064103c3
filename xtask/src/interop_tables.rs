//! `cargo xtask interop-tables`: passes random tables of pandas, pyarrow and numpy through arrays of tdb, and checks
//! what tdb reports about them.
//!
//! `xtask/interop/tables.py` creates the tables, runs the program as users do, and compares. The other packages judge
//! features that TileDB does not have: statistics, groups, sorting by values, files and dates.

use std::process::Command;

use crate::commands::output;
use crate::interop::parse;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::Workshop;
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    judge("tables", arguments)
}

/// `cargo xtask interop-edges`: random arrays with cells that stand for no value, through every verb and every file
/// format.
pub(crate) fn run_edges(arguments: &[String]) -> Outcome {
    judge("edges", arguments)
}

/// Runs the script of this name, which creates cases from a seed and compares.
fn judge(name: &str, arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let (arguments, case) = case(arguments)?;
    let mut options = parse(&arguments, &workshop)?;
    options
        .folder
        .set_file_name(format!("{name}-{}", options.seed));
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop").join(format!("{name}.py")))
            .arg(programs::tdb()?)
            .arg(&options.folder)
            .args([&options.seed, &options.count])
            .args(case),
    )?;
    print!("{said}");
    Ok(())
}

/// Returns the arguments without `--case N`, and N.
fn case(arguments: &[String]) -> Result<(Vec<String>, Option<String>), String> {
    let place = arguments.iter().position(|argument| argument == "--case");
    let (before, after) = arguments.split_at(place.unwrap_or(arguments.len()));
    match after {
        [] => Ok((before.to_vec(), None)),
        [_, number, rest @ ..] => Ok(([before, rest].concat(), Some(number.clone()))),
        [_] => Err("--case needs a value".to_owned()),
    }
}
