//! Parts of an array that are read side by side.

use std::cmp::Ordering;

use tdb_array::{Array, ArrayError};
use tdb_fragment::FragmentIndex;
use tdb_schema::value::{Value, read};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Datatype, Range};

/// Tiles of which the MBRs are looked at, at most.
const MOST_TILES: u64 = 200_000;

/// Fragments of which the tiles are looked at, at most; of more the fragments themselves are, which takes no request.
const MOST_FRAGMENTS: usize = 64;

/// Of all tiles, one in so many may lie in two parts, and be read twice.
const FEW: usize = 8;

/// The values of a dimension at which parts begin, but for the first.
type Starts = Vec<Vec<u8>>;

/// Ranges of dimensions; the whole array without any.
pub(crate) type Part = Vec<(String, Range)>;

/// Cuts what is read into about so many parts of about the same number of cells, none of which has a cell of another, in the order
/// of the first dimension if it is that one. Fewer where that would read tiles twice.
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

/// What is read along a dimension, from its beginning to its end.
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

/// The parts that begin at these values of a dimension, the first of them where what is read does.
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
    // A tile may begin before what is read.
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
    // Of a dense array with a current domain, a dimension without a range would be read beyond that.
    let others = schema.dimensions.iter().enumerate();
    let others = others.filter(|(index, _)| schema.is_dense() && *index != along);
    let others =
        others.map(|(index, other)| Some((other.name.clone(), span(schema, subarray, index)?)));
    let others: Part = others.collect::<Option<_>>()?;
    let parts = ranges.into_iter().map(|range| {
        let own = std::iter::once((dimension.name.clone(), range));
        own.chain(others.iter().cloned()).collect()
    });
    Some(parts.collect())
}

/// Where parts of a dense array begin: at the edges of its tiles, since none is read twice then.
fn dense_starts(schema: &ArraySchema, subarray: &Subarray, count: usize) -> Option<Starts> {
    let dimension = schema.dimensions.first()?;
    let (datatype, size) = (dimension.datatype, dimension.datatype.size());
    let whole = |bytes: &[u8]| number(datatype, bytes);
    let extent = whole(dimension.extent.as_ref()?)?;
    let origin = whole(&dimension.domain.as_ref()?.lo)?;
    let span = span(schema, subarray, 0)?;
    let tile = |bytes: &[u8]| whole(bytes)?.checked_sub(origin)?.checked_div(extent);
    let (first, last) = (tile(&span.lo)?, tile(&span.hi)?);
    let tiles = last.checked_sub(first)?.checked_add(1)?;
    let count = i128::try_from(count).ok()?.min(tiles);
    let starts = (1..count).map(|part| {
        let tile = first.checked_add(tiles.checked_mul(part)?.checked_div(count)?)?;
        let start = origin.checked_add(tile.checked_mul(extent)?)?;
        start.to_le_bytes().get(..size).map(<[u8]>::to_vec)
    });
    starts.collect()
}

/// A dimension of a sparse array, and where parts begin along it: of all dimensions the one that cuts the fewest tiles.
fn sparse_starts(
    array: &Array,
    subarray: &Subarray,
    count: usize,
) -> Result<Option<(usize, Starts)>, ArrayError> {
    let schema = array.schema();
    let boxes = boxes(array)?;
    let inside = boxes.into_iter().filter(|mbr| meets(schema, subarray, mbr));
    let boxes: Vec<Vec<Range>> = inside.collect();
    // Each part should have a few tiles.
    let count = count.min(boxes.len() / 2);
    if count < 2 {
        return Ok(None);
    }
    let starts = (0..schema.dimensions.len()).filter_map(|dimension| {
        let (cut, starts) = starts_along(schema, dimension, &boxes, count)?;
        Some((cut, dimension, starts))
    });
    let best = starts.min_by_key(|(cut, dimension, _)| (*cut, *dimension));
    let best = best.filter(|(cut, ..)| *cut <= boxes.len() / FEW);
    Ok(best.map(|(_, dimension, starts)| (dimension, starts)))
}

/// Where the cells lie: the MBRs of tiles, or of fragments where there are many.
fn boxes(array: &Array) -> Result<Vec<Vec<Range>>, ArrayError> {
    let fragments = array.fragments();
    let tiles = fragments.iter().map(|f| f.metadata.tile_count());
    let tiles = tiles.fold(0, u64::saturating_add);
    if fragments.len() > MOST_FRAGMENTS || tiles > MOST_TILES {
        let domains = fragments
            .iter()
            .map(|f| f.metadata.non_empty_domain.clone());
        return Ok(domains.collect());
    }
    let mut boxes = Vec::new();
    for number in 0..fragments.len() {
        let tree = array.rtree(FragmentIndex::new(number))?;
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

/// How many boxes would lie in two parts, and where the parts begin; none of text, which has no value just before another.
fn starts_along(
    schema: &ArraySchema,
    index: usize,
    boxes: &[Vec<Range>],
    count: usize,
) -> Option<(usize, Starts)> {
    let dimension = schema.dimensions.get(index)?;
    dimension.domain.as_ref()?;
    let datatype = dimension.datatype;
    let mut sides: Vec<&Range> = boxes
        .iter()
        .map(|sides| sides.get(index))
        .collect::<Option<_>>()?;
    let order = |a: &[u8], b: &[u8]| datatype.total_order(a, b);
    sides.sort_by(|a, b| order(&a.lo, &b.lo));
    let mut ends = sides.clone();
    ends.sort_by(|a, b| order(&a.hi, &b.hi));
    // Boxes that begin before a start and end behind it.
    let cut_by = |start: &[u8]| {
        let begun = sides.partition_point(|side| order(&side.lo, start).is_lt());
        begun.saturating_sub(ends.partition_point(|side| order(&side.hi, start).is_lt()))
    };
    // A quarter of a part aside at most, where fewer are cut.
    let reach = sides.len().checked_div(count.saturating_mul(4))?;
    let starts = (1..count).map(|part| {
        let at = sides.len().checked_mul(part)?.checked_div(count)?;
        let near = at.saturating_sub(reach)..at.saturating_add(reach).saturating_add(1);
        let near = near.filter_map(|place| Some((place, sides.get(place)?)));
        let best = near.min_by_key(|(place, side)| (cut_by(&side.lo), place.abs_diff(at)));
        Some(best?.1.lo.to_vec())
    });
    let mut starts: Vec<Vec<u8>> = starts.collect::<Option<_>>()?;
    starts.dedup();
    // The first part would be empty.
    starts.retain(|start| {
        sides
            .first()
            .is_some_and(|first| order(&first.lo, start).is_lt())
    });
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

/// The greatest value that is less.
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
