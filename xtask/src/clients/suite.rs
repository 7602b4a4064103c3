//! Running TileDB-Py's suite, one process per file, and reading what pytest says of its tests.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::environment::{Environment, scratch};
use crate::side_by_side;

/// Number of files that run at once; their tests mostly wait.
const AT_ONCE: usize = 2;

/// Seconds that one test may take, and one file.
const TEST_SECONDS: &str = "60";
const FILE_SECONDS: &str = "900";

/// Files that need a server which is not here.
const LEFT_OUT: &[&str] = &["test_cloud.py"];

/// What became of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fate {
    /// Why it failed, in pytest's words; none if it passed.
    pub(crate) failure: Option<String>,
    /// Seconds that it took, rounded.
    pub(crate) seconds: u64,
}

/// What became of all tests that ran, by name.
pub(crate) type Fates = BTreeMap<String, Fate>;

/// A file of the suite, and the tests of it to run; all if there is no list.
struct File {
    name: String,
    chosen: Option<BTreeSet<String>>,
}

/// Runs the whole suite. A process that dies is an error.
pub(crate) fn run_all(environment: &Environment) -> Result<Fates, Box<dyn Error>> {
    let mut fates = Fates::new();
    for (file, result) in run(environment, files(environment)?)? {
        let said = result.map_err(|said| format!("{}: {}", file.name, death(&said)))?;
        fates.extend(said);
    }
    Ok(fates)
}

/// Runs tests of the suite, by their files. If the process of a file dies, each of its tests runs again alone, so that
/// only those fail that end it.
pub(crate) fn run_chosen(
    environment: &Environment,
    chosen: BTreeMap<&str, BTreeSet<String>>,
) -> Result<Fates, Box<dyn Error>> {
    let file = |(name, chosen): (&str, _)| File {
        name: name.to_owned(),
        chosen: Some(chosen),
    };
    let (mut fates, mut alone) = (Fates::new(), Vec::new());
    for (file, result) in run(environment, chosen.into_iter().map(file).collect())? {
        match result {
            Ok(some) => fates.extend(some),
            Err(said) => {
                println!("   {}: {}", file.name, death(&said));
                let tests = file.chosen.into_iter().flatten();
                alone.extend(tests.map(|test| File {
                    name: file.name.clone(),
                    chosen: Some(BTreeSet::from([test])),
                }));
            }
        }
    }
    for (file, result) in run(environment, alone)? {
        match result {
            Ok(some) => fates.extend(some),
            Err(said) => fates.extend(file.chosen.into_iter().flatten().map(|test| {
                let fate = Fate {
                    failure: Some(death(&said)),
                    seconds: 0,
                };
                (test, fate)
            })),
        }
    }
    Ok(fates)
}

/// Returns how a process ended that said nothing of its tests.
fn death(said: &str) -> String {
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    let fatal = lines
        .clone()
        .find(|line| line.contains("Fatal Python error"));
    let line = fatal.or_else(|| lines.next_back()).unwrap_or("");
    format!("the process died: {line}")
}

/// Returns all files of the suite.
fn files(environment: &Environment) -> Result<Vec<File>, Box<dyn Error>> {
    let suite = environment.suite()?;
    let mut names = Vec::new();
    for (folder, prefix) in [(suite.clone(), ""), (suite.join("cc"), "cc/")] {
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("test_") && name.ends_with(".py") {
                names.push(format!("{prefix}{name}"));
            }
        }
    }
    names.retain(|name| !LEFT_OUT.contains(&name.as_str()));
    names.sort_unstable();
    let file = |name| File { name, chosen: None };
    Ok(names.into_iter().map(file).collect())
}

/// What pytest told of the tests of a file, or what the process said that died.
type Told = Result<Fates, String>;

/// Runs files of the suite.
fn run(environment: &Environment, files: Vec<File>) -> Result<Vec<(File, Told)>, Box<dyn Error>> {
    let plugin = environment.packages()?.join("chosen_tests.py");
    fs::write(plugin, include_str!("../../clients/chosen_tests.py"))?;
    let packages = format!("{}/", environment.packages()?.display());
    let files = files.into_iter().enumerate();
    let runs = side_by_side::each(files, AT_ONCE, |(number, file)| {
        let home = scratch().map(|scratch| scratch.join("homes").join(number.to_string()));
        let said = home.and_then(|home| run_file(environment, &file, &home));
        (file, said.map_err(|error| error.to_string()))
    })?;
    let mut told = Vec::new();
    for (file, said) in runs {
        let said = said?;
        let fates = read(&said, &packages).ok_or(said);
        told.push((file, fates));
    }
    Ok(told)
}

/// Runs a file, and returns what pytest prints. It has a home and a folder for temporary files of its own, since the
/// suite writes to both.
fn run_file(environment: &Environment, file: &File, home: &Path) -> Result<String, Box<dyn Error>> {
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    fs::create_dir_all(home.join("tmp"))?;
    // A process that hangs in the library does not see the limit of a test.
    let mut python = Command::new("timeout");
    python.args(["--kill-after", "10", FILE_SECONDS]);
    python.arg(environment.python()).args(["-m", "pytest"]);
    python.args(["-p", "chosen_tests", "-p", "no:cacheprovider"]);
    python.args(["-o", "python_classes=*Test*", "--timeout", TEST_SECONDS]);
    python.args(["-q", "-rA", "--tb=short"]);
    python.args(["--durations=0", "--durations-min=0.5"]);
    python.arg(&file.name).current_dir(environment.suite()?);
    python.env("HOME", home).env("TMPDIR", home.join("tmp"));
    // Messages are cut at the width of the screen.
    python.env("COLUMNS", "240");
    if let Some(chosen) = &file.chosen {
        let list = home.join("chosen");
        let lines: Vec<&str> = chosen.iter().map(String::as_str).collect();
        fs::write(&list, lines.join("\n"))?;
        python.env("CHOSEN_TESTS", list);
    }
    let done = python.output()?;
    let mut said = String::from_utf8_lossy(&done.stdout).into_owned();
    said += &String::from_utf8_lossy(&done.stderr);
    fs::remove_dir_all(home)?;
    Ok(said)
}

/// Reads the summary of pytest, in which paths below the folder of packages become relative to it. None if there is no
/// summary, as the process died.
fn read(said: &str, packages: &str) -> Option<Fates> {
    let (before, summary) = said.rsplit_once("short test summary info ==")?;
    let mut fates = Fates::new();
    for line in summary.lines() {
        let Some((word, rest)) = line.split_once(' ') else {
            continue;
        };
        let rest = rest.replace(packages, "");
        let (name, message) = rest.split_once(" - ").unwrap_or((&rest, ""));
        match word {
            "PASSED" => drop(fates.entry(name.to_owned()).or_default()),
            // A test that passed is an error, too, if its end fails.
            "FAILED" | "ERROR" => {
                let fate = fates.entry(name.to_owned()).or_default();
                fate.failure.get_or_insert_with(|| message.to_owned());
            }
            _ => {}
        }
    }
    for (name, fate) in &mut fates {
        fate.seconds = seconds_of(before, packages, name);
    }
    Some(fates)
}

/// Returns the seconds of a test, from lines such as `1.25s call     test_x.py::C::t`.
fn seconds_of(said: &str, packages: &str, name: &str) -> u64 {
    let (_, durations) = said.rsplit_once("slowest durations").unwrap_or(("", ""));
    let phases = durations.lines().filter_map(|line| {
        let (time, rest) = line.trim_start().split_once("s ")?;
        let (_, of) = rest.split_once(' ')?;
        let time: f64 = time.parse().ok()?;
        (of.trim_start().replace(packages, "") == name).then_some(time)
    });
    let all = phases.sum::<f64>().round();
    // Whole seconds, far below the number of those that a file may take.
    std::time::Duration::try_from_secs_f64(all).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
..F
============ slowest durations ============
1.40s call     test_x.py::C::t[/a/b/examples/x.py]
0.70s setup    test_x.py::C::t[/a/b/examples/x.py]
2.00s call     test_x.py::u
=========================== short test summary info ============================
PASSED test_x.py::C::t[/a/b/examples/x.py]
PASSED test_x.py::ends[a b]
SKIPPED [1] test_x.py:7: no reason
XFAIL test_x.py::x - known
ERROR test_x.py::ends[a b] - Failed: Output
FAILED test_x.py::u - AssertionError: 1 - 2
1 failed, 2 passed, 1 error in 1.0s
";

    #[test]
    fn a_summary_is_read() {
        let fates = read(SAID, "/a/b/").unwrap();
        let of = |name: &str| fates.get(name).unwrap();
        assert_eq!(fates.len(), 3);
        assert_eq!(of("test_x.py::C::t[examples/x.py]").failure, None);
        assert_eq!(of("test_x.py::C::t[examples/x.py]").seconds, 2);
        let ends = of("test_x.py::ends[a b]");
        assert_eq!(ends.failure.as_deref(), Some("Failed: Output"));
        let failed = of("test_x.py::u");
        assert_eq!(failed.failure.as_deref(), Some("AssertionError: 1 - 2"));
        assert_eq!(failed.seconds, 2);
    }

    #[test]
    fn a_process_that_died_has_no_summary() {
        let said = "..Fatal Python error: Aborted\n\n  File \"x.py\"\n";
        assert_eq!(read(said, "/a/"), None);
        assert_eq!(
            death(said),
            "the process died: ..Fatal Python error: Aborted"
        );
    }
}
