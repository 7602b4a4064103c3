//! Selects the decoded cells that lie within the subarray.

use tdb_cells::{CellTable, RowRange, TableColumn};
use tdb_schema::{FieldKind, Subarray};
use tdb_tile::{Bug, Datatype, Exact, Range, Scalar, with_scalar};

/// Number of times that each loaded cell is requested: 0 or 1; more only if intervals overlap and repeats count.
pub(crate) type Counts = Vec<u32>;

/// Counts how often each cell of `table` lies within `subarray`; `None` if all do, once each.
///
/// With `repeats`, a cell counts once for every interval that it lies in.
pub(crate) fn select(
    table: &CellTable,
    subarray: &Subarray,
    types: &[Datatype],
    repeats: bool,
) -> Result<Option<Counts>, Bug> {
    let tiles = || table.segments.iter().flat_map(|segment| &segment.tiles);
    let plain = tiles().all(|tile| tile.full);
    if plain && !(repeats && overlaps(subarray, types)) {
        return Ok(None);
    }
    let mut counts = vec![1; table.rows().len()];
    for (index, &datatype) in types.iter().enumerate() {
        let Some(ranges) = subarray.ranges(index) else {
            continue;
        };
        let column = table
            .column(FieldKind::Dimension(index))
            .ok_or_else(|| Bug::new("cells are chosen whose coordinates are not loaded"))?;
        let tiles = tiles().filter(|tile| repeats || !tile.full);
        let rows = tiles.map(|tile| tile.rows);
        let intervals = Intervals {
            datatype,
            ranges,
            repeats,
        };
        intervals.count(column, rows, &mut counts)?;
    }
    Ok(Some(counts))
}

/// True if any two intervals of a dimension have a value in common.
fn overlaps(subarray: &Subarray, types: &[Datatype]) -> bool {
    types.iter().enumerate().any(|(index, &datatype)| {
        subarray
            .ranges(index)
            .is_some_and(|ranges| merged(datatype, ranges).len() < ranges.len())
    })
}

/// Merges intervals into ones that do not overlap, in ascending order.
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

/// Requested intervals of one dimension.
struct Intervals<'a> {
    datatype: Datatype,
    ranges: &'a [Range],
    /// Whether a cell counts once for each interval that contains it.
    repeats: bool,
}

impl Intervals<'_> {
    /// Multiplies the count of each cell in `rows` by the number of intervals that contain it; if it does not repeat, by
    /// one if any contains it.
    fn count(
        &self,
        column: &TableColumn,
        rows: impl Iterator<Item = RowRange>,
        counts: &mut [u32],
    ) -> Result<(), Bug> {
        let Self {
            datatype,
            ranges,
            repeats,
        } = *self;
        let unmatched = || Bug::new("a tile with rows behind those of its table");
        if column.offsets.is_some() {
            let merged = (!repeats).then(|| merged(datatype, ranges));
            let ranges = merged.as_deref().unwrap_or(ranges);
            for rows in rows {
                let counts = counts.get_mut(rows.indices()).ok_or_else(unmatched)?;
                for (row, place) in rows.indices().zip(counts) {
                    let cell = column.cell(row)?;
                    let holds = |range: &&Range| range.lo[..] <= *cell && *cell <= range.hi[..];
                    times(place, ranges.iter().filter(holds).count());
                }
            }
            return Ok(());
        }
        let size = datatype.size();
        let values = column.values.as_slice();
        with_scalar!(datatype, T => {
            let ends = Ends::<T>::of(datatype, ranges, repeats);
            for rows in rows {
                let counts = counts.get_mut(rows.indices()).ok_or_else(unmatched)?;
                let (start, end) = (rows.start().exact_mul(size)?, rows.end().exact_mul(size)?);
                let too_few = || Bug::new("a dimension has fewer cells than its table");
                let cells = values.get(start..end).ok_or_else(too_few)?;
                ends.count(cells, counts);
            }
        });
        Ok(())
    }
}

/// Multiplies a count by the number of hits. It saturates: the rows would not fit in memory.
fn times(count: &mut u32, hits: usize) {
    let hits = u32::try_from(hits).unwrap_or(u32::MAX);
    *count = count.saturating_mul(hits);
}

/// Intervals of numbers, prepared once for all tiles: there may be many of both.
struct Ends<T> {
    ranges: Vec<(T, T)>,
    /// Whether the intervals are ascending and disjoint, so that a cell is in one at most.
    is_ascending: bool,
}

impl<T: Scalar> Ends<T> {
    fn of(datatype: Datatype, ranges: &[Range], repeats: bool) -> Self {
        let ends = |ranges: &[Range]| -> Vec<(T, T)> {
            let ends = ranges.iter().filter_map(Range::ends);
            ends.collect()
        };
        let mut all = ends(ranges);
        if !repeats && !is_ascending(&all) {
            all = ends(&merged(datatype, ranges));
        }
        Self {
            is_ascending: is_ascending(&all),
            ranges: all,
        }
    }

    /// Multiplies the count of each cell by the number of intervals that contain it.
    fn count(&self, cells: &[u8], counts: &mut [u32]) {
        let cells = T::read_all(cells);
        match self.ranges[..] {
            [(lo, hi)] => {
                for (place, v) in counts.iter_mut().zip(cells) {
                    *place = if lo <= v && v <= hi { *place } else { 0 };
                }
            }
            _ if self.is_ascending => {
                for (place, v) in counts.iter_mut().zip(cells) {
                    let next = self.ranges.partition_point(|(_, hi)| *hi < v);
                    let is_within = self
                        .ranges
                        .get(next)
                        .is_some_and(|(lo, hi)| *lo <= v && v <= *hi);
                    *place = if is_within { *place } else { 0 };
                }
            }
            _ => {
                for (place, v) in counts.iter_mut().zip(cells) {
                    let holds = |(lo, hi): &&(T, T)| *lo <= v && v <= *hi;
                    times(place, self.ranges.iter().filter(holds).count());
                }
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
    use tdb_cells::{Buffer, Segment, TileRows};
    use tdb_fragment::{FragmentIndex, TileNumber};

    /// Tests a tile with cells of two space tiles: the strings start over within it.
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

        let rows = RowRange::first(cells.len()).unwrap();
        let tile = TileRows {
            tile: TileNumber::new(0),
            rows,
            full: false,
            wanted: true,
        };
        let mut table = CellTable::new(vec![Segment {
            fragment: FragmentIndex::new(0),
            rows,
            tiles: vec![tile],
        }]);
        let column = |bytes: Vec<u8>, offsets: Option<Vec<u64>>| {
            let mut values = Buffer::zeroed(bytes.len()).unwrap();
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
        assert_eq!(counts.unwrap().unwrap(), [1, 1, 0, 1, 1, 0]);
    }
}
