//! Questions about dense arrays whose domain is too large to be walked over, cell by cell.

use std::fmt;

use tdb_array::{Array, ErrorKind, Fragment};
use tdb_query::{ReadOptions, Request};
use tdb_schema::value::read;
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Limits, Range};

use crate::{Error, Result};

/// The cells of a dense array that the program walks over, at most, where they are more than those that were written.
pub const MOST_WALKED: u64 = 1_000_000_000;

/// A larger non-empty domain is walked over, too, if fragments store at least one of every 100 of its cells.
const SPARSELY_FILLED: u64 = 100;

/// What a walk over the cells of a dense array is narrowed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowed {
    asked: u128,
    to: String,
}

/// Narrows a request that would walk over more than `most` cells of a dense array to the non-empty domain: all cells
/// beyond it have fill values. Sparse arrays, and requests for ranges of dimension labels, stay as they are.
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
/// let narrowed = tdb::narrow_walk(array.engine(), &mut options, tdb::MOST_WALKED)?;
/// assert!(narrowed.expect("a large domain").to_string().contains("x=5..7"));
/// let three = array.read().with_options(options).all()?;
/// assert_eq!(three.rows, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A request that the array does not allow; a non-empty domain that is too large as well, and nearly nothing of it was
/// written.
pub fn narrow_walk(
    array: &Array,
    options: &mut ReadOptions,
    most: u64,
) -> Result<Option<Narrowed>> {
    let schema = array.schema();
    // Of points, tiles without any are left out.
    let is_elsewhere = !options.label_ranges.is_empty() || options.points.is_some();
    if !schema.is_dense() || options.reads_nothing || is_elsewhere {
        return Ok(None);
    }
    let asked = cells(array, options)?;
    if asked <= most.into() {
        return Ok(None);
    }
    let Some(written) = array.non_empty_domain() else {
        return Err(nothing_written(asked));
    };
    let narrowed = within(schema, options, &written);
    let left = cells(array, &narrowed)?;
    let fragments = array.fragments().iter();
    let stored = fragments
        .map(|fragment| fragment.metadata.cell_count())
        .fold(0, u64::saturating_add);
    let worth = most.max(stored.saturating_mul(SPARSELY_FILLED));
    if left > worth.into() {
        return Err(too_large(array, asked, stored));
    }
    if left == asked {
        return Ok(None);
    }
    *options = narrowed;
    let to = along(schema, &written).collect::<Vec<_>>().join(", ");
    Ok(Some(Narrowed { asked, to }))
}

impl fmt::Display for Narrowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, to } = self;
        write!(
            f,
            "{asked} cells are too many to walk over: only the non-empty domain is looked at, {to}; all others have fill values"
        )
    }
}

/// How many cells are walked over: those of the ranges, as far as a condition on dimensions leaves them.
fn cells(array: &Array, options: &ReadOptions) -> Result<u128> {
    let limits = array.limits();
    let subarray = selected(array, options, limits)?;
    let shape = subarray.result_shape(array.schema());
    let sides = shape.iter().flatten().map(|side| u128::from(*side));
    Ok(sides.fold(1, u128::saturating_mul))
}

fn selected(array: &Array, options: &ReadOptions, limits: &Limits) -> Result<Subarray> {
    let plain = ReadOptions {
        condition: None,
        ..options.clone()
    };
    let mut request = Request::new(array, &plain, &[], limits)?;
    request.narrow(array, options, limits)?;
    Ok(request.subarray().clone())
}

/// The same request, of no cell outside of these ranges of all dimensions.
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

fn nothing_written(asked: u128) -> Error {
    let what = format!("{asked} cells are too many to walk over, and none of them was written");
    let error = Error::new(ErrorKind::Limit, what);
    error.with_hint("--range DIM=LO..HI asks for fewer")
}

fn too_large(array: &Array, asked: u128, stored: u64) -> Error {
    let what = format!(
        "{asked} cells are too many to walk over, and the non-empty domain is, too: fragments hold {stored} of them"
    );
    let error = Error::new(ErrorKind::Limit, what);
    let last = array.fragments().last();
    match last.map(|last| options_of(array.schema(), last)) {
        Some(ranges) => error.with_hint(format!("{ranges} asks for the cells of the last write")),
        None => error,
    }
}

/// `--range x=5..7 --range y=1..2`
fn options_of(schema: &ArraySchema, fragment: &Fragment) -> String {
    let ranges = &fragment.metadata.non_empty_domain;
    let options = along(schema, ranges).map(|range| format!("--range {range}"));
    options.collect::<Vec<_>>().join(" ")
}

/// `x=5..7` of each dimension.
fn along(schema: &ArraySchema, ranges: &[Range]) -> impl Iterator<Item = String> {
    let along = schema.dimensions.iter().zip(ranges);
    along.filter_map(|(dimension, range)| {
        let lo = read(dimension.datatype, &range.lo)?;
        let hi = read(dimension.datatype, &range.hi)?;
        Some(format!("{}={lo}..{hi}", dimension.name))
    })
}
