//! `cargo xtask test`: the checks to run before a change is sent, which take minutes.

use crate::outcome::Outcome;
use crate::parts::{self, Lane, Options, Part};
use crate::workshop::Workshop;
use crate::{checks, judges, layers, pages};

pub(crate) const PARTS: &[Part] = &[
    Part {
        name: "fmt",
        about: "formatting",
        lane: Lane::Build,
        after: &[],
        seconds: [3, 3],
        run: |_| checks::format(),
    },
    Part {
        name: "layers",
        about: "manifests and modules against docs/architecture.md",
        lane: Lane::Build,
        after: &[],
        seconds: [2, 2],
        run: |_| layers::run(&[]),
    },
    Part {
        name: "pages",
        about: "pages and tests that are named exist",
        lane: Lane::Build,
        after: &[],
        seconds: [1, 1],
        run: |_| pages::check(),
    },
    Part {
        name: "python",
        about: "Python's environment for the comparison with TileDB",
        lane: Lane::Beside,
        after: &[],
        seconds: [50, 1],
        run: |_| Workshop::open().map(drop),
    },
    Part {
        name: "build",
        about: "all programs and tests, but those of SQL",
        lane: Lane::Build,
        after: &[],
        seconds: [400, 2],
        run: |_| checks::build(),
    },
    Part {
        name: "tests",
        about: "all tests but those of SQL, over all golden arrays",
        lane: Lane::Build,
        after: &["build"],
        seconds: [140, 130],
        run: checks::test,
    },
    Part {
        name: "compare",
        about: "random arrays and writes, compared with TileDB",
        lane: Lane::Beside,
        after: &["build", "python"],
        seconds: [25, 25],
        run: judges::compare,
    },
    Part {
        name: "lint",
        about: "lints of all but SQL, warnings are errors",
        lane: Lane::Build,
        after: &[],
        seconds: [65, 2],
        run: |_| checks::lint(),
    },
];

/// Runs all parts, or those selected by `--only`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let (options, others) = Options::parse(arguments)?;
    if let Some(other) = others.first() {
        return Err(format!("unknown argument `{other}`").into());
    }
    let parts: Vec<&Part> = PARTS.iter().collect();
    parts::run("test", &parts, &options)
}
