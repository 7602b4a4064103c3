//! `cargo xtask interop-tables`: passes random tables of pandas, pyarrow and numpy through arrays of tdb, and checks
//! what tdb reports about them.
//!
//! `xtask/interop/tables.py` creates the tables, runs the program as users do, and compares. The other packages judge
//! features that TileDB does not have: statistics, groups, sorting by values, files and dates.

use std::error::Error;
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
    let mut script = Command::new(workshop.python());
    script
        .arg("-B")
        .arg(root().join("xtask/interop").join(format!("{name}.py")))
        .arg(programs::tdb()?)
        .arg(&options.folder)
        .args([&options.seed, &options.count])
        .args(case);
    print!("{}", said_by(&mut script)?);
    Ok(())
}

/// Runs a script and returns its output. If a signal ends the script, it runs once more: the C libraries that it loads
/// (TileDB, pyarrow) corrupt their own memory once in many runs. That says nothing of tdb, which runs in processes of
/// its own, and whose exit statuses the script checks.
fn said_by(script: &mut Command) -> Result<String, Box<dyn Error>> {
    let first = script.output()?;
    if first.status.code().is_some() && !first.status.success() {
        return Err(String::from_utf8_lossy(&first.stderr).into_owned().into());
    }
    if first.status.success() {
        return Ok(String::from_utf8(first.stdout)?);
    }
    eprintln!("{script:?}: {}: once more", first.status);
    output(script)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_script_that_a_signal_ends_runs_once_more() {
        let folder = std::env::temp_dir().join(format!("tdb-xtask-signal-{}", std::process::id()));
        let script = |text: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", text, "sh"]).arg(&folder);
            command
        };
        let once = "mkdir $1 && kill -ABRT $$; rmdir $1; echo done";
        assert_eq!(said_by(&mut script(once)).unwrap(), "done\n");
        assert!(said_by(&mut script("kill -ABRT $$")).is_err());
        let wrong = said_by(&mut script("echo wrong >&2; exit 1"));
        assert_eq!(wrong.unwrap_err().to_string(), "wrong\n");
    }
}
