//! Tasks that each need only one crate and a short program.

use std::collections::BTreeSet;
use std::path::Path;

/// The programs, and the only crate of this workspace that each uses.
const PROGRAMS: [(&str, &str); 10] = [
    ("tdb/examples/schema.rs", "tdb"),
    ("tdb/examples/slice.rs", "tdb"),
    ("tdb/examples/write.rs", "tdb"),
    ("tdb/examples/scan.rs", "tdb"),
    ("tdb/examples/ndarray.rs", "tdb"),
    ("tdb/examples/append.rs", "tdb"),
    ("tdb/examples/progress.rs", "tdb"),
    ("tdb/examples/memory.rs", "tdb"),
    ("tdb-filters/examples/filter.rs", "tdb_filters"),
    ("tdb-fragment/examples/footer.rs", "tdb_fragment"),
];

/// Maximum number of lines of such a program, without its title and blank lines.
const LINES: usize = 15;

/// Returns the crates of this workspace that a program uses: `tdb::…`, `tdb_tile::…`.
fn crates_of(code: &str) -> BTreeSet<&str> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let paths = code.split("::").filter_map(|before| {
        let start = before.rfind(|character| !is_name(character));
        before.get(start.map_or(0, |place| place + 1)..)
    });
    paths
        .filter(|name| *name == "tdb" || name.starts_with("tdb_"))
        .collect()
}

#[test]
fn each_takes_one_crate_and_at_most_fifteen_lines() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    for (program, wanted) in PROGRAMS {
        let text = std::fs::read_to_string(crates.join(program)).expect(program);
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//!");
        let code: Vec<&str> = text.lines().filter(is_code).collect();
        assert!(code.len() <= LINES, "{program} has {} lines", code.len());
        assert_eq!(crates_of(&code.join("\n")), [wanted].into(), "{program}");
    }
}

#[test]
fn a_second_crate_is_seen() {
    let code = "use tdb_filters::Pipeline;\nfn main() -> tdb_tile::Limits { mine::tdb() }";
    assert_eq!(crates_of(code), ["tdb_filters", "tdb_tile"].into());
}
