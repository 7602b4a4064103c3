use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;

use crate::commits::{check_line, parse_lines, rerooted};
use crate::{ArrayError, TimestampedName};

/// The bytes of `.con`, `.ign`, `.vac` and `.replaces` objects, by key.
pub type Lists = BTreeMap<String, Bytes>;

/// Returns the keys listed in the `.vac` objects that satisfy `rule`.
pub(super) fn hidden<'a>(
    vacuums: &[(String, TimestampedName)],
    lists: &'a Lists,
    rule: impl Fn(&TimestampedName) -> bool,
) -> Result<HashSet<&'a str>, ArrayError> {
    let mut hidden = HashSet::new();
    for (key, _) in vacuums.iter().filter(|(_, name)| rule(name)) {
        hidden.extend(lines_of(key, lists)?);
    }
    Ok(hidden)
}

/// Returns the keys listed in a `.vac` or `.replaces` object.
pub(super) fn lines_of<'a>(key: &str, lists: &'a Lists) -> Result<Vec<&'a str>, ArrayError> {
    let Some(bytes) = lists.get(key) else {
        return Err(ArrayError::Missing {
            key: key.to_owned(),
            by: "a list of the directory",
        });
    };
    let lines = parse_lines(bytes).map(|line| {
        check_line(key, line)?;
        Ok(rerooted(line))
    });
    lines.collect()
}
