//! Crates built each by itself, and the sets of features to build them with.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Map, Value};

use crate::outcome::Outcome;
use crate::runs::{Tests, succeed};
use crate::workspace::{ALONE, cargo, metadata};

/// Features that take minutes, and are checked with all others.
const SLOW: [&str; 2] = ["distributed", "sql"];

/// Crates whose features turn on modules of their own.
const BY_FEATURE: &[&str] = &["tdb-arrow", "tdb-text", "tdb"];

/// Tests each crate by itself, since a build of the whole workspace unifies features and hides holes.
/// All are tried, so that one run shows every hole.
pub(crate) fn check(tests: &mut Tests) -> Outcome {
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
