//! `cargo xtask layers`: checks that the manifests follow the table of crates in `docs/architecture.md`, that the
//! modules of each crate form no cycles, that values that hide errors stay out, and that counts of what there should be
//! less of only shrink.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::workspace::{CORE, metadata, root};

mod defaults;
mod modules;
mod once;
mod program;
mod published;
mod shrinking;

/// Maximum number of direct dependencies of a core crate, not counting optional ones.
const MOST_DEPENDENCIES: usize = 8;

/// Packages that may compile C with default features.
const COMPILES_C: &[&str] = &["ring", "zstd-sys"];

/// Packages that may compile C if a feature requests it.
const COMPILES_C_IF_ASKED: &[&str] = &["libwebp-sys"];

/// Packages that build C code.
const C_BUILDERS: &[&str] = &["cc", "cmake", "nasm-rs", "autotools", "vcpkg"];

/// Packages with one home, and the crates that may use them; the benchmarks measure codecs directly.
const HOMES: &[(&str, &[&str])] = &[
    ("bzip2", &["tdb-filters", "tdb-bench"]),
    // Text files may be compressed, too.
    ("flate2", &["tdb-filters", "tdb-text", "tdb-bench"]),
    ("image-webp", &["tdb-filters"]),
    ("lz4_flex", &["tdb-filters", "tdb-bench"]),
    ("md-5", &["tdb-filters", "tdb-bench"]),
    // Workers derive keys from tokens, and states of arrays are compared by their digests.
    ("ring", &["tdb-filters", "tdb-distributed", "tdb-bench"]),
    ("sha2", &["tdb-filters", "tdb-bench"]),
    ("webp", &["tdb-filters"]),
    ("zstd", &["tdb-filters", "tdb-text", "tdb-bench"]),
    (
        "bitvec",
        &["tdb-cells", "tdb-condition", "tdb-query", "tdb-write"],
    ),
    ("rayon", &["tdb-cells"]),
    // A worker checks who owns a file, and how many handles are available.
    ("rustix", &["tdb-store", "tdb-distributed", "tdb-bench"]),
    ("syn", &["xtask"]),
    ("proc-macro2", &["xtask"]),
    ("clap", &["tdb-cli"]),
];

/// Prefixes of packages that only the crates above tdb-query and tdb-write may use, and not tdb-text.
const LEAVES_ONLY: &[&str] = &[
    "arrow",
    "parquet",
    "datafusion",
    "object_store",
    "tokio",
    "reqwest",
    "hyper",
    "tonic",
    "tower",
];

/// Checks the workspace, and prints the result.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let findings = check(arguments.iter().any(|argument| argument == "--bless"))?;
    if findings.is_empty() {
        println!("the layers hold");
        return Ok(());
    }
    Err(format!("the layers do not hold:\n  {}", findings.join("\n  ")).into())
}

/// Returns all violations, one sentence each. `bless` writes counts that have shrunk to their table.
pub(crate) fn check(bless: bool) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let table = allowed(&std::fs::read_to_string(
        root().join("docs/architecture.md"),
    )?);
    let usual = metadata(&[])?;
    let mut findings = manifests(&table, &usual);
    findings.extend(c_compilers(&usual, COMPILES_C));
    let asked: Vec<&str> = COMPILES_C
        .iter()
        .chain(COMPILES_C_IF_ASKED)
        .copied()
        .collect();
    findings.extend(c_compilers(&metadata(&["--all-features"])?, &asked));
    findings.extend(readmes(&usual, |path| {
        std::fs::read_to_string(path).unwrap_or_default()
    }));
    findings.extend(published::check(&usual, Path::is_file));
    findings.extend(modules::check(&folders(&usual))?);
    findings.extend(defaults::check(&folders(&usual))?);
    findings.extend(program::check(&folders(&usual))?);
    findings.extend(shrinking::check(&folders(&usual), bless)?);
    findings.extend(once::check()?);
    findings.sort();
    findings.dedup();
    Ok(findings)
}

/// Crates that a crate may use.
#[derive(Debug, PartialEq, Eq)]
struct Uses {
    directly: BTreeSet<String>,
    /// Additional crates for tests.
    in_tests: BTreeSet<String>,
}

/// Crates that each crate of the table may use; `None` means any.
type Table = BTreeMap<String, Option<Uses>>;

/// Parses the table: rows of `| crate | sentence | may use directly; tests: ... |`, with the used crates named without
/// `tdb-`.
fn allowed(markdown: &str) -> Table {
    let rows = markdown.lines().filter_map(|line| {
        let cells: Vec<&str> = line
            .trim()
            .strip_prefix('|')?
            .strip_suffix('|')?
            .split('|')
            .map(str::trim)
            .collect();
        let [name, _, uses] = cells.as_slice() else {
            return None;
        };
        let name = name.trim_matches('`');
        (name.starts_with("tdb") || name.starts_with("xtask")).then_some((name, *uses))
    });
    rows.map(|(name, uses)| {
        let names = |list: &str| {
            let names = list.split(',').map(str::trim);
            let names = names.filter(|name| !matches!(*name, "" | "none of ours"));
            names.map(full_name).collect()
        };
        let (directly, in_tests) = uses.split_once("; tests:").unwrap_or((uses, ""));
        let uses = (uses != "anything").then(|| Uses {
            directly: names(directly),
            in_tests: names(in_tests),
        });
        (name.to_owned(), uses)
    })
    .collect()
}

/// Returns the name of the crate that the table calls `name`: without the prefix `tdb-`, but for `tdb` itself.
fn full_name(name: &str) -> String {
    match name {
        "tdb" => name.to_owned(),
        name => format!("tdb-{name}"),
    }
}

/// Returns upward dependencies, excess dependencies, and packages outside of their home.
fn manifests(table: &Table, metadata: &Value) -> Vec<String> {
    let mut findings = Vec::new();
    for package in members(metadata) {
        let name = text(package, "name");
        let Some(allowed) = table.get(name) else {
            findings.push(format!(
                "{name} is not in the table of docs/architecture.md"
            ));
            continue;
        };
        let mut own = BTreeSet::new();
        for dependency in list(package, "dependencies") {
            let needs = text(dependency, "name");
            let is_dev = dependency.get("kind").and_then(Value::as_str) == Some("dev");
            if needs.starts_with("tdb") {
                let may = allowed.as_ref().is_none_or(|uses| {
                    uses.directly.contains(needs) || is_dev && uses.in_tests.contains(needs)
                });
                if !may && needs != name {
                    findings.push(format!("{name} may not use {needs}"));
                }
            }
            if is_dev {
                continue;
            }
            if !dependency
                .get("optional")
                .and_then(Value::as_bool)
                .unwrap_or(false)
            {
                own.insert(needs);
            }
            findings.extend(away_from_home(name, needs));
        }
        if CORE.contains(&name) && own.len() > MOST_DEPENDENCIES {
            let count = own.len();
            findings.push(format!(
                "{name} has {count} direct dependencies, {MOST_DEPENDENCIES} are allowed"
            ));
        }
    }
    findings
}

fn away_from_home(name: &str, needs: &str) -> Option<String> {
    let home = HOMES.iter().find(|(package, _)| *package == needs);
    if let Some((_, homes)) = home
        && !homes.contains(&name)
    {
        return Some(format!(
            "{name} may not use {needs}, which is for {}",
            homes.join(", ")
        ));
    }
    let is_low = CORE.contains(&name)
        || matches!(
            name,
            "tdb-store" | "tdb-cells" | "tdb-condition" | "tdb-query" | "tdb-write" | "tdb-text"
        );
    let is_leaf = LEAVES_ONLY.iter().any(|leaf| needs.starts_with(leaf));
    (is_low && is_leaf).then(|| format!("{name} may not use {needs}, which is for the leaves"))
}

/// Returns the dependencies of the workspace, except those of tests, that build C and are not in `allowed`.
fn c_compilers(metadata: &Value, allowed: &[&str]) -> Vec<String> {
    let nodes: BTreeMap<&str, &Value> = metadata
        .get("resolve")
        .map(|resolve| list(resolve, "nodes"))
        .unwrap_or_default()
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let names: BTreeMap<&str, &str> = list(metadata, "packages")
        .iter()
        .map(|package| (text(package, "id"), text(package, "name")))
        .collect();
    let mut to_see: Vec<&str> = list(metadata, "workspace_members")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    while let Some(id) = to_see.pop() {
        if !seen.insert(id) {
            continue;
        }
        let name = names.get(id).copied().unwrap_or_default();
        for edge in nodes
            .get(id)
            .map(|node| list(node, "deps"))
            .unwrap_or_default()
        {
            let kinds = list(edge, "dep_kinds");
            if kinds
                .iter()
                .all(|kind| kind.get("kind").and_then(Value::as_str) == Some("dev"))
            {
                continue;
            }
            let needs = text(edge, "pkg");
            to_see.push(needs);
            let builds_c = names
                .get(needs)
                .is_some_and(|needs| C_BUILDERS.contains(needs));
            // A builder of C may itself use another one.
            if builds_c && !allowed.contains(&name) && !C_BUILDERS.contains(&name) {
                findings.push(format!(
                    "{name} compiles C; allowed are {}",
                    allowed.join(", ")
                ));
            }
        }
    }
    findings
}

/// Returns core crates whose README does not name each direct dependency.
fn readmes(metadata: &Value, read: impl Fn(&Path) -> String) -> Vec<String> {
    let mut findings = Vec::new();
    for package in members(metadata) {
        let name = text(package, "name");
        if !CORE.contains(&name) {
            continue;
        }
        let readme = read(&Path::new(text(package, "manifest_path")).with_file_name("README.md"));
        for dependency in list(package, "dependencies") {
            let needs = text(dependency, "name");
            let counts = dependency.get("kind").is_none_or(Value::is_null)
                && !dependency
                    .get("optional")
                    .and_then(Value::as_bool)
                    .unwrap_or(false);
            let is_part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            if counts
                && !readme
                    .split(|c| !is_part_of_name(c))
                    .any(|word| word == needs)
            {
                findings.push(format!(
                    "the README of {name} does not name its dependency {needs}"
                ));
            }
        }
    }
    findings
}

/// Returns the names of the crates and their folders.
fn folders(metadata: &Value) -> Vec<(String, &Path)> {
    let folder = |package| Path::new(text(package, "manifest_path")).parent();
    members(metadata)
        .filter_map(|package| Some((text(package, "name").to_owned(), folder(package)?)))
        .collect()
}

fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    let members: BTreeSet<&str> = list(metadata, "workspace_members")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    list(metadata, "packages")
        .iter()
        .filter(move |package| members.contains(text(package, "id")))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
