//! `cargo xtask ci`: all checks that must pass before a change is accepted.

use crate::outcome::Outcome;
use crate::parts::{self, Lane, Options, Part};
use crate::{
    capi, checks, clients, deny, disk, door, feature_sets, fuzz, judges, package, readme, targets,
    test,
};

/// Parts that run after those of `cargo xtask test`.
const REST: &[Part] = &[
    Part {
        name: "judges",
        about: "random arrays, lives, writes and tables against TileDB, pandas and pyarrow: a part of their cases, chosen by the commit",
        lane: Lane::Beside,
        after: &["build"],
        seconds: [240, 240],
        run: judges::check,
    },
    Part {
        name: "capi",
        about: "the library of the C interface: its names and its header",
        lane: Lane::Build,
        after: &["build"],
        seconds: [120, 5],
        run: capi::check,
    },
    Part {
        name: "clients",
        about: "clients over that library: a tenth of TileDB-Py's own suite and random programs, chosen by the commit; tiledbsoma",
        lane: Lane::Beside,
        after: &["capi"],
        seconds: [240, 180],
        run: clients::check,
    },
    Part {
        name: "sql",
        about: "tests of SQL, on one machine and on several",
        lane: Lane::Build,
        after: &[],
        seconds: [425, 90],
        run: checks::test_sql,
    },
    Part {
        name: "core",
        about: "core crates, each alone and from its package, with default, no and all features",
        lane: Lane::Build,
        after: &[],
        seconds: [165, 90],
        run: package::check,
    },
    Part {
        name: "lint-all",
        about: "lints of SQL, and with all features",
        lane: Lane::Build,
        after: &[],
        seconds: [100, 3],
        run: |_| checks::lint_all_features(),
    },
    Part {
        name: "features",
        about: "lints of other crates alone, with each set of features",
        lane: Lane::Build,
        after: &[],
        seconds: [75, 10],
        run: |_| feature_sets::check(),
    },
    Part {
        name: "docs",
        about: "documentation, warnings are errors, also with all features",
        lane: Lane::Build,
        after: &[],
        seconds: [65, 10],
        run: |_| checks::document(),
    },
    Part {
        name: "door",
        about: "types of public signatures that the crate tdb does not export",
        lane: Lane::Build,
        after: &["docs"],
        seconds: [45, 10],
        run: |_| door::check(),
    },
    Part {
        name: "targets",
        about: "crates that must build for a browser and for Windows",
        lane: Lane::Build,
        after: &[],
        seconds: [11, 3],
        run: targets::check,
    },
    Part {
        name: "fuzz",
        about: "kept inputs of all fuzz targets, and a search with those whose crate changed",
        lane: Lane::Build,
        after: &[],
        seconds: [330, 120],
        run: |_| fuzz::check(),
    },
    Part {
        name: "deny",
        about: "bans, licences and sources of all packages",
        lane: Lane::Build,
        after: &[],
        seconds: [75, 2],
        run: |_| deny::check(),
    },
    Part {
        name: "sql-judges",
        about: "questions in SQL beside what TileDB reads",
        lane: Lane::Beside,
        after: &["sql"],
        seconds: [120, 120],
        run: judges::check_sql,
    },
    Part {
        name: "readme",
        about: "the examples of all READMEs run",
        lane: Lane::Beside,
        after: &["sql"],
        seconds: [60, 60],
        run: readme::check,
    },
    Part {
        name: "size",
        about: "what the target folder takes",
        lane: Lane::Beside,
        after: &["deny"],
        seconds: [2, 2],
        run: |_| disk::check(),
    },
];

/// Runs all parts, those selected by `--only`, or with `--rest` those that `cargo xtask test` does not run.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (options, others) = Options::parse(arguments)?;
    let is_rest = others.contains(&"--rest");
    if let Some(other) = others.iter().find(|other| **other != "--rest") {
        return Err(format!("unknown argument `{other}`").into());
    }
    // Judges need the programs of the part `build`, which are built or up to date.
    let is_before = |part: &&Part| !is_rest || part.name == "build";
    let before = test::PARTS.iter().filter(is_before);
    let parts: Vec<&Part> = before.chain(REST).collect();
    parts::run("ci", &parts, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_comes_after_parts_that_are_there() {
        let all = || test::PARTS.iter().chain(REST);
        for part in all() {
            let mut after = part.after.iter();
            let is_before = |name: &&&str| {
                let mut before = all().take_while(|other| other.name != part.name);
                before.any(|other| other.name == **name)
            };
            assert_eq!(after.find(|name| !is_before(name)), None, "{}", part.name);
        }
    }
}
