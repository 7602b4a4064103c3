//! Parts of an array that are read side by side.

use std::cmp::Ordering;

use tdb_array::{Array, ArrayError};
use tdb_schema::value::{Value, read};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Datatype, Range};

/// Maximum number of tiles whose MBRs are examined.
const MOST_TILES: u64 = 200_000;

/// Maximum number of fragments whose tiles are examined; beyond that, the boxes of the fragments are used, which
/// needs no request.
const MOST_FRAGMENTS: usize = 64;

/// At most 1/FEW of all tiles may lie in two parts, and be read twice.
const FEW: usize = 8;

/// Coordinates along one dimension at which the parts begin, except for the first.
type Starts = Vec<Vec<u8>>;

/// Ranges of dimensions; the whole array if empty.
pub(crate) type Part = Vec<(String, Range)>;

/// Splits a read into about `count` disjoint parts of about the same number of cells, ordered along one dimension.
/// Returns fewer parts if more would read tiles twice.
pub(crate) fn cut(
    array: &Array,
    subarray: &Subarray,
    count: usize,
) -> Result<Vec<Part>, ArrayError> {
    let schema = array.schema();
    let whole = vec![Part::new()];
    if count < 2 || subarray.is_empty() {
        return Ok(whole);
    }
    let ends = if schema.is_dense() {
        dense_starts(schema, subarray, count).map(|starts| (0, starts))
    } else {
        sparse_starts(array, subarray, count)?
    };
    let parts = ends.and_then(|(dimension, starts)| between(schema, subarray, dimension, &starts));
    Ok(parts.unwrap_or(whole))
}

/// Returns ranges that contain all of these parts, and nothing else if they follow each other along one dimension.
pub(crate) fn around(schema: &ArraySchema, parts: &[Part]) -> Part {
    let along = schema.dimensions.iter().filter_map(|dimension| {
        let own = parts.iter().map(|part| {
            let mut ranges = part.iter().filter(|(name, _)| *name == dimension.name);
            let (_, first) = ranges.next()?;
            Some(ranges.fold(first.clone(), |all, (_, range)| {
                all.union(dimension.datatype, range)
            }))
        });
        // A part without a range of the dimension has all of it.
        let ranges: Vec<Range> = own.collect::<Option<_>>()?;
        let whole = |all: Range, range: Range| all.union(dimension.datatype, &range);
        let all = ranges.into_iter().reduce(whole)?;
        Some((dimension.name.clone(), all))
    });
    along.collect()
}

/// Returns the range that a read covers along a dimension, from its first to its last coordinate.
fn span(schema: &ArraySchema, subarray: &Subarray, dimension: usize) -> Option<Range> {
    let datatype = schema.dimensions.get(dimension)?.datatype;
    match subarray.ranges(dimension) {
        None => schema.bounds(dimension).cloned(),
        Some(ranges) => {
            let mut ranges = ranges.iter();
            let first = ranges.next()?.clone();
            Some(ranges.fold(first, |all, range| all.union(datatype, range)))
        }
    }
}

/// Returns the parts that begin at these coordinates of a dimension; the first begins where the read does.
fn between(
    schema: &ArraySchema,
    subarray: &Subarray,
    along: usize,
    starts: &[Vec<u8>],
) -> Option<Vec<Part>> {
    let whole = span(schema, subarray, along)?;
    let dimension = schema.dimensions.get(along)?;
    let mut ranges = Vec::new();
    let mut lo = whole.lo.to_vec();
    let order = |a: &[u8], b: &[u8]| dimension.datatype.compare(a, b);
    // A tile may begin before the range that is read.
    let inside = |start: &&Vec<u8>| {
        order(&whole.lo, start).is_some_and(Ordering::is_lt)
            && order(start, &whole.hi).is_some_and(Ordering::is_le)
    };
    for start in starts.iter().filter(inside) {
        let hi = before(dimension.datatype, start)?;
        ranges.push(Range::new(lo, hi));
        lo = start.clone();
    }
    ranges.push(Range::new(lo, whole.hi.clone()));
    // In a dense array with a current domain, a dimension without a range would be read beyond that domain.
    let others: Part = schema
        .dimensions
        .iter()
        .enumerate()
        .filter(|(index, _)| schema.is_dense() && *index != along)
        .map(|(index, other)| Some((other.name.clone(), span(schema, subarray, index)?)))
        .collect::<Option<_>>()?;
    let parts = ranges.into_iter().map(|range| {
        let own = std::iter::once((dimension.name.clone(), range));
        own.chain(others.iter().cloned()).collect()
    });
    Some(parts.collect())
}

/// Returns where the parts of a dense array begin: at the edges of tiles, so that no tile is read twice.
fn dense_starts(schema: &ArraySchema, subarray: &Subarray, count: usize) -> Option<Starts> {
    let tiles = DenseTiles::new(schema, subarray)?;
    let count = i128::try_from(count).ok()?.min(tiles.count);
    let starts = (1..count).map(|part| {
        let place = tiles.count.checked_mul(part)?.checked_div(count)?;
        tiles.start(place)
    });
    starts.collect()
}

/// Space tiles of a dense array along its first dimension, as far as they are read.
struct DenseTiles {
    /// Bytes of a coordinate.
    size: usize,
    origin: i128,
    extent: i128,
    first: i128,
    count: i128,
}

impl DenseTiles {
    fn new(schema: &ArraySchema, subarray: &Subarray) -> Option<Self> {
        let dimension = schema.dimensions.first()?;
        let whole = |bytes: &[u8]| number(dimension.datatype, bytes);
        let extent = whole(dimension.extent.as_ref()?)?;
        let origin = whole(&dimension.domain.as_ref()?.lo)?;
        let span = span(schema, subarray, 0)?;
        let tile = |bytes: &[u8]| whole(bytes)?.checked_sub(origin)?.checked_div(extent);
        let (first, last) = (tile(&span.lo)?, tile(&span.hi)?);
        Some(Self {
            size: dimension.datatype.size(),
            origin,
            extent,
            first,
            count: last.checked_sub(first)?.checked_add(1)?,
        })
    }

    /// Returns the coordinate at which a tile begins.
    fn start(&self, place: i128) -> Option<Vec<u8>> {
        let tile = self.first.checked_add(place)?;
        let start = self.origin.checked_add(tile.checked_mul(self.extent)?)?;
        start.to_le_bytes().get(..self.size).map(<[u8]>::to_vec)
    }
}

/// Chooses the dimension of a sparse array whose split cuts the fewest tiles; returns its index and the starts of the
/// parts.
fn sparse_starts(
    array: &Array,
    subarray: &Subarray,
    count: usize,
) -> Result<Option<(usize, Starts)>, ArrayError> {
    let schema = array.schema();
    let boxes = boxes(array)?;
    let inside = boxes.into_iter().filter(|mbr| meets(schema, subarray, mbr));
    let boxes: Vec<Vec<Range>> = inside.collect();
    // Each part should have at least two tiles.
    let count = count.min(boxes.len() / 2);
    if count < 2 {
        return Ok(None);
    }
    let starts = (0..schema.dimensions.len()).filter_map(|dimension| {
        let (cut, starts) = starts_along(schema, dimension, &boxes, count)?;
        Some((cut, dimension, starts))
    });
    let best = starts
        .min_by_key(|(cut, dimension, _)| (*cut, *dimension))
        .filter(|(cut, ..)| *cut <= boxes.len() / FEW);
    Ok(best.map(|(_, dimension, starts)| (dimension, starts)))
}

/// Returns the boxes of the cells: the MBRs of tiles, or the domains of fragments if there are too many.
fn boxes(array: &Array) -> Result<Vec<Vec<Range>>, ArrayError> {
    let fragments = array.fragments();
    let tiles = fragments
        .iter()
        .map(|f| f.metadata.tile_count())
        .fold(0, u64::saturating_add);
    if fragments.len() > MOST_FRAGMENTS || tiles > MOST_TILES {
        let domains = fragments
            .iter()
            .map(|f| f.metadata.non_empty_domain.clone());
        return Ok(domains.collect());
    }
    let mut boxes = Vec::new();
    for tree in array.rtrees()? {
        let mbrs = (0..tree.tile_count()).filter_map(|tile| tree.mbr(tile));
        boxes.extend(mbrs.map(|mbr| mbr.0.clone()));
    }
    Ok(boxes)
}

fn meets(schema: &ArraySchema, subarray: &Subarray, mbr: &[Range]) -> bool {
    let mut sides = schema.dimensions.iter().zip(mbr).enumerate();
    sides.all(|(index, (dimension, side))| {
        let ranges = subarray.ranges(index);
        ranges.is_none_or(|ranges| {
            let mut ranges = ranges.iter();
            ranges.any(|range| range.intersects(dimension.datatype, side))
        })
    })
}

/// Splits a read along the first dimension into slices that are small at both ends and larger towards the middle, for
/// queries that probably need only one end. `None` if that would read tiles many times.
pub(crate) fn slices(array: &Array, subarray: &Subarray) -> Result<Option<Vec<Part>>, ArrayError> {
    let schema = array.schema();
    if subarray.is_empty() {
        return Ok(None);
    }
    let starts = if schema.is_dense() {
        dense_slices(schema, subarray)
    } else {
        let inside: Vec<_> = boxes(array)?
            .into_iter()
            .filter(|mbr| meets(schema, subarray, mbr))
            .collect();
        sparse_slices(schema, &inside)
    };
    Ok(starts.and_then(|starts| between(schema, subarray, 0, &starts)))
}

/// Returns the places among `count` at which slices begin, except for the first: 1, 3, 7 and so on, and likewise from
/// the end.
fn slice_places(count: usize) -> Vec<usize> {
    let middle = count / 2;
    let doubling = |place: &usize| place.checked_mul(2)?.checked_add(1);
    let low: Vec<usize> = std::iter::successors(Some(1_usize), doubling)
        .take_while(|place| *place < middle)
        .collect();
    let high = low
        .iter()
        .rev()
        .filter_map(|place| count.checked_sub(*place));
    low.iter().copied().chain(high).collect()
}

fn dense_slices(schema: &ArraySchema, subarray: &Subarray) -> Option<Starts> {
    let tiles = DenseTiles::new(schema, subarray)?;
    let places = slice_places(usize::try_from(tiles.count).ok()?).into_iter();
    places
        .map(|place| tiles.start(i128::try_from(place).ok()?))
        .collect()
}

fn sparse_slices(schema: &ArraySchema, boxes: &[Vec<Range>]) -> Option<Starts> {
    let sides = Sides::new(schema, 0, boxes)?;
    let places = slice_places(sides.by_start.len()).into_iter();
    let starts = places.map(|place| Some(sides.by_start.get(place)?.lo.to_vec()));
    let starts = sides.without_empty(starts.collect::<Option<_>>()?);
    let cut = starts
        .iter()
        .map(|start| sides.cut_by(start))
        .fold(0, usize::saturating_add);
    (!starts.is_empty() && cut <= boxes.len() / FEW).then_some(starts)
}

/// Sides of boxes along a dimension.
struct Sides<'a> {
    datatype: Datatype,
    by_start: Vec<&'a Range>,
    by_end: Vec<&'a Range>,
}

impl<'a> Sides<'a> {
    /// Sorts the sides along a dimension; `None` for text, which has no value just before another.
    fn new(schema: &ArraySchema, index: usize, boxes: &'a [Vec<Range>]) -> Option<Self> {
        let dimension = schema.dimensions.get(index)?;
        dimension.domain.as_ref()?;
        let datatype = dimension.datatype;
        let sides = boxes.iter().map(|sides| sides.get(index));
        let mut by_start: Vec<&Range> = sides.collect::<Option<_>>()?;
        by_start.sort_by(|a, b| datatype.total_order(&a.lo, &b.lo));
        let mut by_end = by_start.clone();
        by_end.sort_by(|a, b| datatype.total_order(&a.hi, &b.hi));
        Some(Self {
            datatype,
            by_start,
            by_end,
        })
    }

    /// Returns the number of boxes that begin before `start` and end at or after it.
    fn cut_by(&self, start: &[u8]) -> usize {
        let is_before = |value: &[u8]| self.datatype.total_order(value, start).is_lt();
        let begun = self.by_start.partition_point(|side| is_before(&side.lo));
        begun.saturating_sub(self.by_end.partition_point(|side| is_before(&side.hi)))
    }

    /// Removes starts of parts that would be empty.
    fn without_empty(&self, mut starts: Starts) -> Starts {
        starts.dedup();
        starts.retain(|start| {
            let first = self.by_start.first();
            first.is_some_and(|first| self.datatype.total_order(&first.lo, start).is_lt())
        });
        starts
    }
}

/// Returns the number of boxes that would lie in two parts, and the starts of the parts; `None` for text, which has
/// no value just before another.
fn starts_along(
    schema: &ArraySchema,
    index: usize,
    boxes: &[Vec<Range>],
    count: usize,
) -> Option<(usize, Starts)> {
    let along = Sides::new(schema, index, boxes)?;
    let sides = &along.by_start;
    let order = |a: &[u8], b: &[u8]| along.datatype.total_order(a, b);
    // A start may move by up to a quarter of a part if fewer boxes are cut there.
    let reach = sides.len().checked_div(count.checked_mul(4)?)?;
    let starts = (1..count).map(|part| {
        let at = sides.len().checked_mul(part)?.checked_div(count)?;
        let near = (at.saturating_sub(reach)..=at + reach)
            .filter_map(|place| Some((place, sides.get(place)?)));
        let best = near.min_by_key(|(place, side)| (along.cut_by(&side.lo), place.abs_diff(at)));
        Some(best?.1.lo.to_vec())
    });
    let starts = along.without_empty(starts.collect::<Option<_>>()?);
    if starts.is_empty() {
        return None;
    }
    let is_cut = |side: &&&Range| {
        let begins =
            |start: &Vec<u8>| order(&side.lo, start).is_lt() && order(start, &side.hi).is_le();
        starts.iter().any(begins)
    };
    let cut = sides.iter().filter(is_cut).count();
    Some((cut, starts))
}

fn number(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(value.into()),
        Value::Unsigned(value) => Some(value.into()),
        _ => None,
    }
}

/// Returns the greatest value that is less than this one.
fn before(datatype: Datatype, bytes: &[u8]) -> Option<Vec<u8>> {
    match read(datatype, bytes)?.as_ticks() {
        Value::Float32(value) => Some(value.next_down().to_le_bytes().to_vec()),
        Value::Float64(value) => Some(value.next_down().to_le_bytes().to_vec()),
        _ => {
            let before = number(datatype, bytes)?.checked_sub(1)?;
            before
                .to_le_bytes()
                .get(..datatype.size())
                .map(<[u8]>::to_vec)
        }
    }
}
