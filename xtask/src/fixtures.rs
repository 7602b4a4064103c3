//! `cargo xtask fixtures`: golden arrays written by real TileDB releases.
//!
//! The recipes are Python (`fixtures/recipes`), because a release is easiest to get as a wheel of TileDB-Py. Only the
//! shared library in the wheel is used, through its C interface, so one Python can drive every release. This module
//! runs the recipes, compares their results, and writes the tables.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::essence::{essence, first_difference};
use crate::outcome::Outcome;
use crate::workshop::Workshop;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the command with the arguments after `fixtures`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let options = Options::parse(arguments)?;
    let workshop = Workshop::open()?;
    let listing = workshop.recipes(&["list"])?;
    let listing: Value = serde_json::from_str(&listing)?;
    let chosen: Vec<&str> = names(&listing).filter(|name| options.wants(name)).collect();
    if chosen.is_empty() {
        return Err("no fixture has such a name".into());
    }
    workshop.fetch_wheels(&listing)?;
    let mut wrong = Vec::new();
    for name in chosen {
        if options.check {
            wrong.extend(check(&workshop, name)?);
        } else if let Err(error) = make(&workshop, name, &workshop.fixtures().join(name)) {
            wrong.push(format!("  {error}"));
        } else {
            println!("{name}");
        }
    }
    if !options.check {
        fs::write(
            workshop.fixtures().join("README.md"),
            readme(workshop.fixtures())?,
        )?;
    }
    verdict(&wrong)
}

fn verdict(wrong: &[String]) -> Outcome {
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("{} fixtures went wrong:\n{}", wrong.len(), wrong.join("\n")).into())
}

fn names(listing: &Value) -> impl Iterator<Item = &str> {
    let fixtures = listing.get("fixtures").and_then(Value::as_array);
    fixtures
        .into_iter()
        .flatten()
        .filter_map(|fixture| fixture.get("name")?.as_str())
}

/// Options of the command line.
struct Options {
    only: Vec<String>,
    check: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            only: Vec::new(),
            check: false,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--check" => options.check = true,
                "--only" => {
                    let names = rest.next().ok_or("--only needs a name")?;
                    options.only.extend(names.split(',').map(str::to_owned));
                }
                other => return Err(format!("unknown option `{other}`").into()),
            }
        }
        Ok(options)
    }

    /// True if a fixture is selected, by its name or by a prefix and `*`.
    fn wants(&self, name: &str) -> bool {
        let fits = |wanted: &String| match wanted.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == wanted,
        };
        self.only.is_empty() || self.only.iter().any(fits)
    }
}

fn make(workshop: &Workshop, name: &str, folder: &Path) -> Outcome {
    let folder = folder.to_str().ok_or("a path that is not text")?;
    let said = workshop.recipes(&["make", name, folder])?;
    print!("{said}");
    Ok(())
}

/// Makes a fixture again, and returns where its manifest differs from the committed one.
fn check(workshop: &Workshop, name: &str) -> Result<Option<String>> {
    let again = workshop.scratch().join("check").join(name);
    make(workshop, name, &again)?;
    let committed = manifest(&workshop.fixtures().join(name))?;
    let made = manifest(&again)?;
    fs::remove_dir_all(&again)?;
    let place = first_difference(&essence(committed), &essence(made), "");
    println!(
        "{name}: {}",
        if place.is_some() { "differs" } else { "same" }
    );
    Ok(place.map(|place| format!("  {name} at {place}")))
}

fn manifest(folder: &Path) -> Result<Value> {
    let path = folder.join("manifest.json");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

// ---- the table -------------------------------------------------------------------

const INTRODUCTION: &str = "\
# Golden arrays

Each folder holds one array or group (`array/`, `group/`) as a real TileDB release wrote it, and
`manifest.json`: who wrote it, and what TileDB itself says that it holds. Tests read these files
and need neither Python nor TileDB. `cargo xtask fixtures` makes them (it fetches the releases from
PyPI), `--only NAME` one of them, `--check` makes them again and compares what they hold.
The recipes are in `recipes/`: `make_*.py` by topic, `capi.py` the C interface by ctypes.

## The manifest

| key | says |
|---|---|
| `producer` | the releases that wrote it, in order of its steps; or `made from the format description` |
| `judge` | the release whose answers stand here, 2.30.0 unless it says why |
| `key` | the encryption key, hex |
| `schema` | as `tdb schema --json`, except: `fill` is hex, filter lists carry `max_chunk`, a dimension shows its own filters only, enumerations only those of attributes |
| `non_empty_domain`, `fragments`, `to_vacuum` | as of now; fragments oldest first; `to_vacuum`: fragments that a consolidation has replaced |
| `metadata`, `metadata_at` | now, and at earlier times; values as hex of the little-endian bytes |
| `queries` | what was asked, and the answer |
| `writer_agrees`, `writer_cannot`, `writer_differs` | queries that the writing release itself answers the same, cannot answer, answers otherwise (`notes` say why) |
| `notes` | what to know: where releases disagree, what was set by hand |
| `repeatable` | false where random names, or memory that was never set, decide what is found |
| `members`, `metadata`, `inside`, `at_times` | of a group: now, its inner groups, and at earlier times |

A query has `args` (`ranges` by dimension, `labels` by label, `order` as `tdb read --order`, window `since`..`at`,
`attrs`: absent means all, `where`: text as `tdb read --where`) and `columns`: dimensions in schema order, then
attributes. `data` is the hex of the raw little-endian values, one after the other; `offsets` (var-sized only) the
byte where each cell starts, and the total; `validity` one byte per cell. `unordered`: rows compare as a multiset.
`differs_from_2_30`: the answer is not that of 2.30, and why: it is that of the writing release, or, with `from`, made from
what the recipe wrote, where no release reads the file rightly. `error_of_2_30`: what 2.30 said instead of an answer.
A dense query without `ranges` asks for the whole domain, or for the current domain where there is one.

Times are small numbers (100, 110, ..) of milliseconds so that a reader sees the story at once.

## To add one

Add it to a `make_*.py` (a new file is found by its name): `recipe.add(name, version, about, features, build, queries)`,
where `build(lib, uri)` makes it by the methods of `capi.Library`. For a sparse array give `written` as well, and every
answer is held against what was written. Then `cargo xtask fixtures --only NAME`.
";

fn readme(fixtures: &Path) -> Result<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(fixtures)? {
        let folder = entry?.path();
        if folder.join("manifest.json").exists() {
            all.push(manifest(&folder)?);
        }
    }
    all.sort_by_key(|one| {
        (
            u64_of(one, "format_version"),
            text_of(one, "name").to_owned(),
        )
    });
    let mut text = String::from(INTRODUCTION);
    write!(
        text,
        "\n## By version\n\n| version | fixture | what | features |\n|--|--|--|--|\n"
    )?;
    for one in &all {
        let (version, name) = (u64_of(one, "format_version"), text_of(one, "name"));
        writeln!(
            text,
            "| {version} | `{name}` | {} | {} |",
            text_of(one, "about"),
            features(one).join(", ")
        )?;
    }
    write!(
        text,
        "\n## By feature\n\n| feature | versions | fixtures |\n|--|--|--|\n"
    )?;
    for (feature, (count, versions)) in by_feature(&all) {
        writeln!(text, "| {feature} | {} | {count} |", runs(&versions))?;
    }
    writeln!(text, "\n{} fixtures.", all.len())?;
    Ok(text)
}

fn by_feature(all: &[Value]) -> BTreeMap<&str, (usize, BTreeSet<u64>)> {
    let mut found: BTreeMap<&str, (usize, BTreeSet<u64>)> = BTreeMap::new();
    for one in all {
        for feature in features(one) {
            let (count, versions) = found.entry(feature).or_default();
            *count = count.saturating_add(1);
            versions.insert(u64_of(one, "format_version"));
        }
    }
    found
}

/// Formats numbers, with runs combined: `3-6, 9`.
fn runs(numbers: &BTreeSet<u64>) -> String {
    let mut found: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match found.last_mut() {
            Some((_, end)) if end.checked_add(1) == Some(number) => *end = number,
            _ => found.push((number, number)),
        }
    }
    let text = found.iter().map(|(low, high)| {
        if low == high {
            low.to_string()
        } else {
            format!("{low}-{high}")
        }
    });
    text.collect::<Vec<_>>().join(", ")
}

fn features(manifest: &Value) -> Vec<&str> {
    let list = manifest.get("features").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn text_of<'a>(manifest: &'a Value, key: &str) -> &'a str {
    manifest
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn u64_of(manifest: &Value, key: &str) -> u64 {
    manifest
        .get(key)
        .and_then(Value::as_u64)
        .unwrap_or_default()
}
