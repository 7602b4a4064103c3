//! `cargo xtask clients [--whole] [--bless] [--original]`: the suite of TileDB-Py, experiments of tiledbsoma and, with
//! `--whole`, indexes of tiledb-vector-search, run over tdb's library.
//! `cargo xtask clients --random N [--seed S]`: N random programs over TileDB-Py instead, run with either library.
//!
//! `xtask/clients/tiledb-py-0.36.1.txt` lists the tests that pass with the library of TileDB. All of them must pass
//! with tdb, but for those with a cause beside them, which must not: the causes only become fewer. A run takes a tenth
//! of the tests, chosen by the commit; `--whole` takes all. `--bless` removes the causes of tests that pass.
//! `--original` runs the whole suite over TileDB's library instead, and compares the list itself; with `--bless`, it
//! writes names and times, and keeps causes.

pub(crate) mod environment;
mod list;
mod random;
mod readme;
mod steps;
mod suite;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use environment::{Environment, SOMA, TILEDB_PY};
use list::Test;
use random::Programs;
use steps::{EXPERIMENTS, INDEXES};
use suite::{Fate, Fates};

use crate::outcome::Outcome;
use crate::report::{Report, Tests};
use crate::workspace::root;
use crate::{capi, judges};

/// A run takes one of so many parts.
const PARTS: usize = 10;

/// A file that only `--whole` runs: its tests start processes that wait for each other, and on a busy machine they end by
/// their limits of time, with TileDB's library too.
const BUSY: &str = "test_dask.py";

/// What the command line says.
#[derive(Default)]
struct Options {
    is_whole: bool,
    is_blessed: bool,
    is_original: bool,
    /// The number of random programs to run, in place of the suite.
    random: Option<u64>,
    seed: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let value = arguments.next().cloned();
            value.ok_or_else(|| format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--random" => options.random = Some(value()?.parse()?),
            "--seed" => options.seed = Some(value()?),
            "--whole" => options.is_whole = true,
            "--bless" => options.is_blessed = true,
            "--original" => options.is_original = true,
            other => return Err(format!("no option `{other}`").into()),
        }
    }
    if options.is_original {
        return compare_list(options.is_blessed);
    }
    let library = capi::for_clients()?;
    let ours = place(&library)?;
    if let Some(count) = options.random {
        let programs = Programs {
            seed: options.seed.unwrap_or_else(|| "1".to_owned()),
            count,
            seconds: None,
        };
        return programs.run(&Environment::original(&TILEDB_PY)?, &ours);
    }
    let tests = listed()?;
    let chosen = if options.is_whole || options.is_blessed {
        tests.clone()
    } else {
        part(&tests)?
    };
    let findings = judge(&ours, &chosen)?;
    if options.is_blessed {
        return bless(tests, &findings);
    }
    findings.close()?;
    steps::compare(&EXPERIMENTS, &library)?;
    if options.is_whole {
        steps::compare(&INDEXES, &library)?;
    }
    Ok(())
}

/// Runs the part of the suite that the commit chooses, over the library that the part `capi` keeps, then random programs,
/// and the experiments of tiledbsoma.
pub(crate) fn check(report: &mut Report) -> Outcome {
    let library = capi::kept()?;
    let ours = place(&library)?;
    readme::check()?;
    let findings = judge(&ours, &part(&listed()?)?)?;
    report.count("TileDB-Py", findings.tests());
    findings.close()?;
    let programs = Programs::of_ci().check(&Environment::original(&TILEDB_PY)?, &ours)?;
    report.count("random programs over TileDB-Py", programs);
    report.count("tiledbsoma", steps::compare(&EXPERIMENTS, &library)?);
    // No other part needs these, and they take more than 1 GB.
    SOMA.remove()
}

/// Puts a library in place, and tries the other ways to do so.
fn place(library: &Path) -> Result<Environment, Box<dyn Error>> {
    let ours = Environment::with_tdb(&TILEDB_PY, library)?;
    ours.prove()?;
    Environment::original(&TILEDB_PY)?.prove_other_ways(library)?;
    Ok(ours)
}

fn path() -> PathBuf {
    root().join("xtask/clients/tiledb-py-0.36.1.txt")
}

fn listed() -> Result<Vec<Test>, Box<dyn Error>> {
    list::parse(&fs::read_to_string(path())?)
}

/// Returns the part of the tests that the commit chooses.
fn part(tests: &[Test]) -> Result<Vec<Test>, Box<dyn Error>> {
    let mut hasher = DefaultHasher::new();
    judges::commit()?.hash(&mut hasher);
    let place = usize::try_from(hasher.finish() % PARTS as u64)?;
    println!("   part {} of {PARTS}", place + 1);
    let quiet = tests.iter().filter(|test| test.file() != BUSY);
    let mut parts = list::parts(&quiet.cloned().collect::<Vec<_>>(), PARTS);
    Ok(parts.swap_remove(place))
}

/// Runs tests over tdb's library. Those that fail and should not run once more: some have limits of time that a busy
/// machine exceeds.
fn judge(ours: &Environment, tests: &[Test]) -> Result<Findings, Box<dyn Error>> {
    let mut fates = suite::run_chosen(ours, by_file(tests.iter()))?;
    let failed = |test: &&Test| {
        let fate = fates.get(&test.name);
        test.cause.is_none() && fate.is_none_or(|fate| fate.failure.is_some())
    };
    let again = by_file(tests.iter().filter(failed));
    if !again.is_empty() {
        for name in again.values().flatten() {
            println!("   once more: {name}");
        }
        fates.extend(suite::run_chosen(ours, again)?);
    }
    let findings = Findings::of(tests, &fates);
    findings.print();
    Ok(findings)
}

/// Sorts tests by their files.
fn by_file<'a>(tests: impl Iterator<Item = &'a Test>) -> BTreeMap<&'a str, BTreeSet<String>> {
    let mut files: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for test in tests {
        let chosen = files.entry(test.file()).or_default();
        chosen.insert(test.name.clone());
    }
    files
}

/// What a run says of the tests of the list.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    passed: u64,
    /// Tests that fail, as the list says.
    known: u64,
    /// Tests that pass, though the list has a cause why they do not.
    mended: BTreeSet<String>,
    /// What is wrong, a line for each test.
    wrong: Vec<String>,
}

impl Findings {
    fn of(tests: &[Test], fates: &Fates) -> Self {
        let mut findings = Self::default();
        for test in tests {
            findings.add(test, fates.get(&test.name));
        }
        findings
    }

    fn add(&mut self, test: &Test, fate: Option<&Fate>) {
        let name = &test.name;
        let Some(fate) = fate else {
            self.wrong.push(format!(
                "{name}: neither passes nor fails: it has vanished, or is skipped"
            ));
            return;
        };
        match (fate.failure.as_deref(), &test.cause) {
            (None, None) => self.passed += 1,
            (None, Some(_)) => drop(self.mended.insert(name.clone())),
            (Some(_), Some(_)) => self.known += 1,
            (Some(failure), None) => self.wrong.push(format!("{name}: {failure}")),
        }
    }

    fn print(&self) {
        println!(
            "   TileDB-Py: {} tests run, {} passed, {} fail as known, {} otherwise",
            self.tests().run() + self.known,
            self.tests().passed,
            self.known,
            self.wrong.len()
        );
    }

    fn tests(&self) -> Tests {
        Tests {
            passed: self.passed + self.mended.len() as u64,
            failed: self.wrong.len() as u64,
            ignored: self.known,
        }
    }

    /// Returns an error if anything is not as the list says.
    fn close(&self) -> Outcome {
        let mended = self.mended.iter().map(|name| {
            format!("{name}: passes, but has a cause in the list; cargo xtask clients --bless")
        });
        let lines: Vec<String> = self.wrong.iter().cloned().chain(mended).collect();
        if lines.is_empty() {
            return Ok(());
        }
        Err(lines.join("\n").into())
    }
}

/// Removes the causes of tests that pass. Those that fail without a cause stay an error: the list only shrinks.
fn bless(mut tests: Vec<Test>, findings: &Findings) -> Outcome {
    for test in &mut tests {
        if findings.mended.contains(&test.name) {
            test.cause = None;
        }
    }
    write(&tests)?;
    println!("   {} causes removed", findings.mended.len());
    if findings.wrong.is_empty() {
        return Ok(());
    }
    Err(findings.wrong.join("\n").into())
}

fn write(tests: &[Test]) -> Outcome {
    let old = fs::read_to_string(path()).unwrap_or_default();
    fs::write(path(), list::format(&old, tests))?;
    Ok(())
}

/// Compares the list with what passes with TileDB's library, or writes it.
fn compare_list(is_blessed: bool) -> Outcome {
    let original = Environment::original(&TILEDB_PY)?;
    original.prove()?;
    let fates = suite::run_all(&original)?;
    let old = listed().or_else(|error| if is_blessed { Ok(vec![]) } else { Err(error) })?;
    let mut causes: BTreeMap<String, Option<String>> = old
        .into_iter()
        .map(|test| (test.name, test.cause))
        .collect();
    let (mut tests, mut wrong) = (Vec::new(), Vec::new());
    for (name, fate) in fates {
        let is_listed = causes.contains_key(&name);
        match fate.failure {
            Some(failure) => println!("   fails with TileDB's library: {name}: {failure}"),
            None => {
                if !is_listed {
                    wrong.push(format!("{name}: passes, and is not in the list"));
                }
                tests.push(Test {
                    cause: causes.remove(&name).flatten(),
                    seconds: fate.seconds,
                    name,
                });
            }
        }
    }
    println!("   {} tests pass with TileDB's library", tests.len());
    if is_blessed {
        return write(&tests);
    }
    let left = causes.keys();
    wrong.extend(left.map(|name| format!("{name}: in the list, but does not pass")));
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong.join("\n").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates_of(fates: &[(&str, Option<&str>)]) -> Fates {
        let fate = |(name, failure): &(&str, Option<&str>)| {
            let failure = failure.map(str::to_owned);
            let fate = Fate {
                failure,
                seconds: 0,
            };
            ((*name).to_owned(), fate)
        };
        fates.iter().map(fate).collect()
    }

    #[test]
    fn what_is_not_as_listed_is_found() {
        let tests =
            list::parse("a.py::a\na.py::b\t\tlabels\na.py::c\na.py::d\t\tlabels\na.py::e\n");
        let fates = fates_of(&[
            ("a.py::a", None),
            ("a.py::b", Some("no")),
            ("a.py::c", Some("a reason")),
            ("a.py::d", None),
            ("a.py::new", None),
        ]);
        let findings = Findings::of(&tests.unwrap(), &fates);
        assert_eq!((findings.passed, findings.known), (1, 1));
        assert!(findings.mended.iter().eq(["a.py::d"]));
        assert_eq!(findings.wrong.len(), 2);
        assert_eq!(findings.wrong[0], "a.py::c: a reason");
        assert!(findings.wrong[1].starts_with("a.py::e: neither"));
        let said = findings.close().unwrap_err().to_string();
        assert!(said.contains("a.py::d: passes, but has a cause"));
    }

    #[test]
    fn a_run_as_listed_is_right() {
        let tests = list::parse("a.py::a\t\tlabels\nb.py::b\n").unwrap();
        let fates = fates_of(&[("b.py::b", None), ("a.py::a", Some("the process died"))]);
        assert!(Findings::of(&tests, &fates).close().is_ok());
    }
}
