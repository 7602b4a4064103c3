//! Test programs: built by one call of cargo, run one per processor at a time, counted by crate.
//!
//! `cargo test` runs one program after the other, so processors are idle during the last tests of each.

use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::report::{Report, Tests};
use crate::side_by_side;
use crate::workspace::cargo;

/// Result of one call of cargo.
pub(crate) struct Built {
    /// Messages of cargo about each package.
    messages: Vec<Value>,
}

/// A program of tests.
struct TestProgram {
    package: String,
    /// Name of its target: that of the crate for unit tests, such as `it` for integration tests.
    name: String,
    /// Folder of the package, which is the working directory of the tests.
    folder: PathBuf,
    file: PathBuf,
}

/// Builds with cargo; `arguments` begin with the subcommand.
pub(crate) fn build(arguments: &[&str]) -> Result<Built, Box<dyn Error>> {
    build_in(cargo(), arguments)
}

/// As `build`, with a prepared call of cargo: in another folder, or with other settings.
pub(crate) fn build_in(mut cargo: Command, arguments: &[&str]) -> Result<Built, Box<dyn Error>> {
    cargo.args(arguments);
    cargo.args(["--message-format", "json-render-diagnostics"]);
    // On a terminal, cargo shows its progress.
    if std::io::stderr().is_terminal() {
        cargo.stderr(Stdio::inherit());
    } else {
        cargo.arg("--quiet");
    }
    let done = cargo.output()?;
    if !done.status.success() {
        let told = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{told}{cargo:?}: {}", done.status).into());
    }
    let out = String::from_utf8(done.stdout)?;
    let messages = out.lines().map(serde_json::from_str);
    Ok(Built {
        messages: messages.collect::<Result<_, _>>()?,
    })
}

impl Built {
    /// Returns the path of a program that is not a test.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, Box<dyn Error>> {
        let mut files = self.messages.iter().filter_map(|message| {
            let is_it = message.get("target")?.get("name")? == name && !is_test(message);
            let file = message.get("executable")?.as_str()?;
            is_it.then(|| PathBuf::from(file))
        });
        Ok(files
            .next_back()
            .ok_or_else(|| format!("cargo built no program {name}"))?)
    }

    /// Returns the messages of cargo about each package.
    pub(crate) fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Runs the tests, except programs for which `is_left_out` returns true, given the package and the name.
    pub(crate) fn test(
        &self,
        report: &mut Report,
        is_left_out: impl Fn(&str, &str) -> bool,
    ) -> Outcome {
        let programs = self.messages.iter().filter_map(TestProgram::of);
        let programs = programs.filter(|program| !is_left_out(&program.package, &program.name));
        // The crates at the top are built last, and have the longest tests.
        let mut programs: Vec<TestProgram> = programs.collect();
        programs.reverse();
        let done = side_by_side::each(programs, side_by_side::processors(), |program| {
            let begun = Instant::now();
            let outcome = program.run();
            if let Ok((tests, _)) = &outcome {
                let (package, name, run) = (&program.package, &program.name, tests.run());
                let time = begun.elapsed().as_secs_f64();
                println!("   {package} {name}: {run} tests, {time:.1} s");
            }
            (program.package, outcome)
        })?;
        let mut failures = Vec::new();
        for (package, outcome) in done {
            match outcome {
                Ok((tests, failure)) => {
                    report.count(&package, tests);
                    failures.extend(failure);
                }
                Err(error) => failures.push(error),
            }
        }
        if failures.is_empty() {
            return Ok(());
        }
        Err(failures.join("\n").into())
    }
}

impl TestProgram {
    /// Returns the test program that a message of cargo reports as built; `None` for other messages.
    fn of(message: &Value) -> Option<Self> {
        let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
        let file = text(message.get("executable"))?;
        let manifest = PathBuf::from(text(message.get("manifest_path"))?);
        is_test(message).then_some(Self {
            package: package_name(message.get("package_id")?.as_str()?).to_owned(),
            name: text(message.get("target")?.get("name"))?,
            folder: manifest.parent()?.to_owned(),
            file: file.into(),
        })
    }

    /// Runs the tests. Returns their number, and the output if some failed.
    fn run(&self) -> Result<(Tests, Option<String>), String> {
        let mut command = Command::new(&self.file);
        command
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env("CARGO_PKG_NAME", &self.package)
            .stdin(Stdio::null());
        let done = command
            .output()
            .map_err(|error| format!("{}: {error}", self.file.display()))?;
        Ok(self.verdict(&done))
    }

    fn verdict(&self, done: &Output) -> (Tests, Option<String>) {
        let out = String::from_utf8_lossy(&done.stdout);
        let tests = Tests::counted(&out);
        if done.status.success() {
            return (tests, None);
        }
        let err = String::from_utf8_lossy(&done.stderr);
        let (package, name, status) = (&self.package, &self.name, done.status);
        let again = format!("run them again with `cargo test -p {package}`");
        let failed = format!("{out}{err}tests of {package}, {name}: {status}; {again}");
        (tests, Some(failed))
    }
}

fn is_test(message: &Value) -> bool {
    let profile = message.get("profile");
    profile.and_then(|profile| profile.get("test")) == Some(&Value::Bool(true))
}

/// Returns the package name in `path+file:///house/crates/tdb-tile#0.1.0` or
/// `path+file:///house/xtask/engine#xtask-engine@0.1.0`.
fn package_name(id: &str) -> &str {
    let (place, version) = id.rsplit_once('#').unwrap_or((id, ""));
    match version.split_once('@') {
        Some((name, _)) => name,
        None => Path::new(place)
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_by_their_names() {
        let path = "path+file:///house";
        assert_eq!(
            package_name(&format!("{path}/crates/tdb-tile#0.1.0")),
            "tdb-tile"
        );
        assert_eq!(
            package_name(&format!("{path}/xtask/engine#xtask-engine@0.1.0")),
            "xtask-engine"
        );
    }

    #[test]
    fn tests_that_fail_are_counted_and_told() {
        let message = serde_json::json!({
            "package_id": "path+file:///house/crates/a#0.1.0", "manifest_path": "/house/crates/a/Cargo.toml",
            "target": {"name": "it"}, "profile": {"test": true}, "executable": "/house/target/it",
        });
        let program = TestProgram::of(&message).unwrap();
        let said = "echo 'test result: FAILED. 3 passed; 1 failed; 0 ignored;'";
        let done = |script: &str| Command::new("sh").args(["-c", script]).output().unwrap();
        let (tests, failure) = program.verdict(&done(&format!("{said}; exit 101")));
        assert_eq!((tests.passed, tests.failed), (3, 1));
        assert!(failure.unwrap().contains("`cargo test -p a`"));
        assert_eq!(program.verdict(&done(said)).1, None);
    }

    #[test]
    fn programs_without_tests_are_none() {
        let message = serde_json::json!({
            "package_id": "path+file:///house/crates/a#0.1.0", "manifest_path": "/house/crates/a/Cargo.toml",
            "target": {"name": "a"}, "profile": {"test": false}, "executable": "/house/target/a",
        });
        assert!(TestProgram::of(&message).is_none());
        let built = Built {
            messages: vec![message],
        };
        assert!(built.program("a").is_ok() && built.program("b").is_err());
    }
}
