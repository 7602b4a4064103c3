//! Building each crate on its own with its sets of features. A build of the whole workspace unifies features, and
//! hides missing ones.
//!
//! The core crates run their tests with each set, from their packages (`package.rs`). Other crates are linted with
//! each set, including tests: those in [`FORWARDING`] pass their features on to the filters, the others run their
//! tests with all features at once.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::commands::succeed;
use crate::outcome::Outcome;
use crate::workspace::{FORWARDING, cargo, metadata};

/// Features that take minutes to build, and are checked together with all others.
const SLOW: [&str; 2] = ["distributed", "sql"];

/// Crates whose features turn on modules of their own, so that each feature is checked alone.
const BY_FEATURE: &[&str] = &["tdb-arrow", "tdb-text", "tdb-files", "tdb"];

/// Crates below the crates in `BY_FEATURE`, which must build and lint alone with default, no and all features.
const BY_SET: &[&str] = &[
    "tdb-store",
    "tdb-simd",
    "tdb-condition",
    "tdb-consolidate",
    "tdb-aggregate",
];

/// Lints crates alone, with each of their sets of features or with each feature.
pub(crate) fn check() -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    for name in BY_SET.iter().chain(FORWARDING) {
        let sets = of(&metadata, name);
        for features in &sets {
            lint(name, features, "--all-targets")?;
        }
        println!("   {name} alone: {} sets of features", sets.len());
    }
    for name in BY_FEATURE {
        let none = Map::new();
        let features = features(&metadata, name).unwrap_or(&none);
        for feature in one_by_one(features) {
            let alone = ["--no-default-features", "--features", feature];
            // Tests bring features of their own, but the library has to build without them.
            lint(name, &alone, "--lib")?;
            lint(name, &alone, "--all-targets")?;
        }
        let tried: Vec<&str> = one_by_one(features).skip(1).collect();
        println!("   {name} alone: no feature, {}", tried.join(", "));
    }
    Ok(())
}

fn lint(name: &str, features: &[&str], targets: &str) -> Outcome {
    let mut lint = cargo();
    lint.args(["clippy", "--quiet", "--package", name, targets]);
    succeed(lint.args(features).args(["--", "-D", "warnings"]))
}

/// Returns the empty feature, then each feature alone.
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

/// Returns the distinct sets of features of a crate, as arguments for cargo: default, none, all.
pub(crate) fn of(metadata: &Value, name: &str) -> Vec<&'static [&'static str]> {
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

/// Returns the feature `default` and all features that it turns on.
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
            of(
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
