//! Which of the loaded cells lie within the subarray.

use tdb_cells::{CellTable, TableColumn};
use tdb_schema::FieldKind;
use tdb_tile::{Datatype, Range, Scalar, with_scalar};

use crate::subarray::Subarray;

/// How often each loaded cell is asked for: 0 or 1, more only where intervals overlap and repeats count.
pub(crate) type Counts = Vec<u32>;

/// Counts the cells of `table` that lie within `subarray`; `None` where all do, once each.
///
/// With `repeats`, a cell counts once for every interval that it lies in.
pub(crate) fn select(
    table: &CellTable,
    subarray: &Subarray,
    types: &[Datatype],
    repeats: bool,
) -> Option<Counts> {
    let tiles = || table.segments.iter().flat_map(|segment| &segment.tiles);
    let plain = tiles().all(|tile| tile.full);
    if plain && !(repeats && overlaps(subarray, types)) {
        return None;
    }
    let mut counts = vec![1; table.rows];
    for (index, &datatype) in types.iter().enumerate() {
        let (Some(ranges), Some(column)) = (
            subarray.ranges(index),
            table.column(FieldKind::Dimension(index)),
        ) else {
            continue;
        };
        let ranges = if repeats {
            ranges.to_vec()
        } else {
            merged(datatype, ranges)
        };
        for tile in tiles().filter(|tile| repeats || !tile.full) {
            let Some(counts) = counts.get_mut(tile.rows.clone()) else {
                continue;
            };
            count(datatype, column, tile.rows.start, &ranges, counts);
        }
    }
    Some(counts)
}

/// Whether any two intervals of a dimension have a value in common.
fn overlaps(subarray: &Subarray, types: &[Datatype]) -> bool {
    types.iter().enumerate().any(|(index, &datatype)| {
        subarray
            .ranges(index)
            .is_some_and(|ranges| merged(datatype, ranges).len() < ranges.len())
    })
}

/// The same values in intervals that do not overlap, in ascending order.
pub(crate) fn merged(datatype: Datatype, ranges: &[Range]) -> Vec<Range> {
    let mut sorted = ranges.to_vec();
    sorted.sort_by(|a, b| {
        datatype
            .compare(&a.lo, &b.lo)
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut out: Vec<Range> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match out
            .last_mut()
            .filter(|last| last.intersects(datatype, &range))
        {
            Some(last) => *last = last.union(datatype, &range),
            None => out.push(range),
        }
    }
    out
}

/// Multiplies the count of each cell by the number of `ranges` that it lies in.
fn count(
    datatype: Datatype,
    column: &TableColumn,
    first: usize,
    ranges: &[Range],
    counts: &mut [u32],
) {
    if column.offsets.is_some() {
        for (row, place) in counts.iter_mut().enumerate() {
            let cell = column.cell(first.saturating_add(row));
            let hits = ranges
                .iter()
                .filter(|r| r.lo[..] <= *cell && *cell <= r.hi[..])
                .count();
            *place = place.saturating_mul(u32::try_from(hits).unwrap_or(u32::MAX));
        }
        return;
    }
    let size = datatype.size();
    let start = first.saturating_mul(size);
    let cells = column
        .values
        .as_slice()
        .get(start..start.saturating_add(counts.len().saturating_mul(size)));
    with_scalar!(datatype, T => count_numbers::<T>(cells.unwrap_or(&[]), ranges, counts));
}

fn count_numbers<T: Scalar>(cells: &[u8], ranges: &[Range], counts: &mut [u32]) {
    let ranges: Vec<(T, T)> = ranges.iter().filter_map(Range::ends).collect();
    let cells = cells
        .chunks_exact(T::SIZE)
        .map(|cell| T::read(cell).unwrap_or_default());
    match ranges[..] {
        [(lo, hi)] => {
            for (place, v) in counts.iter_mut().zip(cells) {
                *place *= u32::from(lo <= v && v <= hi);
            }
        }
        _ if is_ascending(&ranges) => {
            for (place, v) in counts.iter_mut().zip(cells) {
                let next = ranges.partition_point(|(_, hi)| *hi < v);
                *place *= u32::from(
                    ranges
                        .get(next)
                        .is_some_and(|(lo, hi)| *lo <= v && v <= *hi),
                );
            }
        }
        _ => {
            for (place, v) in counts.iter_mut().zip(cells) {
                let hits = ranges
                    .iter()
                    .filter(|(lo, hi)| *lo <= v && v <= *hi)
                    .count();
                *place = place.saturating_mul(u32::try_from(hits).unwrap_or(u32::MAX));
            }
        }
    }
}

fn is_ascending<T: Scalar>(ranges: &[(T, T)]) -> bool {
    ranges
        .windows(2)
        .all(|pair| matches!(pair, [(_, hi), (lo, _)] if hi < lo))
}

#[cfg(test)]
mod tests {
    use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};

    use super::*;
    use tdb_cells::{Segment, TileRows, buffer};

    /// A tile of cells from two space tiles: within it, strings begin again.
    #[test]
    fn strings_in_a_range_are_found_wherever_they_stand_in_a_tile() {
        let dimensions = vec![
            Dimension::numbers("d", Datatype::Int64, (1_i64, 8), 7),
            Dimension::strings("s"),
        ];
        let attribute = Attribute::new("a", Datatype::Int32);
        let schema = ArraySchema::new(ArrayType::Sparse, dimensions, vec![attribute]);
        let cells = [
            (5_i64, "a"),
            (6, "k"),
            (7, "zz"),
            (8, "a"),
            (8, "k"),
            (8, "zz"),
        ];

        let tile = TileRows {
            tile: 0,
            rows: 0..cells.len(),
            full: false,
            wanted: true,
        };
        let mut table = CellTable::new(vec![Segment {
            fragment: 0,
            rows: 0..cells.len(),
            tiles: vec![tile],
        }]);
        let column = |bytes: Vec<u8>, offsets: Option<Vec<u64>>| {
            let mut values = buffer(bytes.len()).unwrap();
            values.as_mut_slice().copy_from_slice(&bytes);
            TableColumn {
                values,
                cell_size: 8,
                offsets,
                ..TableColumn::default()
            }
        };
        let numbers = cells.iter().flat_map(|(number, _)| number.to_le_bytes());
        table.insert(FieldKind::Dimension(0), column(numbers.collect(), None));
        let text: String = cells.iter().map(|(_, text)| *text).collect();
        let offsets = Some(vec![0, 1, 2, 4, 5, 6, 8]);
        table.insert(FieldKind::Dimension(1), column(text.into_bytes(), offsets));

        let ranges = [
            ("d".to_owned(), Range::of(5_i64, 8)),
            ("s".to_owned(), Range::new(&b"a"[..], &b"m"[..])),
        ];
        let subarray = Subarray::new(&schema, &ranges).unwrap();
        let types = [Datatype::Int64, Datatype::StringAscii];
        let counts = select(&table, &subarray, &types, false);
        assert_eq!(counts.unwrap(), [1, 1, 0, 1, 1, 0]);
    }
}
