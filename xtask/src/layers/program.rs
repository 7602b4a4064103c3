//! Checking that the program opens arrays and groups in one way, through the crate `tdb`, and asks errors instead of
//! casting them to types of the engine.

use std::error::Error;
use std::path::Path;

use crate::workspace::sources;

/// Texts that the source of the program does not contain, and what stands there instead.
const AVOIDED: [(&str, &str); 2] = [
    (
        "open_location(",
        "arrays and groups are opened by Opener, in src/open.rs",
    ),
    (
        "downcast",
        "errors are asked: kind(), hint(), damaged_fragment() and others",
    ),
];

/// Returns the violations in the crate `tdb-cli`, one sentence each.
pub(super) fn check(crates: &[(String, &Path)]) -> Result<Vec<String>, Box<dyn Error>> {
    let program = crates.iter().find(|(name, _)| name == "tdb-cli");
    let (_, folder) = program.ok_or("there is no crate tdb-cli")?;
    let mut findings = Vec::new();
    for path in sources(&folder.join("src"))? {
        let file = path.strip_prefix(folder)?.display().to_string();
        findings.extend(violations(&file, &std::fs::read_to_string(&path)?));
    }
    Ok(findings)
}

fn violations(file: &str, source: &str) -> Vec<String> {
    let lines = source.lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        let found = AVOIDED.iter().filter(|(text, _)| line.contains(text));
        found.map(move |(text, instead)| {
            format!("tdb-cli/{file}:{}: has {text:?}, but {instead}", number + 1)
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_round_the_door_is_found() {
        let source = "\
// Array::open_location( in a comment
let array = Array::open_location(&place, options)?;
let cause = error.downcast_ref::<QueryError>();
let array = opener.array(&place)?;";
        let found = violations("src/a.rs", source);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("tdb-cli/src/a.rs:2: has \"open_location(\""));
        assert!(found[1].starts_with("tdb-cli/src/a.rs:3: has \"downcast\""));
    }
}
