//! Crates built each by itself, and the sets of features to build them with.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use serde_json::{Map, Value};

use crate::outcome::Outcome;
use crate::runs::{Tests, succeed};
use crate::workspace::{ALONE, cargo, metadata, root};

/// Features that take minutes, and are checked with all others.
const SLOW: [&str; 2] = ["distributed", "sql"];

/// Crates whose features turn on modules of their own.
const BY_FEATURE: &[&str] = &["tdb-arrow", "tdb-text", "tdb"];

/// Crates that are tested at once: while the tests of one run, another is compiled.
const AT_ONCE: usize = 2;

/// Tests each crate by itself, since a build of the whole workspace unifies features and hides holes.
/// All are tried, so that one run shows every hole.
pub(crate) fn check(tests: &mut Tests) -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    let names = Mutex::new(ALONE.iter());
    let next = || names.lock().ok().and_then(|mut names| names.next());
    let worker = || {
        let (mut tests, mut failures) = (Tests::default(), Vec::new());
        while let Some(name) = next() {
            failures.extend(check_one(&metadata, name, &mut tests));
        }
        (tests, failures)
    };
    let done = thread::scope(|scope| {
        let workers = [(); AT_ONCE].map(|()| scope.spawn(worker));
        workers.map(thread::ScopedJoinHandle::join)
    });
    let mut failures = Vec::new();
    for worker in done {
        let (counted, failed) = worker.map_err(|_| "a thread that tests crates ended early")?;
        tests.add(counted);
        failures.extend(failed);
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(format!("fail alone: {}", failures.join("; ")).into())
    }
}

/// Tests a crate with each of its sets of features, and tells with which it fails. One whose own code is the same with all of them
/// is tested with the first, and linted with the others: what those turn on is tested in the crate that has it.
fn check_one(metadata: &Value, name: &str, tests: &mut Tests) -> Vec<String> {
    let mut failures = Vec::new();
    let is_same = !depends_on_features(&root().join("crates").join(name).join("src"));
    for (place, features) in feature_sets(metadata, name).into_iter().enumerate() {
        let (begun, before) = (Instant::now(), tests.passed);
        let is_linted = is_same && place > 0;
        let outcome = if is_linted {
            let mut lint = cargo();
            lint.args(["clippy", "--quiet", "--all-targets", "--package", name]);
            succeed(lint.args(features).args(["--", "-D", "warnings"]))
        } else {
            let mut test = cargo();
            tests.run(
                test.args(["test", "--quiet", "--package", name])
                    .args(features),
            )
        };
        let done = match tests.passed.saturating_sub(before) {
            _ if is_linted => "linted".to_owned(),
            count => format!("{count} tests"),
        };
        let features = features.first().copied().unwrap_or("default features");
        let seconds = begun.elapsed().as_secs_f64();
        println!("   {name}, {features}: {done}, {seconds:.1} s");
        if let Err(error) = outcome {
            eprintln!("{error}");
            failures.push(format!("{name}, {features}"));
        }
    }
    failures
}

/// Whether any code in this folder is there with some features only.
fn depends_on_features(folder: &Path) -> bool {
    let is_code = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    let names_none = |path: &Path| {
        // Of what cannot be read, it is not known.
        fs::read_to_string(path).is_ok_and(|code| !code.contains("feature = \""))
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return true;
    };
    entries.filter_map(Result::ok).any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            depends_on_features(&path)
        } else {
            is_code(&path) && !names_none(&path)
        }
    })
}

/// Lints the crates whose features stand each for itself, tests and all: none of them, then one at a time.
pub(crate) fn each_feature() -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    for name in BY_FEATURE {
        let none = Map::new();
        let features = features(&metadata, name).unwrap_or(&none);
        for feature in one_by_one(features) {
            let mut check = cargo();
            check.args(["clippy", "--quiet", "--package", name, "--all-targets"]);
            check.args(["--no-default-features", "--features", feature]);
            check.args(["--", "-D", "warnings"]);
            succeed(&mut check)?;
        }
        let tried: Vec<&str> = one_by_one(features).skip(1).collect();
        println!("   {name}: none, {}", tried.join(", "));
    }
    Ok(())
}

/// No feature, then each by itself.
fn one_by_one(features: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let named = features.keys().map(String::as_str);
    [""].into_iter()
        .chain(named.filter(|feature| *feature != "default" && !SLOW.contains(feature)))
}

fn features<'a>(metadata: &'a Value, name: &str) -> Option<&'a Map<String, Value>> {
    let packages = metadata.get("packages")?.as_array()?;
    let package = packages
        .iter()
        .find(|package| package.get("name").is_some_and(|n| n == name))?;
    package.get("features")?.as_object()
}

/// The choices of features that differ from each other, as arguments of cargo.
fn feature_sets(metadata: &Value, name: &str) -> Vec<&'static [&'static str]> {
    let none = Map::new();
    let features = features(metadata, name).unwrap_or(&none);
    let on = on_by_default(features);
    let mut sets: Vec<&'static [&'static str]> = vec![&[]];
    if on.len() > 1 {
        sets.push(&["--no-default-features"]);
    }
    if features
        .keys()
        .any(|feature| feature != "default" && !on.contains(feature.as_str()))
    {
        sets.push(&["--all-features"]);
    }
    sets
}

/// The feature `default` and all that it turns on.
fn on_by_default(features: &Map<String, Value>) -> BTreeSet<&str> {
    let (mut on, mut to_see) = (BTreeSet::new(), vec!["default"]);
    while let Some(feature) = to_see.pop() {
        if on.insert(feature) {
            let turns_on = features.get(feature).and_then(Value::as_array);
            to_see.extend(turns_on.into_iter().flatten().filter_map(Value::as_str));
        }
    }
    on
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn code_that_features_change_is_found() {
        let of = |name| depends_on_features(&root().join("crates").join(name).join("src"));
        assert!(of("tdb-filters") && of("tdb-schema") && of("tdb-text") && of("no such crate"));
        assert!(!of("tdb-query") && !of("tdb-cells"));
    }

    #[test]
    fn features_are_tried_one_by_one() {
        let features = json!({"default": ["csv"], "csv": [], "json": ["dep:serde"]});
        let tried: Vec<&str> = one_by_one(features.as_object().unwrap()).collect();
        assert_eq!(tried, ["", "csv", "json"]);
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
            sets(json!({"default": ["a"], "a": ["b"], "b": ["dep:c"]})),
            [&[] as &[&str], &["--no-default-features"]]
        );
        assert_eq!(
            sets(json!({"default": ["a"], "a": [], "b": []})),
            [
                &[] as &[&str],
                &["--no-default-features"],
                &["--all-features"]
            ]
        );
    }
}
