//! Comparing what `tdb read` prints as JSON lines with what TileDB reads from the same arrays, cell by cell.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value};

use crate::cells;
use crate::commands::output;
use crate::outcome::Outcome;
use crate::workshop::Workshop;

/// Maximum number of differences printed in full.
const SHOWN: usize = 40;

#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) seed: String,
    pub(crate) count: String,
    /// The count as given by the caller, without the default.
    pub(crate) given: Option<String>,
    pub(crate) folder: PathBuf,
    /// Older releases to compare with: format versions, or `all`.
    pub(crate) releases: Option<String>,
}

pub(crate) fn parse(arguments: &[String], workshop: &Workshop) -> Result<Options, Box<dyn Error>> {
    let (mut seed, mut given, mut releases) = ("1".to_owned(), None, None);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .cloned()
                .ok_or(format!("{argument} needs a value"))
        };
        match argument.as_str() {
            "--seed" => seed = value()?,
            "--count" => given = Some(value()?),
            "--releases" => releases = Some(value()?),
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    let folder = workshop
        .scratch()
        .join("interop")
        .join(format!("seed-{seed}"));
    Ok(Options {
        seed,
        count: given.clone().unwrap_or("100".to_owned()),
        given,
        folder,
        releases,
    })
}

/// Compares the manifests in a folder with what the program reads; `settings` are additional environment variables.
pub(crate) fn compare(
    program: &Path,
    folder: &Path,
    settings: &[(&'static str, String)],
) -> Outcome {
    let (mut arrays, mut queries, mut rows) = (0_u64, 0_u64, 0_u64);
    let mut differences = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    folders.sort();
    for folder in folders {
        let manifest: Value =
            serde_json::from_str(&fs::read_to_string(folder.join("manifest.json"))?)?;
        arrays += 1;
        for query in manifest
            .get("queries")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            queries += 1;
            let mut tdb = Command::new(program);
            tdb.envs(settings.iter().cloned());
            rows += query.get("rows").and_then(Value::as_u64).unwrap_or(0);
            if let Err(why) = compare_query(&mut tdb, &folder, &manifest, query) {
                let name = folder.file_name().unwrap_or_default().to_string_lossy();
                differences.push(format!("{name}, {}: {why}", text(query, "name")));
            }
        }
    }
    println!(
        "{arrays} arrays, {queries} queries, {rows} cells compared; {} queries differ",
        differences.len()
    );
    if differences.is_empty() {
        return if queries > 0 {
            Ok(())
        } else {
            Err("there was nothing to compare".into())
        };
    }
    differences.truncate(SHOWN);
    Err(differences.join("\n").into())
}

fn compare_query(tdb: &mut Command, folder: &Path, manifest: &Value, query: &Value) -> Outcome {
    let empty = Map::new();
    let arguments = query
        .get("args")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let columns: Vec<&Value> = query
        .get("columns")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let uri = manifest.get("uri").and_then(Value::as_str);
    tdb.arg("read");
    match uri {
        Some(uri) => tdb.arg(uri),
        None => tdb.arg(folder.join("array")),
    };
    tdb.args(["--format", "jsonl", "--ticks", "--enum-codes", "--quiet"]);
    let key = folder.join("key");
    if key.exists() {
        tdb.arg("--key-file").arg(key);
    }
    for option in ["at", "since"] {
        if let Some(time) = arguments.get(option).and_then(Value::as_u64) {
            tdb.arg(format!("--{option}")).arg(time.to_string());
        }
    }
    for option in ["order", "where"] {
        if let Some(value) = arguments.get(option).and_then(Value::as_str) {
            tdb.arg(format!("--{option}={value}"));
        }
    }
    // TileDB keeps the cells for which a condition fails, with fill values.
    let schema = manifest.get("schema");
    if schema.is_some_and(|schema| text(schema, "type") == "dense") {
        tdb.arg("--fill");
    }
    let dimensions = names(schema, "dimensions");
    let attributes = columns
        .iter()
        .map(|column| text(column, "name"))
        .filter(|name| !dimensions.contains(name));
    tdb.arg(format!(
        "--attrs={}",
        attributes.collect::<Vec<_>>().join(",")
    ));
    if let Some(ranges) = arguments.get("ranges") {
        let file = folder.join("ranges.json");
        fs::write(&file, ranges.to_string())?;
        tdb.arg("--range-file").arg(file);
    }
    let said = output(tdb)?;
    let found: Vec<Value> = said
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;

    let count = query.get("rows").and_then(Value::as_u64).unwrap_or(0);
    if found.len() as u64 != count {
        return Err(format!("{} rows, TileDB has {count}", found.len()).into());
    }
    let columns: Vec<cells::Column> = columns
        .iter()
        .map(|c| cells::Column::new(c, found.len()))
        .collect::<Result<_, _>>()?;
    let unordered = query
        .get("unordered")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    cells::compare(&columns, &found, unordered).map_err(Into::into)
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn names<'a>(value: Option<&'a Value>, key: &str) -> Vec<&'a str> {
    let list = value
        .and_then(|value| value.get(key))
        .and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|item| text(item, "name"))
        .collect()
}
