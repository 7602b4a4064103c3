//! `cargo xtask interop-mishaps`: what goes wrong around arrays, and what the program then does or says.
//!
//! `xtask/interop/mishaps.py` makes the cases, each kind in a module of its own: streams that are cut off (`streams`), results in the
//! folder of an array (`outputs`), domains that are too large to be walked over (`domains`), damaged objects (`damage`), and a past that
//! merges and vacuums took away (`history`).

use std::path::PathBuf;
use std::process::Command;

use crate::commands::output;
use crate::interop::parse;
use crate::outcome::Outcome;
use crate::programs;
use crate::workshop::Workshop;
use crate::workspace::root;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let workshop = Workshop::open()?;
    let (arguments, asked) = Asked::parse(arguments)?;
    let mut options = parse(&arguments, &workshop)?;
    let name = format!("mishaps-{}", options.seed);
    options.folder.set_file_name(name);
    let program = match asked.program {
        Some(program) => program,
        None => programs::tdb()?,
    };
    let said = output(
        Command::new(workshop.python())
            .arg("-B")
            .arg(root().join("xtask/interop/mishaps.py"))
            .arg(program)
            .arg(&options.folder)
            .args([&options.seed, &options.count, &asked.kinds])
            .args(asked.case),
    )?;
    print!("{said}");
    Ok(())
}

/// What is asked for besides a seed and a count.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    /// Kinds, with commas between them, or `all`.
    kinds: String,
    /// The one case that is run.
    case: Option<String>,
    /// Another program than that of the workspace.
    program: Option<PathBuf>,
}

impl Asked {
    /// Takes the options that no other judge has; gives the others.
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
