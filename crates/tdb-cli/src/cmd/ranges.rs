//! Intervals of the command line, as ranges of raw values.

use std::path::Path;

use serde_json::Value as Json;
use tdb_schema::json::cell_from_json;
use tdb_schema::names::UnknownName;
use tdb_schema::value::{holds_bytes, parse, parse_number, period_ticks};
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Datatype, Physical, Range, Scalar};

use crate::failure::Failure;
use crate::parse::Interval;
use crate::request_file;

/// What was asked for, by dimension and by label.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    pub(crate) dimensions: Vec<(String, Range)>,
    pub(crate) labels: Vec<(String, Range)>,
}

/// What the ends of an interval are values of.
#[derive(Clone, Copy)]
struct Axis<'a> {
    name: &'a str,
    datatype: Datatype,
    cell_val_num: CellValNum,
    /// Where an open end is.
    bounds: Option<&'a Range>,
}

/// The ranges that `--range`, `--label` and `--range-file` ask for.
pub(crate) fn of_arguments(
    schema: &ArraySchema,
    [intervals, labels]: [&[Interval]; 2],
    file: Option<&Path>,
    ticks: bool,
) -> Result<Ranges, Failure> {
    let mut ranges = Ranges::default();
    for interval in intervals {
        let axis = dimension(schema, &interval.dimension)?;
        ranges
            .dimensions
            .push((axis.name.to_owned(), axis.range(interval, ticks)?));
    }
    for interval in labels {
        let axis = label(schema, &interval.dimension)?;
        ranges
            .labels
            .push((axis.name.to_owned(), axis.range(interval, ticks)?));
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
        for (name, list) in json {
            let axis = dimension(schema, name)?;
            let found = axis.ranges_of_json(list)?;
            ranges
                .dimensions
                .extend(found.into_iter().map(|range| (name.clone(), range)));
        }
    }
    Ok(ranges)
}

fn dimension<'a>(schema: &'a ArraySchema, name: &str) -> Result<Axis<'a>, Failure> {
    let index = schema.dimension_index(name);
    let found = index.and_then(|index| Some((schema.dimensions.get(index)?, schema.bounds(index))));
    let Some((dimension, bounds)) = found else {
        let known = schema.dimensions.iter().map(|d| d.name.as_str());
        return Err(UnknownName::new("dimension", name, known).into());
    };
    Ok(Axis {
        name: &dimension.name,
        datatype: dimension.datatype,
        cell_val_num: dimension.cell_val_num,
        bounds,
    })
}

fn label<'a>(schema: &'a ArraySchema, name: &str) -> Result<Axis<'a>, Failure> {
    let Some(label) = schema.labels.iter().find(|label| label.name == name) else {
        let known = schema.labels.iter().map(|label| label.name.as_str());
        return Err(UnknownName::new("label", name, known).into());
    };
    Ok(Axis {
        name: &label.name,
        datatype: label.datatype,
        cell_val_num: label.cell_val_num,
        bounds: None,
    })
}

impl Axis<'_> {
    fn range(self, interval: &Interval, ticks: bool) -> Result<Range, Failure> {
        let lo = match &interval.lo {
            Some(text) => self.end(text, ticks, false)?,
            None => self.open_end(false),
        };
        let hi = match &interval.hi {
            Some(text) => self.end(text, ticks, true)?,
            None => self.open_end(true),
        };
        Ok(Range::new(lo, hi))
    }

    /// An end as typed. A date means all of the period that it names. A whole number that the datatype does not have is
    /// beyond any cell: the least or greatest that it has will do.
    fn end(self, text: &str, ticks: bool, is_high: bool) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        if let (false, Some((first, last))) = (ticks, period_ticks(self.datatype, text)) {
            let end = if is_high { last } else { first };
            end.write(&mut out);
            return Ok(out);
        }
        let parsed = match ticks && !holds_bytes(self.datatype) {
            true => parse_number(self.datatype, text, &mut out),
            false => parse(self.datatype, text, &mut out),
        };
        match (parsed, text.parse::<i128>()) {
            (Ok(()), _) => Ok(out),
            (Err(_), Ok(number)) if self.datatype.is_integer() && (number > 0) == is_high => {
                Ok(extreme(self.datatype, is_high))
            }
            (Err(error), _) => Err(Failure::invalid(format!(
                "range of {:?}: {error}",
                self.name
            ))),
        }
    }

    fn open_end(self, is_high: bool) -> Vec<u8> {
        match self.bounds {
            Some(bounds) if is_high => bounds.hi.to_vec(),
            Some(bounds) => bounds.lo.to_vec(),
            None => extreme(self.datatype, is_high),
        }
    }

    /// `[[lo, hi], ...]`
    fn ranges_of_json(self, json: &Json) -> Result<Vec<Range>, Failure> {
        let place = format!("ranges of {:?}", self.name);
        let wrong = || Failure::invalid(format!("{place}: not of the form [[lo, hi], ...]"));
        let end = |json: &Json, is_high: bool| match json {
            Json::String(date) if self.datatype.is_datetime() => self.end(date, false, is_high),
            _ => cell_from_json(self.datatype, self.cell_val_num, json, &place)
                .map_err(|error| Failure::invalid(error.to_string())),
        };
        let list = json.as_array().ok_or_else(wrong)?;
        let ranges = list
            .iter()
            .map(|pair| match pair.as_array().map(Vec::as_slice) {
                Some([lo, hi]) => Ok(Range::new(end(lo, false)?, end(hi, true)?)),
                _ => Err(wrong()),
            });
        ranges.collect()
    }
}

/// The least or the greatest value of a datatype.
fn extreme(datatype: Datatype, is_high: bool) -> Vec<u8> {
    let mut out = Vec::new();
    match datatype.physical() {
        // No text has a byte such as this.
        _ if holds_bytes(datatype) => out.extend(is_high.then_some(0xff)),
        Physical::F32 => (if is_high {
            f32::INFINITY
        } else {
            f32::NEG_INFINITY
        })
        .write(&mut out),
        Physical::F64 => (if is_high {
            f64::INFINITY
        } else {
            f64::NEG_INFINITY
        })
        .write(&mut out),
        _ => {
            out.resize(datatype.size(), if is_high { 0xff } else { 0x00 });
            if let (Some(sign), true) = (out.last_mut(), datatype.is_signed()) {
                *sign ^= 0x80;
            }
            // The least number of dates and times is none of them.
            if let (Some(byte), false) = (out.first_mut(), is_high || datatype.is_integer()) {
                *byte = 1;
            }
        }
    }
    out
}
