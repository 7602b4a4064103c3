//! Domains and tile extents for the dimensions of a new array.

use std::fmt::Write;

use tdb_schema::value::{Value, read, time_ticks};
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Datatype, Range};

// Coordinates are numbers of 64 bits, and extents hardly more: as `i128`, their sums and products cannot overflow.

/// Number of cells per space tile of a sparse array, if cells are spread evenly: the tile capacity.
const SPARSE_TILE: u64 = 10_000;

/// Maximum number of bytes per space tile of a dense array.
const DENSE_TILE: u128 = 1 << 20;

/// Decodes an integer, date or time from its stored form.
pub(super) fn whole(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(value.into()),
        Value::Unsigned(value) => Some(value.into()),
        _ => None,
    }
}

/// Returns the smallest and the largest value of an integer type. For dates and times, the smallest integer means "not
/// a time" and is excluded.
pub(super) fn ends_of_type(datatype: Datatype) -> (i128, i128) {
    let bits = datatype.size() * 8;
    if datatype.is_signed() || !datatype.is_integer() {
        let half = 1_i128 << (bits - 1);
        let is_time = !datatype.is_integer();
        (i128::from(is_time) - half, half - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    }
}

/// Returns the domain of a sparse dimension, wide enough for later cells: for signed types half of the type's range,
/// since the width of the domain must also fit the type.
pub(super) fn wide_domain(
    datatype: Datatype,
    (lo, hi): (i128, i128),
    extent: i128,
) -> (i128, i128) {
    let (least, greatest) = ends_of_type(datatype);
    let first = match lo {
        _ if least == 0 => 0,
        0.. if datatype.is_integer() => 0,
        _ => -(greatest / 2) - 1,
    };
    let last = if first < 0 { greatest / 2 } else { greatest };
    // Nobody needs dates beyond these.
    let date = |text| {
        time_ticks(datatype, text)
            .filter(|_| datatype.is_datetime())
            .map(|(ticks, _)| ticks)
    };
    let first = date("0001-01-01").map_or(first, |date| first.max(date));
    let last = date("9999-12-31").map_or(last, |date| last.min(date));
    let end = last_of_tiles(first, last, extent);
    if first <= lo && hi <= end {
        return (first, end);
    }
    // Counting tiles from the end of the type loses its smallest values instead of its largest.
    let extent = extent.max(1);
    let first = if lo < 0 { least + 1 } else { first };
    let begin = greatest - (greatest - first + 1) / extent * extent + 1;
    // The whole range of the type has one value more than the type can count.
    let begin = if begin <= least {
        begin + extent
    } else {
        begin
    };
    if begin <= lo {
        (begin, greatest)
    } else {
        (lo, hi)
    }
}

/// True if the number of values of a domain fits the type, and its last space tile ends within the type.
pub(super) fn holds_tiles(datatype: Datatype, (lo, hi): (i128, i128), extent: i128) -> bool {
    let (least, greatest) = ends_of_type(datatype);
    let extent = extent.max(1);
    let tiles = (hi - lo) / extent + 1;
    let is_all = datatype.is_integer() && lo <= least && hi >= greatest;
    !is_all && lo + tiles * extent - 1 <= greatest
}

/// Returns the integer type with twice as many bits; `None` for 64 bits and for other types.
pub(super) fn wider(datatype: Datatype) -> Option<Datatype> {
    if !datatype.is_integer() || datatype == Datatype::Bool {
        return None;
    }
    let is_next = |other: &Datatype| {
        other.is_integer()
            && other.is_signed() == datatype.is_signed()
            && other.size() == 2 * datatype.size()
    };
    Datatype::ALL.iter().copied().find(is_next)
}

/// True if values reach both ends of a 64-bit type, so that no domain contains them.
pub(super) fn spans_all(datatype: Datatype, (lo, hi): (i128, i128)) -> bool {
    let (least, greatest) = ends_of_type(datatype);
    datatype.is_integer() && wider(datatype).is_none() && lo <= least && hi >= greatest
}

/// Returns the end of the last whole space tile, counted from `first`, that ends before `last`.
pub(super) fn last_of_tiles(first: i128, last: i128, extent: i128) -> i128 {
    let extent = extent.max(1);
    first + (last - first) / extent * extent - 1
}

/// Returns a tile extent, a power of two, so that a space tile has about as many cells as a data tile.
pub(super) fn sparse_extent(
    datatype: Datatype,
    (lo, hi): (i128, i128),
    cells: u64,
    dimensions: usize,
) -> i128 {
    let width = (hi - lo + 1).max(1).unsigned_abs();
    let tiles = (cells / SPARSE_TILE).max(1);
    let parts = root(tiles, dimensions);
    let extent = width.div_ceil(parts.into()).next_power_of_two();
    let (_, greatest) = ends_of_type(datatype);
    let most = (greatest.unsigned_abs() / 4).max(1);
    i128::try_from(extent.min(most)).unwrap_or(1)
}

/// Returns the tile extent of a dimension of floats; `None` if the type has no such value.
pub(super) fn float_extent(
    datatype: Datatype,
    (lo, hi): (f64, f64),
    cells: u64,
    dimensions: usize,
) -> Option<f64> {
    let most = if datatype == Datatype::Float32 {
        f64::from(f32::MAX)
    } else {
        f64::MAX
    };
    let parts = root((cells / SPARSE_TILE).max(1), dimensions);
    let width = (hi - lo) / f64::from(parts);
    let width = if width > 0.0 { width } else { 1.0 };
    (width <= most).then_some(width)
}

/// Returns the smallest integer whose `power`-th power is at least `value`.
fn root(value: u64, power: usize) -> u32 {
    let power = u32::try_from(power).unwrap_or(1).max(1);
    (1..=1 << 16)
        .find(|root| (u64::from(*root).checked_pow(power)).is_none_or(|power| power >= value))
        .unwrap_or(1 << 16)
}

/// Returns the tile extents of a dense array with these sides and bytes per cell: the longest side is halved until a
/// tile is small enough.
pub(super) fn dense_extents(sides: &[u64], cell: u64) -> Vec<u64> {
    let mut extents: Vec<u64> = sides.iter().map(|side| (*side).max(1)).collect();
    loop {
        let mut sides = extents.iter().map(|side| u128::from(*side));
        let bytes = sides.try_fold(u128::from(cell.max(1)), u128::checked_mul);
        if bytes.is_some_and(|bytes| bytes <= DENSE_TILE) {
            return extents;
        }
        match extents.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => return extents,
        }
    }
}

/// Describes the schema in a line.
pub(super) fn in_words(schema: &ArraySchema) -> String {
    let mut text = match (schema.is_dense(), schema.allows_duplicates) {
        (true, _) => "dense array".to_owned(),
        (false, true) => "sparse array that keeps duplicates".to_owned(),
        (false, false) => {
            let names: Vec<&str> = schema
                .dimensions
                .iter()
                .map(|dimension| &dimension.name[..])
                .collect();
            format!("sparse array, one cell for each {}", names.join(","))
        }
    };
    let kind = |datatype: Datatype, values: CellValNum| match values {
        CellValNum::Fixed(1) => datatype.to_string(),
        CellValNum::Fixed(n) => format!("{n} x {datatype}"),
        CellValNum::Var => format!("{datatype} var"),
    };
    let mut before = "; dimensions ";
    for dimension in &schema.dimensions {
        let kind = kind(dimension.datatype, dimension.cell_val_num);
        // Writing to memory cannot fail.
        let _ = write!(text, "{before}{} {kind}", dimension.name);
        if let Some(domain) = &dimension.domain {
            let _ = write!(text, " {}", interval(dimension.datatype, domain));
        }
        before = ", ";
    }
    before = "; attributes ";
    for attribute in &schema.attributes {
        let kind = kind(attribute.datatype, attribute.cell_val_num);
        let nullable = if attribute.nullable { " nullable" } else { "" };
        let labels = if attribute.enumeration.is_some() {
            " enumerated"
        } else {
            ""
        };
        let _ = write!(text, "{before}{} {kind}{nullable}{labels}", attribute.name);
        before = ", ";
    }
    text
}

fn interval(datatype: Datatype, range: &Range) -> String {
    // Bytes that are not a value of the type are shown as nothing.
    let end = |bytes| read(datatype, bytes).map_or_else(String::new, |value| value.to_string());
    format!("{}..{}", end(&range.lo), end(&range.hi))
}

/// Decodes a float from its stored form.
pub(super) fn float(datatype: Datatype, bytes: &[u8]) -> Option<f64> {
    match read(datatype, bytes)? {
        Value::Float32(value) => Some(value.into()),
        Value::Float64(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_domains_hold_the_data_and_end_with_a_tile() {
        let domain = |datatype, ends, extent| wide_domain(datatype, ends, extent);
        assert_eq!(domain(Datatype::UInt8, (3, 9), 8), (0, 247));
        assert_eq!(domain(Datatype::Int8, (3, 9), 8), (0, 119));
        assert_eq!(domain(Datatype::Int8, (-3, 9), 8), (-64, 55));
        assert_eq!(domain(Datatype::Int8, (-100, 9), 8), (-120, 127));
        assert_eq!(domain(Datatype::Int8, (3, 127), 8), (0, 127));
        assert_eq!(domain(Datatype::Int8, (-3, 127), 8), (-120, 127));
        assert_eq!(domain(Datatype::UInt8, (1, 255), 8), (1, 255));
        assert_eq!(domain(Datatype::UInt8, (8, 255), 8), (8, 255));
        assert_eq!(domain(Datatype::UInt8, (255, 255), 1), (1, 255));
        let last = i128::from(i64::MAX);
        assert_eq!(domain(Datatype::Int64, (last, last), 1), (0, last));
        assert_eq!(domain(Datatype::DateTimeYear, (0, 9), 8), (-1969, 8022));
        let (lo, hi) = domain(Datatype::DateTimeNanosecond, (0, 9), 8);
        assert!(lo == -(1 << 62) && hi < 1 << 62);
    }

    #[test]
    fn tiles_end_within_the_type_of_their_dimension() {
        assert!(holds_tiles(Datatype::UInt8, (0, 247), 8));
        assert!(holds_tiles(Datatype::UInt8, (1, 255), 255));
        assert!(!holds_tiles(Datatype::UInt8, (1, 255), 128));
        assert!(!holds_tiles(Datatype::UInt8, (0, 255), 1));
        assert!(holds_tiles(Datatype::UInt16, (0, 255), 256));
        let (least, greatest) = (i128::from(i64::MIN), i128::from(i64::MAX));
        assert!(spans_all(Datatype::Int64, (least, greatest)));
        assert!(!spans_all(Datatype::Int64, (least + 1, greatest)));
        assert!(holds_tiles(Datatype::Int64, (least + 1, greatest), 1));
        assert!(!spans_all(Datatype::UInt8, (0, 255)));
        assert!(!spans_all(Datatype::DateTimeNanosecond, (least, greatest)));
    }

    #[test]
    fn extents_make_tiles_of_about_one_size() {
        assert_eq!(
            sparse_extent(Datatype::Int64, (0, 999_999), 1_000_000, 1),
            16_384
        );
        assert_eq!(
            sparse_extent(Datatype::Int64, (0, 999_999), 1_000_000, 2),
            131_072
        );
        assert_eq!(sparse_extent(Datatype::Int8, (-128, 127), 10, 1), 31);
        assert_eq!(dense_extents(&[10, 20], 8), [10, 20]);
        assert_eq!(dense_extents(&[4096, 1024, 3], 8), [256, 128, 3]);
        assert!(dense_extents(&[], 8).is_empty());
        let float = |datatype| float_extent(datatype, (-3e38, 3e38), 10, 1);
        assert_eq!(float(Datatype::Float64), Some(6e38));
        assert_eq!(float(Datatype::Float32), None);
    }
}
