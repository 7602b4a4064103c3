//! Narrowing reads of dense arrays whose domain is too large to visit cell by cell.

use std::fmt;

use tdb_array::{Array, ErrorKind, Fragment};
use tdb_query::{ReadOptions, Request};
use tdb_schema::value::{Value, read};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Datatype, Limits, Range};

use crate::difference::{narrow, union};
use crate::{Error, ReadBuilder, Result};

/// Maximum number of cells of a dense array that the program visits, unless enough of them were written.
pub const MOST_WALKED: u64 = 1_000_000_000;

/// A larger non-empty domain is visited too if fragments store at least one in this number of its cells.
const SPARSELY_FILLED: u64 = 100;

/// Describes the box to which a read was narrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowed {
    asked: Cells,
    to: String,
}

/// Number of requested cells; `None` if it does not fit into 128 bits.
type Cells = Option<u128>;

/// Narrows a request that would visit more than `most` cells of a dense array to the non-empty domain; all cells
/// beyond have fill values. Sparse arrays, and requests with ranges of dimension labels, stay as they are. With
/// `ticks`, the description shows dates and times as raw numbers.
///
/// ```
/// # use tdb::{Attribute, Datatype, Dimension, Schema};
/// # let folder = tempfile::tempdir()?;
/// # let uri = folder.path().join("a");
/// # let uri = uri.to_str().expect("a path of text");
/// # let x = Dimension::new("x", Datatype::Int64).domain(0..=i64::MAX - 1000).tile(1000);
/// # let schema = Schema::dense().dimension(x).attribute(Attribute::new("a", Datatype::Int32)).build()?;
/// # let array = tdb::create(uri, &schema)?;
/// # array.write().range("x", 5..=7).column("a", vec![1_i32, 2, 3]).commit()?;
/// let array = tdb::open(uri)?;
/// let mut options = array.read().options()?;
/// let narrowed = tdb::narrow_walk(array.engine(), &mut options, tdb::MOST_WALKED, false)?;
/// assert!(narrowed.expect("a large domain").to_string().contains("x=5..7"));
/// let three = array.read().with_options(options).all()?;
/// assert_eq!(three.rows, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if the array does not allow the request, or if the non-empty domain is too large as well and almost nothing
/// in it was written.
pub fn narrow_walk(
    array: &Array,
    options: &mut ReadOptions,
    most: u64,
    ticks: bool,
) -> Result<Option<Narrowed>> {
    narrow_walks(&mut [(array, options)], most, ticks)
}

/// Narrows two reads that are to be compared. Reads of the same array are narrowed to what can differ. If they would
/// still visit more than `most` cells of a dense array, both are narrowed to the bounding box of the written cells,
/// which the result describes. With `ticks`, the description shows dates and times as raw numbers.
///
/// # Errors
/// As for [`narrow_walk`].
pub fn narrow_comparison(
    reads: &mut [ReadBuilder; 2],
    most: u64,
    ticks: bool,
) -> Result<Option<Narrowed>> {
    let [old, new] = reads;
    let (mut before, mut after) = (old.options()?, new.options()?);
    narrow(old.array(), new.array(), &mut before, &mut after);
    let narrowed = narrow_walks(
        &mut [
            (old.array().engine(), &mut before),
            (new.array().engine(), &mut after),
        ],
        most,
        ticks,
    )?;
    *old = old.clone().with_options(before);
    *new = new.clone().with_options(after);
    Ok(narrowed)
}

/// Narrows requests of arrays with the same dimensions, all to the same box.
fn narrow_walks(
    walks: &mut [(&Array, &mut ReadOptions)],
    most: u64,
    ticks: bool,
) -> Result<Option<Narrowed>> {
    let mut asked = Some(0);
    for (array, options) in walks.iter() {
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
    let Some((last, _)) = walks.last() else {
        return Ok(None);
    };
    let (last, dimensions) = (*last, &last.schema().dimensions);
    let written = walks.iter().map(|(array, _)| array.non_empty_domain());
    let Some(written) = written.fold(None, |all, one| union(dimensions, all, one)) else {
        return Err(nothing_written(asked));
    };
    let (mut left, mut stored, mut narrowed) = (Some(0), 0_u64, Vec::new());
    for (array, options) in walks.iter() {
        let options = within(array.schema(), options, &written);
        left = greater(left, cells(array, &options)?);
        let fragments = array.fragments().iter();
        let cells = fragments.map(|fragment| fragment.metadata.cell_count());
        stored = cells.fold(stored, u64::saturating_add);
        narrowed.push(options);
    }
    let worth = most.max(stored.saturating_mul(SPARSELY_FILLED));
    if left.is_none_or(|left| left > worth.into()) {
        return Err(too_large(last, asked, stored, ticks));
    }
    if left == asked {
        return Ok(None);
    }
    for ((_, options), narrowed) in walks.iter_mut().zip(narrowed) {
        **options = narrowed;
    }
    let to = along(last.schema(), &written, ticks);
    let to = to.collect::<Vec<_>>().join(", ");
    Ok(Some(Narrowed { asked, to }))
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

impl fmt::Display for Narrowed {
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
fn cells(array: &Array, options: &ReadOptions) -> Result<Cells> {
    if !array.schema().is_dense() || options.reads_nothing {
        return Ok(Some(0));
    }
    let limits = array.limits();
    let subarray = selected(array, options, limits)?;
    let shape = subarray.result_shape(array.schema());
    let sides = shape.iter().flatten().map(|side| u128::from(*side));
    let mut sides = sides;
    Ok(sides.try_fold(1_u128, u128::checked_mul))
}

fn selected(array: &Array, options: &ReadOptions, limits: &Limits) -> Result<Subarray> {
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
        let asked = options.ranges.iter().filter(|(other, _)| other == name);
        let asked: Vec<&Range> = asked.map(|(_, range)| range).collect();
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

fn nothing_written(asked: Cells) -> Error {
    let what = format!("{}, and none of them was written", too_many(asked));
    let error = Error::new(ErrorKind::Limit, what);
    error.with_hint("use --range DIM=LO..HI to select fewer")
}

fn too_large(array: &Array, asked: Cells, stored: u64, ticks: bool) -> Error {
    let what = format!(
        "{}, and so are those of the non-empty domain; fragments contain {stored} of them",
        too_many(asked)
    );
    let error = Error::new(ErrorKind::Limit, what);
    let last = array.fragments().last();
    match last.map(|last| options_of(array.schema(), last, ticks)) {
        Some(ranges) => error.with_hint(format!("use {ranges} for the cells of the last write")),
        None => error,
    }
}

/// Formats options for all dimensions: `--range x=5..7 --range y=1..2`.
fn options_of(schema: &ArraySchema, fragment: &Fragment, ticks: bool) -> String {
    let ranges = &fragment.metadata.non_empty_domain;
    let options = along(schema, ranges, ticks).map(|range| format!("--range {range}"));
    options.collect::<Vec<_>>().join(" ")
}

/// Formats a condition for the cells of the last write: `x >= 5 and x <= 7` for each dimension.
pub(crate) fn condition_of_last_write(array: &Array) -> Option<String> {
    let written = &array.fragments().last()?.metadata.non_empty_domain;
    let dimensions = array.schema().dimensions.iter();
    let tests = dimensions.zip(written).map(|(dimension, range)| {
        let end = |bytes: &[u8]| match read(dimension.datatype, bytes)? {
            value @ Value::Time(..) => Some(format!("'{value}'")),
            value => Some(value.to_string()),
        };
        let (lo, hi) = (end(&range.lo)?, end(&range.hi)?);
        let name = &dimension.name;
        Some(format!("\"{name}\" >= {lo} and \"{name}\" <= {hi}"))
    });
    let tests: Option<Vec<String>> = tests.collect();
    Some(tests?.join(" and "))
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
