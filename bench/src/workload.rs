//! A workload from the list of all workloads.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::outcome::Result;

/// Kind of work to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Open,
    Schema,
    Metadata,
    Aggregate,
    Write,
    Consolidate,
}

/// One query: ranges of dimensions, as text.
pub(crate) type Bounds = Vec<(String, [String; 2])>;

/// A workload to measure; `xtask/bench/suite/workloads.py` explains its parts.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) kind: Kind,
    pub(crate) array: PathBuf,
    /// Key of an encrypted array.
    pub(crate) key: Option<String>,
    pub(crate) fields: Vec<String>,
    /// Names of the fields that are dimensions.
    pub(crate) dimensions: Vec<String>,
    pub(crate) layout: String,
    pub(crate) boxes: Vec<Bounds>,
    pub(crate) condition: Option<String>,
    pub(crate) times: u64,
    pub(crate) each: bool,
    pub(crate) ordered: bool,
    pub(crate) functions: Vec<String>,
    /// Folder with the cells of a write.
    pub(crate) cells: Option<PathBuf>,
    /// Order of the cells of a write.
    pub(crate) order: String,
    /// The array with which a change begins, and the path of its copy.
    pub(crate) template: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workload {
    pub(crate) fn find(list: &Value, name: &str, folder: &str) -> Result<Self> {
        let said = list
            .get(name)
            .ok_or_else(|| format!("no workload `{name}`"))?;
        let folder = Path::new(folder);
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        let texts = |value: Option<&Value>| -> Vec<String> {
            let all = value.and_then(Value::as_array).into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let dims = said.pointer("/spec/dims").and_then(Value::as_array);
        let names = dims.into_iter().flatten().map(|dim| dim.get("name"));
        let boxes = said.get("boxes").and_then(Value::as_array);
        let safe = name.replace(':', "-");
        Ok(Self {
            kind: kind(text("kind").ok_or("a workload of no kind")?)?,
            array: folder.join(text("array").ok_or("a workload without an array")?),
            key: text("key").map(str::to_owned),
            fields: texts(said.get("fields")),
            dimensions: names.flat_map(|name| texts_of(name)).collect(),
            layout: text("layout")
                .ok_or("a workload without a layout")?
                .to_owned(),
            boxes: boxes
                .ok_or("a workload without boxes")?
                .iter()
                .map(bounds)
                .collect::<Result<_>>()?,
            condition: said
                .get("where")
                .filter(|test| !test.is_null())
                .map(condition),
            times: number(said, "times")?,
            each: is_set(said, "each")?,
            ordered: is_set(said, "ordered")?,
            functions: texts(said.get("functions")),
            cells: text("cells").map(|cells| folder.join("cells").join(cells)),
            order: text("order").unwrap_or("").to_owned(),
            template: folder.join("templates").join(&safe),
            target: folder.join("written").join(format!("{safe}.tdb")),
        })
    }
}

fn kind(text: &str) -> Result<Kind> {
    Ok(match text {
        "read" => Kind::Read,
        "open" => Kind::Open,
        "schema" => Kind::Schema,
        "metadata" => Kind::Metadata,
        "aggregate" => Kind::Aggregate,
        "write" => Kind::Write,
        "consolidate" => Kind::Consolidate,
        other => return Err(format!("no kind `{other}`").into()),
    })
}

fn texts_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

fn number(said: &Value, key: &str) -> Result<u64> {
    let number = said.get(key).and_then(Value::as_u64);
    Ok(number.ok_or_else(|| format!("a workload without `{key}`"))?)
}

fn is_set(said: &Value, key: &str) -> Result<bool> {
    let is_set = said.get(key).and_then(Value::as_bool);
    Ok(is_set.ok_or_else(|| format!("a workload without `{key}`"))?)
}

/// Parses `{dimension: [[lo, hi], ..]}`, or `{dimension: {every, count}}` for single values starting at zero.
fn bounds(said: &Value) -> Result<Bounds> {
    let mut bounds = Vec::new();
    for (dimension, ranges) in said.as_object().ok_or("a box that is no object")? {
        if ranges.is_object() {
            let (every, count) = (number(ranges, "every")?, number(ranges, "count")?);
            for place in (0..count).map(|at| (at * every).to_string()) {
                bounds.push((dimension.clone(), [place.clone(), place]));
            }
            continue;
        }
        for range in ranges.as_array().ok_or("ranges that are no list")? {
            let end = |index: usize| Some(plain(range.get(index)?));
            let ends = end(0).zip(end(1)).ok_or("a range without its ends")?;
            bounds.push((dimension.clone(), [ends.0, ends.1]));
        }
    }
    Ok(bounds)
}

/// Converts `[field, operator, value]` to the text of a condition.
fn condition(said: &Value) -> String {
    let parts = said.as_array().into_iter().flatten().map(plain);
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns a text without quotes, or a number as text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
