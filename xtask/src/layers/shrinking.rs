//! Counts constructs that the code should have fewer of: CONTRIBUTING.md, "Counts that only shrink".
//!
//! `shrinking.txt` has the counts of each crate. A larger count is a finding, and so is a smaller one: the file must
//! then be updated (`cargo xtask layers --bless`), so that the next change starts from the smaller count.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;

mod counts;

use counts::{Counts, KINDS};

use crate::workspace::{root, sources};

/// Counts of each crate, by name.
type Table = BTreeMap<String, Counts>;

/// Compares the crates with the table, and returns the differences, one sentence each. With `bless`, counts that have
/// shrunk are written to the table.
pub(super) fn check(
    crates: &[(String, &Path)],
    bless: bool,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Table::new();
    for (name, folder) in crates {
        if name.starts_with("tdb") {
            found.insert(name.clone(), counts_of(&folder.join("src"))?);
        }
    }
    let file = root().join("xtask/src/layers/shrinking.txt");
    let listed = parse(&std::fs::read_to_string(&file)?)?;
    let (more, fewer) = compare(&found, &listed);
    if bless && more.is_empty() {
        std::fs::write(&file, text(&found))?;
        return Ok(Vec::new());
    }
    Ok(more.into_iter().chain(fewer).collect())
}

/// Adds up the counts of all files in a folder and its subfolders, except for tests.
fn counts_of(folder: &Path) -> Result<Counts, Box<dyn Error>> {
    let mut total = Counts::default();
    for path in sources(folder)? {
        let below = path.strip_prefix(folder)?;
        let is_test = |part: &OsStr| Path::new(part).file_stem() == Some(OsStr::new("tests"));
        if below.iter().any(is_test) {
            continue;
        }
        let source = std::fs::read_to_string(&path)?;
        let counts = counts::of(&source).map_err(|error| format!("{}: {error}", path.display()))?;
        total.add(&counts);
    }
    Ok(total)
}

/// Returns a sentence for each count that is greater than listed, and one for each that is less.
fn compare(found: &Table, listed: &Table) -> (Vec<String>, Vec<String>) {
    let (mut more, mut fewer) = (Vec::new(), Vec::new());
    let none = Counts::default();
    for name in found.keys().chain(listed.keys()) {
        let (now, then) = (
            found.get(name).unwrap_or(&none),
            listed.get(name).unwrap_or(&none),
        );
        for (kind, (now, then)) in KINDS.iter().zip(now.all().into_iter().zip(then.all())) {
            if now > then {
                more.push(format!(
                    "{name}: {now} {}, where there were {then}: {}",
                    kind.name, kind.instead
                ));
            } else if now < then {
                fewer.push(format!(
                    "{name}: {now} {}, and xtask/src/layers/shrinking.txt says {then}: cargo xtask layers --bless",
                    kind.name
                ));
            }
        }
    }
    for list in [&mut more, &mut fewer] {
        list.sort();
        list.dedup();
    }
    (more, fewer)
}

fn text(table: &Table) -> String {
    let kinds = KINDS.map(|kind| kind.name.replace(' ', "-")).join(" ");
    let rows = table.iter().map(|(name, counts)| {
        let counts = counts.all().map(|count| count.to_string());
        format!("{name} {}\n", counts.join(" "))
    });
    format!("crate {kinds}\n{}", rows.collect::<String>())
}

fn parse(text: &str) -> Result<Table, Box<dyn Error>> {
    let rows = text.lines().skip(1).map(|line| {
        let wrong = || format!("shrinking.txt: not a name and its counts: {line}");
        let mut words = line.split(' ');
        let name = words.next().ok_or_else(wrong)?;
        let counts: Result<Vec<usize>, _> = words.map(str::parse).collect();
        let counts = Counts::new(&counts.map_err(|_| wrong())?).ok_or_else(wrong)?;
        Ok((name.to_owned(), counts))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(counts: [usize; 5]) -> Table {
        Table::from([("tdb-x".to_owned(), Counts::new(&counts).unwrap())])
    }

    #[test]
    fn counts_that_differ_are_found_in_both_directions() {
        let listed = table([3, 2, 1, 0, 5]);
        assert_eq!(compare(&listed, &listed), (Vec::new(), Vec::new()));
        let (more, fewer) = compare(&table([4, 1, 1, 0, 5]), &listed);
        assert_eq!((more.len(), fewer.len()), (1, 1));
        assert!(more[0].starts_with("tdb-x: 4 silent sums, where there were 3"));
        assert!(fewer[0].contains("1 tuple parameters"), "{}", fewer[0]);
        let (more, _) = compare(&listed, &Table::new());
        assert_eq!(more.len(), 4);
        let (_, fewer) = compare(&Table::new(), &listed);
        assert_eq!(fewer.len(), 4);
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let counts = table([3, 2, 1, 0, 5]);
        assert_eq!(parse(&text(&counts)).unwrap(), counts);
        assert!(parse("crate\ntdb-x 1 2 3").is_err());
        assert!(parse("crate\ntdb-x 1 2 3 four").is_err());
    }
}
