//! `cargo xtask ci`: everything that must hold before a change is taken, with the seconds of each part.
//!
//! Fuzzing goes on beside the last parts: these have programs wait for each other, and leave a processor idle.

use std::collections::BTreeSet;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

use crate::outcome::Outcome;
pub(crate) use crate::runs::{Tests, succeed};
use crate::workspace::{cargo, root, together};
use crate::{alone, deny, fuzz, judges, layers, package, pages, readme, targets};

/// One part of the run.
struct Part {
    name: &'static str,
    about: &'static str,
    run: fn(&mut Tests) -> Outcome,
}

/// What a part came to.
struct Done {
    time: Duration,
    tests: Tests,
    /// What went wrong.
    error: Option<String>,
}

impl Part {
    fn done(&self) -> Done {
        let (begun, mut tests) = (Instant::now(), Tests::default());
        let error = (self.run)(&mut tests).err().map(|error| error.to_string());
        Done {
            time: begun.elapsed(),
            tests,
            error,
        }
    }
}

/// The part that those behind it do not wait for.
const BESIDE: &str = "fuzz";

const PARTS: &[Part] = &[
    Part {
        name: "fmt",
        about: "formatting",
        run: fmt,
    },
    Part {
        name: "clippy",
        about: "lints, warnings are errors, also with all features",
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
        run: alone::check,
    },
    Part {
        name: "features",
        about: "crates whose features are checked one by one",
        run: |_| alone::each_feature(),
    },
    Part {
        name: "targets",
        about: "crates that must build for a browser and for Windows",
        run: |_| targets::check(),
    },
    Part {
        name: "docs",
        about: "documentation, warnings are errors, also with all features",
        run: docs,
    },
    Part {
        name: "deny",
        about: "bans, licences and sources of all packages",
        run: |_| deny::check(),
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
        name: "fuzz",
        about: "kept inputs, then some seconds of search for each target",
        run: |_| fuzz::check(),
    },
    Part {
        name: "readme",
        about: "the examples of README.md run",
        run: readme::check,
    },
    Part {
        name: "interop",
        about: "random arrays and tables against TileDB, pandas and pyarrow, no fewer than there should be",
        run: |_| judges::check(),
    },
];

/// Runs all parts, or those after `--only`; with `--keep-going`, also after one has failed.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let parts = chosen(arguments)?;
    let keep_going = arguments.iter().any(|argument| argument == "--keep-going");
    let started = Instant::now();
    let mut tests = Tests::default();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failed = Vec::new();
    let mut note = |name, done: Done| {
        println!("   {name}: {:.1} s", done.time.as_secs_f64());
        times.push((name, done.time));
        tests.add(done.tests);
        if let Some(error) = &done.error {
            eprintln!("{error}");
            failed.push(name);
        }
        done.error.is_none()
    };
    let mut beside = None;
    for part in parts {
        println!("== {}: {}", part.name, part.about);
        if part.name == BESIDE {
            beside = Some(thread::spawn(|| part.done()));
        } else if !note(part.name, part.done()) && !keep_going {
            break;
        }
    }
    if let Some(thread) = beside {
        note(BESIDE, thread.join().map_err(|_| "fuzzing ended early")?);
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
    let format = ["fmt", "--all", "--check"];
    succeed(cargo().args(format))?;
    succeed(cargo().current_dir(root().join("fuzz")).args(format))
}

/// As everybody builds the workspace, without what is off by default, and with all that can be turned on: what SQL needs is
/// checked in one of the two alone, since it takes minutes.
const FEATURES: [&[&str]; 2] = [
    &[
        "--exclude",
        "tdb-datafusion",
        "--exclude",
        "tdb-distributed",
    ],
    &["--all-features"],
];

fn clippy(_tests: &mut Tests) -> Outcome {
    for features in FEATURES {
        let mut clippy = cargo();
        clippy.args(["clippy", "--quiet", "--workspace", "--all-targets"]);
        clippy.args(features).args(["--", "-D", "warnings"]);
        succeed(&mut clippy)?;
    }
    Ok(())
}

fn docs(_tests: &mut Tests) -> Outcome {
    for features in FEATURES {
        let mut docs = cargo();
        docs.args(["doc", "--quiet", "--workspace", "--no-deps"]);
        // With examples, dependencies have the features that they have in lints, and are not checked again. The program `tdb` has
        // no pages of its own: its name is that of the library.
        docs.args([
            "--lib",
            "--bin",
            "xtask",
            "--bin",
            "tdb-bench",
            "--examples",
        ]);
        docs.args(features).env("RUSTDOCFLAGS", "-D warnings");
        succeed(&mut docs)?;
    }
    Ok(())
}

fn rest(tests: &mut Tests) -> Outcome {
    tests.run(cargo().args(["test", "--quiet"]).args(together()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
