//! Narrowing reads of dense arrays whose domain is too large to visit cell by cell.

use std::fmt;

use tdb_array::{Array, Fragment};

use tdb_schema::value::{Value, read};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Datatype, Limits, Range};

use crate::boxes::bounding_box;
use crate::{QueryError, ReadOptions, Request};

/// Maximum number of cells of a dense array that the program visits, unless enough of them were written.
pub const MOST_WALKED: u64 = 1_000_000_000;

/// A larger non-empty domain is visited too if fragments store at least one in this number of its cells.
const SPARSELY_FILLED: u128 = 100;

/// Describes the box to which a read was narrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkNarrowing {
    asked: Cells,
    to: String,
}

/// Number of requested cells; `None` if it does not fit into 128 bits.
type Cells = Option<u128>;

/// Narrows a request that would visit more than `most` cells of a dense array to the non-empty domain; all cells
/// beyond have fill values. Sparse arrays, and requests with ranges of dimension labels, stay as they are. With
/// `ticks`, the description shows dates and times as raw numbers.
///
/// # Errors
/// Fails if the array does not allow the request, or if the non-empty domain is too large as well and almost nothing
/// in it was written.
pub fn narrow_walk(
    array: &Array,
    options: &mut ReadOptions,
    most: u64,
    ticks: bool,
) -> Result<Option<WalkNarrowing>, QueryError> {
    narrow_walks(&mut [Walk { array, options }], most, ticks)
}

/// A read that visits cells of a dense array one by one.
#[derive(Debug)]
pub struct Walk<'a> {
    /// The array.
    pub array: &'a Array,
    /// What is read of it.
    pub options: &'a mut ReadOptions,
}

/// As [`narrow_walk`], for reads of arrays with the same dimensions: all are narrowed to the same box.
///
/// # Errors
/// As for [`narrow_walk`].
pub fn narrow_walks(
    walks: &mut [Walk<'_>],
    most: u64,
    ticks: bool,
) -> Result<Option<WalkNarrowing>, QueryError> {
    let mut asked = Some(0);
    for Walk { array, options } in walks.iter() {
        // With points, tiles without any of them are skipped, so the domain does not matter.
        let is_elsewhere = !options.label_ranges.is_empty() || options.points.is_some();
        if is_elsewhere {
            return Ok(None);
        }
        asked = greater(asked, cells(array, options)?);
    }
    if asked.is_some_and(|asked| asked <= most.into()) {
        return Ok(None);
    }
    let Some(Walk { array: last, .. }) = walks.last() else {
        return Ok(None);
    };
    let (last, dimensions) = (*last, &last.schema().dimensions);
    let written = walks.iter().map(|walk| walk.array.non_empty_domain());
    let Some(written) = written.fold(None, |all, one| bounding_box(dimensions, all, one)) else {
        return Err(nothing_written(asked));
    };
    let (mut left, mut stored, mut narrowed) = (Some(0), 0_u64, Vec::new());
    for Walk { array, options } in walks.iter() {
        let options = within(array.schema(), options, &written);
        left = greater(left, cells(array, &options)?);
        let fragments = array.fragments().iter();
        let mut cells = fragments.map(|fragment| fragment.metadata.cell_count());
        let counted = cells.try_fold(stored, u64::checked_add);
        stored = counted.ok_or(QueryError::TooManyCells)?;
        narrowed.push(options);
    }
    let is_worth =
        |left: u128| left <= most.into() || left.div_ceil(SPARSELY_FILLED) <= u128::from(stored);
    if !left.is_some_and(is_worth) {
        return Err(too_large(last, asked, stored, ticks));
    }
    if left == asked {
        return Ok(None);
    }
    for (walk, narrowed) in walks.iter_mut().zip(narrowed) {
        *walk.options = narrowed;
    }
    let to = along(last.schema(), &written, ticks)
        .collect::<Vec<_>>()
        .join(", ");
    Ok(Some(WalkNarrowing { asked, to }))
}

/// Returns the larger of two numbers of cells.
fn greater(one: Cells, other: Cells) -> Cells {
    Some(one?.max(other?))
}

/// Formats the beginning of a message: `12 cells are too many to scan`.
fn too_many(asked: Cells) -> String {
    match asked {
        Some(asked) => format!("{asked} cells are too many to scan"),
        None => "more than 2^128 cells are too many to scan".to_owned(),
    }
}

impl fmt::Display for WalkNarrowing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, to } = self;
        let asked = too_many(*asked);
        write!(
            f,
            "{asked}: only the non-empty domain is scanned, {to}; all other cells have fill values"
        )
    }
}

/// Returns the number of cells that a read of a dense array visits: those in its ranges that a condition on dimensions
/// leaves; 0 for a sparse array.
fn cells(array: &Array, options: &ReadOptions) -> Result<Cells, QueryError> {
    if !array.schema().is_dense() || options.reads_nothing {
        return Ok(Some(0));
    }
    let limits = array.limits();
    let subarray = selected(array, options, limits)?;
    let shape = subarray.result_shape(array.schema());
    let mut sides = shape.iter().flatten().map(|side| u128::from(*side));
    Ok(sides.try_fold(1_u128, u128::checked_mul))
}

fn selected(array: &Array, options: &ReadOptions, limits: &Limits) -> Result<Subarray, QueryError> {
    // The attributes do not matter here, and may include dimension labels.
    let plain = ReadOptions {
        condition: None,
        attributes: None,
        ..options.clone()
    };
    let mut request = Request::new(array, &plain, &[], limits)?;
    request.narrow(array, options, limits)?;
    Ok(request.subarray().clone())
}

/// Restricts a request to the ranges in `written`, one per dimension.
fn within(schema: &ArraySchema, options: &ReadOptions, written: &[Range]) -> ReadOptions {
    let mut narrowed = options.clone();
    narrowed.ranges.clear();
    for (dimension, written) in schema.dimensions.iter().zip(written) {
        let name = &dimension.name;
        let asked: Vec<&Range> = options
            .ranges
            .iter()
            .filter(|(other, _)| other == name)
            .map(|(_, range)| range)
            .collect();
        let before = narrowed.ranges.len();
        if asked.is_empty() {
            narrowed.ranges.push((name.clone(), written.clone()));
        }
        let kept = asked
            .into_iter()
            .filter_map(|range| range.intersection(dimension.datatype, written));
        narrowed
            .ranges
            .extend(kept.map(|range| (name.clone(), range)));
        narrowed.reads_nothing |= narrowed.ranges.len() == before;
    }
    narrowed
}

fn nothing_written(asked: Cells) -> QueryError {
    QueryError::UnwrittenWalk {
        asked: too_many(asked),
    }
}

fn too_large(array: &Array, asked: Cells, stored: u64, ticks: bool) -> QueryError {
    let last = array.fragments().last();
    let ranges = last.map(|last| options_of(array.schema(), last, ticks));
    QueryError::LongWalk {
        asked: too_many(asked),
        stored,
        hint: ranges.map(|ranges| format!("use {ranges} for the cells of the last write")),
    }
}

/// Formats options for all dimensions: `--range x=5..7 --range y=1..2`.
fn options_of(schema: &ArraySchema, fragment: &Fragment, ticks: bool) -> String {
    let ranges = &fragment.metadata.non_empty_domain;
    let options = along(schema, ranges, ticks).map(|range| format!("--range {range}"));
    options.collect::<Vec<_>>().join(" ")
}

/// Formats the range of each dimension: `x=5..7`.
fn along(schema: &ArraySchema, ranges: &[Range], ticks: bool) -> impl Iterator<Item = String> {
    let along = schema.dimensions.iter().zip(ranges);
    along.filter_map(move |(dimension, range)| {
        let lo = end_of(dimension.datatype, &range.lo, ticks)?;
        let hi = end_of(dimension.datatype, &range.hi, ticks)?;
        Some(format!("{}={lo}..{hi}", dimension.name))
    })
}

/// Formats an end of a range in the syntax of `--range`.
fn end_of(datatype: Datatype, bytes: &[u8], ticks: bool) -> Option<String> {
    let value = match read(datatype, bytes)? {
        Value::Time(_, number) if ticks => Value::Signed(number),
        value => value,
    };
    Some(value.to_string())
}
