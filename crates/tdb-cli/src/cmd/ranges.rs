//! Converts intervals of the command line to ranges of raw values.

use std::path::Path;

use serde_json::Value as Json;
use tdb::engine::schema::ArraySchema;
use tdb::engine::schema::json::cell_from_json;
use tdb::engine::tile::Range;
use tdb::{Axis, Interval, Value};

use crate::failure::Failure;
use crate::parse::NamedInterval;
use crate::request_file;

/// Requested ranges, of dimensions and of labels.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    pub(crate) dimensions: Vec<(String, Range)>,
    pub(crate) labels: Vec<(String, Range)>,
    /// True if the file lists no interval for some dimension and no other option gives one: then no cell is selected.
    pub(crate) is_nothing: bool,
}

/// Collects the ranges of `--range`, `--label` and `--range-file`.
pub(crate) fn of_arguments(
    schema: &ArraySchema,
    [intervals, labels]: [&[NamedInterval]; 2],
    file: Option<&Path>,
    ticks: bool,
) -> Result<Ranges, Failure> {
    let mut ranges = Ranges::default();
    for NamedInterval { name, interval } in intervals {
        let range = Axis::dimension(schema, name)?.range(interval, ticks)?;
        ranges.dimensions.push((name.clone(), range));
    }
    for NamedInterval { name, interval } in labels {
        let range = Axis::label(schema, name)?.range(interval, ticks)?;
        ranges.labels.push((name.clone(), range));
    }
    if let Some(path) = file {
        let json = request_file::json(path)?;
        let Some(json) = json.as_object() else {
            let what = format!(
                "{}: not of the form {{\"DIM\": [[LO, HI], ...]}}",
                path.display()
            );
            return Err(Failure::invalid(what));
        };
        let mut listed = Vec::new();
        for (name, list) in json {
            let axis = Axis::dimension(schema, name)?;
            let found = ranges_of_json(axis, list)?;
            ranges
                .dimensions
                .extend(found.into_iter().map(|range| (name.clone(), range)));
            listed.push(name);
        }
        let has_none = |name: &&String| ranges.dimensions.iter().all(|(other, _)| other != *name);
        ranges.is_nothing = listed.iter().any(has_none);
    }
    Ok(ranges)
}

/// Parses `[[lo, hi], ...]`.
fn ranges_of_json(axis: Axis<'_>, list: &Json) -> Result<Vec<Range>, Failure> {
    let place = format!("ranges of {:?}", axis.name);
    let wrong = || Failure::invalid(format!("{place}: not of the form [[lo, hi], ...]"));
    let end = |json: &Json| match json {
        Json::String(date) if axis.datatype.is_datetime() => Ok(Value::from(date.clone())),
        _ => cell_from_json(axis.datatype, axis.cell_val_num, json, &place)
            .map(Value::from)
            .map_err(|error| Failure::invalid(error.to_string())),
    };
    let list = list.as_array().ok_or_else(wrong)?;
    let ranges = list
        .iter()
        .map(|pair| match pair.as_array().map(Vec::as_slice) {
            Some([lo, hi]) => {
                let interval = Interval::new(Some(end(lo)?), Some(end(hi)?));
                Ok(axis.range(&interval, false)?)
            }
            _ => Err(wrong()),
        });
    ranges.collect()
}
