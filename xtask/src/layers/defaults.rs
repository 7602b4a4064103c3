//! Checking that the crates do not use values that hide errors: CONTRIBUTING.md, "Loud instead of wrong".
//!
//! Clippy finds the methods that `clippy.toml` disallows, if a crate turns on that lint. It does not check arguments
//! of methods: a number that does not fit must not silently become the largest number.

use std::error::Error;
use std::path::Path;

use crate::workspace::sources;

/// Texts to search for, without whitespace.
const LARGEST: [&str; 2] = [".unwrap_or(usize::MAX", ".unwrap_or(u64::MAX"];

/// Permitted places: the file, the number of occurrences, and why the largest number is right there. The list must
/// only shrink.
type Standing = (&'static str, usize, &'static str);

const STANDING: &[Standing] = &[
    ("tdb-cells/src/profile.rs", 1, "a time that is shown"),
    ("tdb-cells/src/share.rs", 1, "no budget has more"),
    ("tdb-filters/src/run.rs", 1, "a limit beyond memory is none"),
    (
        "tdb-files/src/import/schema.rs",
        1,
        "a side that is only compared",
    ),
    ("tdb-fragment/src/footer_place.rs", 1, "only shown"),
    ("tdb-query/src/dense/cutter.rs", 1, "estimates of memory"),
    ("tdb-query/src/read.rs", 1, "no limit was asked for"),
    ("tdb-query/src/request.rs", 1, "no limit was asked for"),
    ("tdb-tile/src/generic_tile.rs", 1, "fits, as was checked"),
    ("tdb-tile/src/walk/size.rs", 1, "only shown"),
];

/// Returns the violations in the crates of the workspace, one sentence each. `crates` are their names and folders.
pub(super) fn check(crates: &[(String, &Path)]) -> Result<Vec<String>, Box<dyn Error>> {
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for (name, folder) in crates {
        if !name.starts_with("tdb") {
            continue;
        }
        let root = folder.join(if folder.join("src/lib.rs").is_file() {
            "src/lib.rs"
        } else {
            "src/main.rs"
        });
        let root = std::fs::read_to_string(root)?;
        findings.extend(unlinted(name, &root));
        for path in sources(&folder.join("src"))? {
            let count = saturated(&std::fs::read_to_string(&path)?);
            let file = path.strip_prefix(folder)?.to_string_lossy();
            found.push((format!("{name}/{}", file.replace('\\', "/")), count));
        }
    }
    findings.extend(compare(&found, STANDING));
    Ok(findings)
}

/// Returns a finding if a crate does not turn on the lint.
fn unlinted(name: &str, root: &str) -> Option<String> {
    (!root.contains("clippy::disallowed_methods")).then(|| {
        format!("{name}: src/lib.rs, or src/main.rs, does not switch on the lint clippy::disallowed_methods")
    })
}

/// Counts where a source replaces a number that does not fit by the largest one; comments do not count.
fn saturated(source: &str) -> usize {
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.flat_map(str::split_whitespace).collect();
    LARGEST.iter().map(|what| code.matches(what).count()).sum()
}

fn compare(found: &[(String, usize)], standing: &[Standing]) -> Vec<String> {
    let listed = |file: &str| standing.iter().find(|(listed, ..)| *listed == file);
    let more = found.iter().filter_map(|(file, count)| {
        let allowed = listed(file).map_or(0, |(_, allowed, _)| *allowed);
        (*count > allowed).then(|| {
            format!(
                "{file}: unwrap_or(usize::MAX) or unwrap_or(u64::MAX) stands there {count} times, of which {allowed} may: \
                 an error says what does not fit, the largest number hides it"
            )
        })
    });
    let fewer = standing.iter().filter_map(|(file, allowed, _)| {
        let count = found.iter().find(|(name, _)| name == file);
        let count = count.map_or(0, |(_, count)| *count);
        (count < *allowed).then(|| {
            format!(
                "{file}: has {count} of the {allowed} largest numbers that stand for it in xtask/src/layers/defaults.rs: \
                 take them off the list"
            )
        })
    });
    more.chain(fewer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_is_found_however_it_is_broken_into_lines() {
        let source = "
            // .unwrap_or(u64::MAX)
            let a = b.unwrap_or(usize::MAX);
            let c = d
                .unwrap_or(
                    u64::MAX,
                );
            let e = f.unwrap_or(1);";
        assert_eq!(saturated(source), 2);
    }

    #[test]
    fn what_is_new_and_what_is_gone_is_told() {
        let standing: &[Standing] = &[("tdb-x/src/a.rs", 1, ""), ("tdb-x/src/b.rs", 1, "")];
        let found = |counts: [usize; 3]| {
            let files = ["tdb-x/src/a.rs", "tdb-x/src/b.rs", "tdb-x/src/c.rs"];
            let files = files.map(str::to_owned).into_iter();
            files.zip(counts).collect::<Vec<_>>()
        };
        assert!(compare(&found([1, 1, 0]), standing).is_empty());
        let told = compare(&found([2, 0, 1]), standing);
        let told: Vec<bool> = ["a.rs: unwrap_or", "c.rs: unwrap_or", "b.rs: has 0"]
            .into_iter()
            .zip(&told)
            .map(|(wanted, told)| told.contains(wanted))
            .collect();
        assert_eq!(told, [true; 3]);
    }

    #[test]
    fn a_crate_switches_the_lint_on() {
        assert!(unlinted("tdb-x", "#![forbid(unsafe_code)]").is_some());
        let on = "#![cfg_attr(not(test), warn(clippy::disallowed_methods))]";
        assert_eq!(unlinted("tdb-x", on), None);
    }
}
