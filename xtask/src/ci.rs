//! `cargo xtask ci`: everything that must hold before a change is taken, with the seconds of each part.

use std::collections::BTreeSet;
use std::error::Error;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::workspace::{ALONE, cargo, metadata, root};
use crate::{Outcome, layers, package, pages, readme, targets};

/// The version that `target/tools` gets where the machine has none.
const CARGO_DENY: &str = "0.20.2";

/// Arrays that the comparison against TileDB writes.
const INTEROP: [&str; 5] = ["interop", "--seed", "1", "--count", "100"];

/// Lives of arrays and groups that tdb and TileDB take turns in.
const LIVES: [&str; 5] = ["interop-life", "--seed", "1", "--count", "15"];

/// Arrays that tdb and TileDB both write.
const WRITES: [&str; 5] = ["interop-write", "--seed", "2", "--count", "40"];

/// Arrays of older formats that tdb writes and releases of these read.
const RELEASES: [&str; 7] = [
    "interop",
    "--releases",
    "7,17",
    "--seed",
    "3",
    "--count",
    "8",
];

/// One part of the run.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Tests) -> Outcome,
}

const PARTS: &[Part] = &[
    Part {
        name: "fmt",
        about: "formatting",
        run: fmt,
    },
    Part {
        name: "clippy",
        about: "lints, warnings are errors",
        run: clippy,
    },
    Part {
        name: "layers",
        about: "manifests against docs/architecture.md",
        run: |_| layers::run(&[]),
    },
    Part {
        name: "pages",
        about: "made pages are up to date, pages and tests that are named exist",
        run: |_| pages::check(),
    },
    Part {
        name: "alone",
        about: "core crates, each alone, default, no and all features",
        run: alone,
    },
    Part {
        name: "targets",
        about: "crates that must build for a browser and for Windows",
        run: |_| targets::check(),
    },
    Part {
        name: "docs",
        about: "documentation, warnings are errors",
        run: docs,
    },
    Part {
        name: "deny",
        about: "bans, licences and sources of all packages",
        run: deny,
    },
    Part {
        name: "test",
        about: "tests of all other crates",
        run: rest,
    },
    Part {
        name: "package",
        about: "core crates from their packages",
        run: package::check,
    },
    Part {
        name: "readme",
        about: "the examples of README.md run",
        run: readme::check,
    },
    Part {
        name: "interop",
        about: "random arrays against TileDB",
        run: interop,
    },
];

/// What the tests came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// Runs all parts, or those after `--only`; with `--keep-going`, also after one has failed.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let parts = chosen(arguments)?;
    let keep_going = arguments.iter().any(|argument| argument == "--keep-going");
    let started = Instant::now();
    let mut tests = Tests::default();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = Vec::new();
    for part in parts {
        println!("== {}: {}", part.name, part.about);
        let begun = Instant::now();
        let outcome = (part.run)(&mut tests);
        times.push((part.name, begun.elapsed()));
        println!("   {:.1} s", begun.elapsed().as_secs_f64());
        if let Err(error) = outcome {
            eprintln!("{error}");
            failed.push(part.name);
            if !keep_going {
                break;
            }
        }
    }
    let seconds: Vec<String> = times
        .iter()
        .map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64()))
        .collect();
    println!(
        "== seconds: {}, all {:.1}",
        seconds.join(", "),
        started.elapsed().as_secs_f64()
    );
    println!(
        "== tests: {} passed, {} failed, {} ignored",
        tests.passed, tests.failed, tests.ignored
    );
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("failed: {}", failed.join(", ")).into())
    }
}

fn chosen(arguments: &[String]) -> Result<Vec<&'static Part>, Box<dyn Error>> {
    let mut chosen: Vec<&Part> = PARTS.iter().collect();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--keep-going" => {}
            "--only" => {
                let names = arguments.next().ok_or("--only needs names of parts")?;
                let names: BTreeSet<&str> = names.split(',').collect();
                if let Some(name) = names
                    .iter()
                    .find(|name| !PARTS.iter().any(|part| part.name == **name))
                {
                    let known: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                    return Err(format!("no part `{name}`; there are {}", known.join(", ")).into());
                }
                chosen.retain(|part| names.contains(part.name));
            }
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    Ok(chosen)
}

fn fmt(_tests: &mut Tests) -> Outcome {
    succeed(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy(_tests: &mut Tests) -> Outcome {
    succeed(cargo().args([
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}

fn docs(_tests: &mut Tests) -> Outcome {
    let mut docs = cargo();
    succeed(
        docs.args(["doc", "--quiet", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// Each crate by itself, since a build of the whole workspace unifies features and hides holes.
/// All are tried, so that one run shows every hole.
fn alone(tests: &mut Tests) -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    let mut failures = Vec::new();
    for name in ALONE {
        for features in feature_sets(&metadata, name) {
            let (begun, before) = (Instant::now(), tests.passed);
            let outcome = tests.run(
                cargo()
                    .args(["test", "--quiet", "--package", name])
                    .args(features),
            );
            let count = tests.passed.saturating_sub(before);
            let features = features.first().copied().unwrap_or("default features");
            let seconds = begun.elapsed().as_secs_f64();
            println!("   {name}, {features}: {count} tests, {seconds:.1} s");
            if let Err(error) = outcome {
                eprintln!("{error}");
                failures.push(format!("{name}, {features}"));
            }
        }
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("fail alone: {}", failures.join("; ")).into())
    }
}

/// The choices of features that differ from each other, as arguments of cargo.
fn feature_sets(metadata: &Value, name: &str) -> Vec<&'static [&'static str]> {
    let package = metadata
        .get("packages")
        .and_then(Value::as_array)
        .and_then(|packages| {
            packages
                .iter()
                .find(|package| package.get("name").is_some_and(|n| n == name))
        });
    let features = package
        .and_then(|package| package.get("features"))
        .and_then(Value::as_object);
    let Some(features) = features else {
        return vec![&[]];
    };
    let has_default = features
        .get("default")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty());
    let others = features.keys().any(|feature| feature != "default");
    let mut sets: Vec<&'static [&'static str]> = vec![&[]];
    if has_default {
        sets.push(&["--no-default-features"]);
    }
    if others {
        sets.push(&["--all-features"]);
    }
    sets
}

fn rest(tests: &mut Tests) -> Outcome {
    let excluded = ALONE.iter().flat_map(|name| ["--exclude", name]);
    tests.run(
        cargo()
            .args(["test", "--quiet", "--workspace"])
            .args(excluded),
    )
}

fn deny(_tests: &mut Tests) -> Outcome {
    let tools = root().join("target/tools");
    let mut deny = tools.join("bin/cargo-deny");
    let answers = |program: &std::path::Path| {
        let version = Command::new(program)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(CARGO_DENY))
    };
    if !answers(&deny) {
        let on_path = std::path::PathBuf::from("cargo-deny");
        if answers(&on_path) {
            deny = on_path;
        } else {
            let version = format!("cargo-deny@{CARGO_DENY}");
            println!("   installing {version} into target/tools");
            succeed(
                cargo()
                    .args(["install", "--quiet", "--locked", "--root"])
                    .arg(&tools)
                    .arg(version),
            )?;
        }
    }
    let mut command = Command::new(deny);
    succeed(command.current_dir(root()).args([
        "--log-level",
        "error",
        "check",
        "bans",
        "licenses",
        "sources",
    ]))
}

fn interop(_tests: &mut Tests) -> Outcome {
    for run in [&INTEROP[..], &LIVES, &WRITES, &RELEASES, &["walkthrough"]] {
        let mut command = Command::new(std::env::current_exe()?);
        succeed(command.current_dir(root()).args(run))?;
    }
    Ok(())
}

/// Runs a command; what it printed is the error when it fails.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    Err(format!("{out}{err}{command:?}: {}", output.status).into())
}

impl Tests {
    /// Runs a command that runs tests, and counts them.
    pub(crate) fn run(&mut self, command: &mut Command) -> Outcome {
        let output = command.output()?;
        let out = String::from_utf8_lossy(&output.stdout);
        self.count(&out);
        if output.status.success() {
            return Ok(());
        }
        let err = String::from_utf8_lossy(&output.stderr);
        Err(format!("{out}{err}{command:?}: {}", output.status).into())
    }

    /// Adds what the lines `test result: ok. 12 passed; 0 failed; 1 ignored; …` say.
    fn count(&mut self, output: &str) {
        for line in output
            .lines()
            .filter(|line| line.starts_with("test result:"))
        {
            let words: Vec<&str> = line
                .split([' ', ';'])
                .filter(|word| !word.is_empty())
                .collect();
            let before = |what: &str| -> u64 {
                let number = words.windows(2).find_map(|pair| match pair {
                    [number, word] if *word == what => number.parse().ok(),
                    _ => None,
                });
                number.unwrap_or(0)
            };
            self.passed = self.passed.saturating_add(before("passed"));
            self.failed = self.failed.saturating_add(before("failed"));
            self.ignored = self.ignored.saturating_add(before("ignored"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tests_are_counted_over_all_binaries() {
        let mut tests = Tests::default();
        tests.count(
            "running 2 tests\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n\
             noise 9 passed\ntest result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out\n",
        );
        assert_eq!(
            tests,
            Tests {
                passed: 5,
                failed: 4,
                ignored: 1
            }
        );
    }

    #[test]
    fn equal_sets_of_features_are_tested_once() {
        let sets = |features: Value| {
            feature_sets(
                &json!({"packages": [{"name": "x", "features": features}]}),
                "x",
            )
        };
        assert_eq!(sets(json!({})), [&[] as &[&str]]);
        assert_eq!(
            sets(json!({"serde": []})),
            [&[] as &[&str], &["--all-features"]]
        );
        assert_eq!(
            sets(json!({"default": ["a"], "a": []})),
            [
                &[] as &[&str],
                &["--no-default-features"],
                &["--all-features"]
            ]
        );
    }

    #[test]
    fn parts_are_chosen_by_name() {
        let names = |only: &str| chosen(&["--only".to_owned(), only.to_owned()]);
        let found: Vec<&str> = names("docs,fmt")
            .unwrap()
            .iter()
            .map(|part| part.name)
            .collect();
        assert_eq!(found, ["fmt", "docs"]);
        assert!(names("nothing").is_err());
        assert!(chosen(&["--what".to_owned()]).is_err());
    }
}
