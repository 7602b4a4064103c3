//! Cells of several fragments, by field: the data that a sparse read works on.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_tile::{Budget, Bug, Exact, Grant};

use crate::gather::{gather_fixed, gather_var};
use crate::{Buffer, CellsError, Row, RowRange, scaled, threads};

/// Loaded cells: those of the first fragment, then those of the second, and so on, each in the order of its tiles.
#[derive(Debug)]
pub struct CellTable {
    /// The cells of each fragment.
    pub segments: Vec<Segment>,
    rows: RowRange,
    columns: HashMap<FieldKind, TableColumn>,
    /// Grants for the memory of the columns.
    held: Vec<Grant>,
}

/// The cells of one fragment within a table.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Index of the fragment.
    pub fragment: FragmentIndex,
    /// The fragment's rows in the table.
    pub rows: RowRange,
    /// The tiles, in their order; empty if single cells were picked, after which no further field can be loaded.
    pub tiles: Vec<TileRows>,
}

/// The cells of one tile within a table.
#[derive(Clone, Debug)]
pub struct TileRows {
    /// Number of the tile in its fragment.
    pub tile: TileNumber,
    /// The tile's rows in the table.
    pub rows: RowRange,
    /// Whether all cells of the tile lie within the subarray.
    pub full: bool,
    /// Whether fields that are loaded later are needed from this tile; if not, it is not fetched, and its cells are
    /// arbitrary.
    pub wanted: bool,
}

/// The cells of one field.
#[derive(Debug, Default)]
pub struct TableColumn {
    /// The cells, one after the other.
    pub values: Buffer,
    /// Bytes of a cell of fixed size, or of one value of a var-sized field.
    pub cell_size: usize,
    /// Var-sized: start of each cell in `values`, and the end of the last.
    pub offsets: Option<Vec<u64>>,
    /// Nullable: one byte per cell, zero for null.
    pub validity: Option<Vec<u8>>,
    /// Rows of the fragments whose schema lacks the field, in ascending order.
    pub missing: Vec<RowRange>,
}

impl CellTable {
    /// Creates a table of these tiles, with no field loaded yet.
    pub fn new(segments: Vec<Segment>) -> Self {
        let all = RowRange::default();
        let rows = segments.last().map_or(all, |last| all.until(last.rows));
        Self {
            segments,
            rows,
            columns: HashMap::new(),
            held: Vec::new(),
        }
    }

    /// All rows of the table.
    #[must_use]
    pub fn rows(&self) -> RowRange {
        self.rows
    }

    /// The tiles of all fragments.
    pub fn tiles(&self) -> impl Iterator<Item = &TileRows> {
        self.segments.iter().flat_map(|segment| &segment.tiles)
    }

    /// The tiles of all fragments, mutably, to mark which are wanted.
    pub fn tiles_mut(&mut self) -> impl Iterator<Item = &mut TileRows> {
        let segments = self.segments.iter_mut();
        segments.flat_map(|segment| &mut segment.tiles)
    }

    /// Copies rows of all loaded fields, given in ascending order, into a new table.
    ///
    /// # Errors
    /// The memory budget is exceeded.
    pub fn compact(&self, rows: &[Row], budget: &Budget) -> Result<Self, CellsError> {
        let mut segments = Vec::new();
        let (mut end, mut rest) = (RowRange::default(), rows);
        for segment in &self.segments {
            let own = rest.partition_point(|row| row.index() < segment.rows.end());
            (_, rest) = rest.split_at(own);
            if own > 0 {
                end = end.next(own)?;
                segments.push(Segment::of_cells(segment.fragment, end));
            }
        }
        let mut out = Self::new(segments);
        for (&field, column) in &self.columns {
            let (size, all) = (column.size() as u64, self.rows.len() as u64);
            out.hold(budget.take(scaled(size, rows.len() as u64, all))?);
            let mut picked = column.at(rows)?;
            let lacking = self.segments.iter().filter(|s| column.lacks(s.rows));
            picked.missing = out.rows_of(&lacking.map(|s| s.fragment).collect());
            out.insert(field, picked);
        }
        Ok(out)
    }

    /// The rows of these fragments.
    fn rows_of(&self, fragments: &BTreeSet<FragmentIndex>) -> Vec<RowRange> {
        let segments = self.segments.iter();
        let of_them = segments.filter(|segment| fragments.contains(&segment.fragment));
        of_them.map(|segment| segment.rows).collect()
    }

    /// Concatenates tables that have the same fields; the rows of each fragment become one segment.
    ///
    /// # Errors
    /// The memory budget is exceeded, or there are more rows than can be numbered.
    pub fn concat(mut parts: Vec<Self>, budget: &Budget) -> Result<Self, CellsError> {
        // If no table has rows, any one will do: it has all columns in their form.
        if parts.len() < 2 || parts.iter().all(|part| part.segments.is_empty()) {
            return Ok(parts.pop().unwrap_or_else(|| Self::new(Vec::new())));
        }
        let mut pieces = Vec::new();
        for part in &parts {
            let segments = part.segments.iter();
            pieces.extend(segments.map(|segment| (segment.fragment, part, segment.rows)));
        }
        pieces.sort_by_key(|(fragment, ..)| *fragment);
        let mut segments = Vec::new();
        let mut end = RowRange::default();
        for same in pieces.chunk_by(|a, b| a.0 == b.0) {
            let rows = same.iter().map(|(_, _, rows)| rows.len());
            end = end.next(rows.sum())?;
            segments.extend(same.first().map(|(f, ..)| Segment::of_cells(*f, end)));
        }
        let mut out = Self::new(segments);
        let fields = parts.iter().take(1).flat_map(|part| part.columns.keys());
        for &field in fields {
            let columns: Vec<_> = pieces
                .iter()
                .map(|(_, part, rows)| {
                    let column = part
                        .column(field)
                        .ok_or_else(|| Bug::new("tables of different fields are joined"))?;
                    Ok((column, *rows))
                })
                .collect::<Result<_, Bug>>()?;
            let sizes = parts.iter().filter_map(|part| part.column(field));
            let size: usize = sizes.map(TableColumn::size).sum();
            out.hold(budget.take(size as u64)?);
            let mut joined = join(&columns)?;
            let lacking = columns
                .iter()
                .zip(&pieces)
                .filter(|((column, rows), _)| column.lacks(*rows));
            joined.missing = out.rows_of(&lacking.map(|(_, (fragment, ..))| *fragment).collect());
            out.insert(field, joined);
        }
        Ok(out)
    }

    /// Keeps a grant as long as the table lives.
    pub fn hold(&mut self, grant: Grant) {
        self.held.push(grant);
    }

    /// Bytes of memory that the table's grants cover.
    pub fn bytes_held(&self) -> u64 {
        self.held.iter().map(Grant::bytes).sum()
    }

    /// Moves the grants to the caller, who goes on using the columns.
    pub fn take_held(&mut self) -> Vec<Grant> {
        std::mem::take(&mut self.held)
    }

    /// Whether the field was loaded.
    pub fn has(&self, field: FieldKind) -> bool {
        self.columns.contains_key(&field)
    }

    /// The cells of a field, if they were loaded.
    pub fn column(&self, field: FieldKind) -> Option<&TableColumn> {
        self.columns.get(&field)
    }

    /// Adds the cells of a field.
    pub fn insert(&mut self, field: FieldKind, column: TableColumn) {
        self.columns.insert(field, column);
    }

    /// Removes the column of a field and returns it.
    pub fn take(&mut self, field: FieldKind) -> Option<TableColumn> {
        self.columns.remove(&field)
    }
}

impl TableColumn {
    /// Whether these rows are those of a fragment that lacks the field.
    #[must_use]
    pub fn lacks(&self, rows: RowRange) -> bool {
        // All fragments without rows share the same empty range.
        !rows.is_empty() && self.missing.binary_search(&rows).is_ok()
    }

    /// Bytes of the values, offsets and validity.
    fn size(&self) -> usize {
        let offsets = self.offsets.as_deref().map_or(0, size_of_val::<[u64]>);
        let validity = self.validity.as_ref().map_or(0, Vec::len);
        let values = self.values.as_slice().len();
        [values, offsets, validity].iter().sum()
    }

    /// Copies the cells at `rows`, in that order. `missing` is left empty for the caller to fill.
    ///
    /// # Errors
    /// The system lacks memory.
    pub fn at(&self, rows: &[Row]) -> Result<Self, CellsError> {
        let (values, offsets) = match &self.offsets {
            None => (gather_fixed(&self.values, self.cell_size, rows)?, None),
            Some(offsets) => {
                let (values, offsets) = gather_var(&self.values, offsets, rows)?;
                (values, Some(offsets))
            }
        };
        let valid = |bytes: &Vec<u8>| {
            let valid = rows.iter().map(|row| bytes.get(row.index()).copied());
            valid.collect::<Option<_>>().ok_or_else(Self::short)
        };
        Ok(Self {
            values,
            cell_size: self.cell_size,
            offsets,
            validity: self.validity.as_ref().map(valid).transpose()?,
            missing: Vec::new(),
        })
    }

    /// Returns the number in a row of a `u64` column, such as timestamps.
    ///
    /// # Errors
    /// The column does not have the row.
    pub fn u64_at(&self, row: Row) -> Result<u64, Bug> {
        let (cells, _) = self.values.as_slice().as_chunks::<8>();
        let cell = cells.get(row.index());
        cell.map(|cell| u64::from_le_bytes(*cell))
            .ok_or_else(Self::short)
    }

    /// Creates a column of `u64` numbers.
    ///
    /// # Errors
    /// The system lacks memory.
    pub fn of_numbers(numbers: &[u64]) -> Result<Self, CellsError> {
        let mut values = Buffer::zeroed(numbers.len().exact_mul(8)?)?;
        let (places, _) = values.as_mut_slice().as_chunks_mut::<8>();
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = number.to_le_bytes();
        }
        Ok(Self {
            values,
            cell_size: 8,
            ..Self::default()
        })
    }

    /// The bytes of the cells in these rows.
    fn bytes_of(&self, rows: Range<usize>) -> Result<&[u8], Bug> {
        let at = |row: usize| match &self.offsets {
            None => row.checked_mul(self.cell_size),
            Some(offsets) => usize::try_from(*offsets.get(row)?).ok(),
        };
        let ends = at(rows.start).zip(at(rows.end));
        let bytes = ends.and_then(|(start, end)| self.values.as_slice().get(start..end));
        bytes.ok_or_else(Self::short)
    }

    /// The bytes of the cell in this row.
    ///
    /// # Errors
    /// The column does not have the row.
    pub fn cell(&self, row: usize) -> Result<&[u8], Bug> {
        self.bytes_of(row..row.exact_add(1)?)
    }

    #[track_caller]
    fn short() -> Bug {
        Bug::new("a column has fewer cells than its table")
    }
}

impl Segment {
    /// Creates a segment of cells that were picked from a fragment's tiles.
    fn of_cells(fragment: FragmentIndex, rows: RowRange) -> Self {
        Self {
            fragment,
            rows,
            tiles: Vec::new(),
        }
    }
}

/// Concatenates cells of several columns of one field.
fn join(pieces: &[(&TableColumn, RowRange)]) -> Result<TableColumn, CellsError> {
    let Some((first, _)) = pieces.first() else {
        return Ok(TableColumn::default());
    };
    let cells: Vec<&[u8]> = pieces
        .iter()
        .map(|(column, rows)| column.bytes_of(rows.indices()))
        .collect::<Result<_, Bug>>()?;
    let total = cells.iter().map(|cells| cells.len()).sum();
    let mut values = first.values.another(total)?;
    let mut rest = values.as_mut_slice();
    let copies = cells.into_iter().map(|cells| {
        let place = rest.split_off_mut(..cells.len());
        Ok((place.ok_or_else(TableColumn::short)?, cells))
    });
    threads::for_each(copies.collect::<Result<_, Bug>>()?, |(place, cells)| {
        place.copy_from_slice(cells);
        Ok::<_, Bug>(())
    })?;
    let offsets = first.offsets.as_ref().map(|_| joined_offsets(pieces));
    let validity = first.validity.as_ref().map(|_| joined_validity(pieces));
    Ok(TableColumn {
        values,
        cell_size: first.cell_size,
        offsets: offsets.transpose()?,
        validity: validity.transpose()?,
        missing: Vec::new(),
    })
}

fn joined_validity(pieces: &[(&TableColumn, RowRange)]) -> Result<Vec<u8>, Bug> {
    let mut joined = Vec::new();
    for (column, rows) in pieces {
        let all = column.validity.as_deref();
        let own = all.and_then(|all| all.get(rows.indices()));
        joined.extend_from_slice(own.ok_or_else(TableColumn::short)?);
    }
    Ok(joined)
}

fn joined_offsets(pieces: &[(&TableColumn, RowRange)]) -> Result<Vec<u64>, Bug> {
    let mut starts = Vec::new();
    let mut base = 0_u64;
    for (column, rows) in pieces {
        let offsets = column.offsets.as_deref();
        let own = offsets.and_then(|offsets| offsets.get(rows.start()..=rows.end()));
        let (Some([first, ..]), Some([starting @ .., end])) = (own, own) else {
            return Err(TableColumn::short());
        };
        for start in starting {
            starts.push(base.exact_add(start.exact_sub(*first)?)?);
        }
        base = base.exact_add(end.exact_sub(*first)?)?;
    }
    starts.push(base);
    Ok(starts)
}
