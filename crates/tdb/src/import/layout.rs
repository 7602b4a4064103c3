//! How the cells of a new array are laid out: domains and tile extents.

use std::fmt::Write;

use tdb_schema::value::{Value, read, time_ticks};
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Datatype, Range, Scalar};

/// Cells of a space tile of a sparse array, if they are spread evenly: those of a tile.
const SPARSE_TILE: u64 = 10_000;

/// Bytes of a space tile of a dense array.
const DENSE_TILE: u128 = 1 << 20;

/// A whole number in its stored form.
pub(super) fn whole(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(value.into()),
        Value::Unsigned(value) => Some(value.into()),
        _ => None,
    }
}

/// The least and the greatest number of a type of whole numbers; none of dates and times is the least one.
pub(super) fn ends_of_type(datatype: Datatype) -> (i128, i128) {
    let bits = datatype.size().saturating_mul(8);
    if datatype.is_signed() || !datatype.is_integer() {
        let half = 1_i128 << bits.saturating_sub(1);
        let is_time = !datatype.is_integer();
        (i128::from(is_time) - half, half - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    }
}

/// The domain of a dimension of a sparse array that takes later cells, too: half of what the type has, so that the
/// width of the domain is a number of the type, too.
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
    // No date that anyone writes lies beyond these.
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
    // Tiles counted from the end of the type leave out its least values instead.
    let extent = extent.max(1);
    let first = if lo < 0 { least + 1 } else { first };
    let begin = greatest - (greatest - first + 1) / extent * extent + 1;
    // All of the type is more than can be counted.
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

/// Whether a domain can be counted in the type, and its last space tile ends within it.
pub(super) fn holds_tiles(datatype: Datatype, (lo, hi): (i128, i128), extent: i128) -> bool {
    let (least, greatest) = ends_of_type(datatype);
    let extent = extent.max(1);
    let tiles = (hi - lo) / extent + 1;
    let is_all = datatype.is_integer() && lo <= least && hi >= greatest;
    !is_all && tiles.saturating_mul(extent).saturating_add(lo - 1) <= greatest
}

/// The type of twice as many bits that holds all values of a type of whole numbers; `None` where there is none.
pub(super) fn wider(datatype: Datatype) -> Option<Datatype> {
    Some(match datatype {
        Datatype::Int8 => Datatype::Int16,
        Datatype::Int16 => Datatype::Int32,
        Datatype::Int32 => Datatype::Int64,
        Datatype::UInt8 => Datatype::UInt16,
        Datatype::UInt16 => Datatype::UInt32,
        Datatype::UInt32 => Datatype::UInt64,
        _ => return None,
    })
}

/// Whether values are both ends of the widest type, so that no domain holds them.
pub(super) fn spans_all(datatype: Datatype, (lo, hi): (i128, i128)) -> bool {
    let (least, greatest) = ends_of_type(datatype);
    datatype.is_integer() && wider(datatype).is_none() && lo <= least && hi >= greatest
}

/// The end of the last space tile that lies before a number.
pub(super) fn last_of_tiles(first: i128, last: i128, extent: i128) -> i128 {
    let extent = extent.max(1);
    first + (last - first) / extent * extent - 1
}

/// The width of a space tile so that one has about as many cells as a tile, a power of two.
pub(super) fn sparse_extent(
    datatype: Datatype,
    (lo, hi): (i128, i128),
    cells: u64,
    dimensions: usize,
) -> i128 {
    let width = hi
        .saturating_sub(lo)
        .saturating_add(1)
        .max(1)
        .unsigned_abs();
    let tiles = (cells / SPARSE_TILE).max(1);
    let parts = root(tiles, dimensions);
    let extent = width.div_ceil(parts.into()).next_power_of_two();
    let (_, greatest) = ends_of_type(datatype);
    let most = (greatest.unsigned_abs() / 4).max(1);
    i128::try_from(extent.min(most)).unwrap_or(1)
}

/// The width of a space tile of floats; `None` where the type has no such width.
pub(super) fn float_extent(
    datatype: Datatype,
    (lo, hi): (f64, f64),
    cells: u64,
    dimensions: usize,
) -> Option<f64> {
    let most = match datatype {
        Datatype::Float32 => f64::from(f32::MAX),
        _ => f64::MAX,
    };
    let parts = root((cells / SPARSE_TILE).max(1), dimensions);
    let width = (hi - lo) / f64::from(parts);
    let width = if width > 0.0 { width } else { 1.0 };
    (width <= most).then_some(width)
}

/// The least number whose power is as large.
fn root(value: u64, power: usize) -> u32 {
    let power = u32::try_from(power).unwrap_or(1).max(1);
    (1..=1 << 16)
        .find(|root| u64::from(*root).saturating_pow(power) >= value)
        .unwrap_or(1 << 16)
}

/// The sides of a space tile of a dense array with these sides and cells of so many bytes: the longest side is
/// halved until a tile is small enough.
pub(super) fn dense_extents(sides: &[u64], cell: u64) -> Vec<u64> {
    let mut extents: Vec<u64> = sides.iter().map(|side| (*side).max(1)).collect();
    loop {
        let cells = extents
            .iter()
            .fold(1_u128, |cells, side| cells.saturating_mul((*side).into()));
        if cells.saturating_mul(cell.max(1).into()) <= DENSE_TILE {
            return extents;
        }
        match extents.iter_mut().max() {
            Some(longest) if *longest > 1 => *longest = longest.div_ceil(2),
            _ => return extents,
        }
    }
}

/// What has been made, in a line.
pub(super) fn in_words(schema: &ArraySchema) -> String {
    let mut text = match (schema.is_dense(), schema.allows_duplicates) {
        (true, _) => "dense array".to_owned(),
        (false, true) => "sparse array that keeps duplicates".to_owned(),
        (false, false) => {
            let names = schema
                .dimensions
                .iter()
                .map(|dimension| &dimension.name[..]);
            let names: Vec<&str> = names.collect();
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
    // What is no value of the type has no text.
    let end = |bytes| read(datatype, bytes).map_or_else(String::new, |value| value.to_string());
    format!("{}..{}", end(&range.lo), end(&range.hi))
}

/// A float in its stored form.
pub(super) fn float(datatype: Datatype, bytes: &[u8]) -> Option<f64> {
    match datatype {
        Datatype::Float32 => f32::read(bytes).map(f64::from),
        _ => f64::read(bytes),
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
