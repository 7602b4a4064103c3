//! Checking that dependencies built without SQL are not built again with SQL.
//!
//! Cargo builds a dependency once for each set of features, together with everything above it. In builds without SQL,
//! `xtask/features` requests the features that SQL turns on; when dependencies change, its list must be updated.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use crate::commands::output;
use crate::workspace::{WITH_SQL, WITHOUT_SQL, cargo, host};

/// Sets of features with which each dependency is built, by name and version.
type Features = BTreeMap<String, BTreeSet<String>>;

/// Returns the dependencies that are built twice, one sentence each.
pub(super) fn check() -> Result<Vec<String>, Box<dyn Error>> {
    Ok(twice(&features(WITHOUT_SQL)?, &features(WITH_SQL)?))
}

fn features(packages: &[&str]) -> Result<Features, Box<dyn Error>> {
    let mut tree = cargo();
    tree.arg("tree").args(packages);
    tree.args(["--target", &host()?, "--edges", "normal,build,dev"]);
    tree.args(["--prefix", "none", "--format", "{p}|{f}"]);
    Ok(parsed(&output(&mut tree)?))
}

fn parsed(tree: &str) -> Features {
    let mut found = Features::new();
    for line in tree.lines() {
        let line = line.trim_end_matches(" (*)");
        let Some((package, features)) = line.split_once('|') else {
            continue;
        };
        let package: Vec<&str> = package.split(' ').take(2).collect();
        let sets = found.entry(package.join(" ")).or_default();
        sets.insert(features.to_owned());
    }
    found
}

fn twice(without: &Features, with: &Features) -> Vec<String> {
    let is_ours = |name: &str| name.starts_with("tdb") || name.starts_with("xtask");
    let both = without.iter().filter(|(name, _)| !is_ours(name));
    let differ = both.filter_map(|(name, sets)| {
        let others = with.get(name)?;
        let (more, less) = (listed(others, sets), listed(sets, others));
        (sets != others).then(|| {
            format!(
                "{name} is built twice, as SQL gives it other features: xtask/features/Cargo.toml needs [{more}], and not [{less}]"
            )
        })
    });
    differ.collect()
}

/// Returns the features in `sets` that are in none of `others`, separated by commas.
fn listed(sets: &BTreeSet<String>, others: &BTreeSet<String>) -> String {
    let all = |sets: &BTreeSet<String>| -> BTreeSet<String> {
        let names = sets.iter().flat_map(|set| set.split(','));
        names.map(str::to_owned).collect()
    };
    let more: Vec<String> = all(sets).difference(&all(others)).cloned().collect();
    more.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_features_are_told() {
        let without =
            parsed("tokio v1.54.1|net,rt\ntokio v1.54.1|net,rt (*)\ntdb v0.1.0 (/house)|arrow\n");
        let with =
            parsed("tokio v1.54.1|full,net,rt\ntdb v0.1.0 (/house)|arrow,sql\nmoka v0.12.1|\n");
        assert_eq!(twice(&without, &without), [""; 0]);
        let told = twice(&without, &with);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("tokio v1.54.1") && told[0].contains("needs [full], and not []"),
            "{told:?}"
        );
    }
}
