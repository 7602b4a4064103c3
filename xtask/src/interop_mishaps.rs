//! `cargo xtask interop-mishaps`: things that go wrong around arrays, and how the program reacts.
//!
//! `xtask/interop/mishaps.py` creates the cases, each kind in a module of its own: truncated streams (`streams`),
//! results in the folder of an array (`outputs`), domains too large to walk (`domains`), damaged objects (`damage`), a
//! past lost by merges and vacuums (`history`), and writers whose clocks are wrong by up to a day (`clocks`).

use std::error::Error;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::Command;

use crate::commands::output;
use crate::interop::parse;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// Format versions written by TileDB 2.0 to 2.4.
const OLD: RangeInclusive<u64> = 5..=10;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let (arguments, asked) = Asked::parse(arguments)?;
    let mut options = parse(&arguments, &workshop)?;
    let name = format!("mishaps-{}", options.seed);
    options.folder.set_file_name(name);
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/mishaps.py"))
            .arg(asked.program()?)
            .arg(&options.folder)
            .args([&options.seed, &options.count, &asked.kinds])
            .args(asked.case),
    )?;
    print!("{said}");
    Ok(())
}

/// `cargo xtask interop-old`: reads random arrays written by TileDB 2.0 to 2.4 with the program and with TileDB 2.30.
pub(crate) fn run_old(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let (arguments, asked) = Asked::parse(arguments)?;
    let mut options = parse(&arguments, &workshop)?;
    options
        .folder
        .set_file_name(format!("old-{}", options.seed));
    for release in workshop.releases()? {
        if OLD.contains(&release.version) {
            workshop.library(&release.wheel, &release.python)?;
        }
    }
    workshop.library(JUDGE.0, JUDGE.1)?;
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/old_releases.py"))
            .arg(workshop.libraries())
            .arg(root().join("fixtures/recipes"))
            .arg(&options.folder)
            .args([&options.seed, &options.count])
            .arg(asked.program()?),
    )?;
    print!("{said}");
    Ok(())
}

/// Options in addition to the seed and the count.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    /// Kinds of mishaps, separated by commas, or `all`.
    kinds: String,
    /// The single case to run.
    case: Option<String>,
    /// A program to test instead of that of the workspace.
    program: Option<PathBuf>,
}

impl Asked {
    /// Returns the program to test.
    fn program(&self) -> Result<PathBuf, Box<dyn Error>> {
        match &self.program {
            Some(program) => Ok(program.clone()),
            None => programs::tdb(),
        }
    }

    /// Splits the arguments into those that other judges have too, and the options.
    fn parse(arguments: &[String]) -> Result<(Vec<String>, Self), String> {
        let (mut others, mut rest) = (Vec::new(), arguments.iter());
        let mut asked = Self {
            kinds: "all".to_owned(),
            case: None,
            program: None,
        };
        while let Some(argument) = rest.next() {
            let mut value = || {
                let value = rest.next().cloned();
                value.ok_or_else(|| format!("{argument} needs a value"))
            };
            match argument.as_str() {
                "--kind" => asked.kinds = value()?,
                "--case" => asked.case = Some(value()?),
                "--program" => asked.program = Some(value()?.into()),
                _ => others.push(argument.clone()),
            }
        }
        Ok((others, asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_cases_and_programs_are_told_from_seeds() {
        let words = "--seed 3 --kind streams,outputs --count 5 --case 4 --program old/tdb";
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let (others, asked) = Asked::parse(&words).expect("all known");
        assert_eq!(others.join(" "), "--seed 3 --count 5");
        let wanted = Asked {
            kinds: "streams,outputs".to_owned(),
            case: Some("4".to_owned()),
            program: Some("old/tdb".into()),
        };
        assert_eq!(asked, wanted);
        assert!(Asked::parse(&words[..3]).is_err());
    }
}
