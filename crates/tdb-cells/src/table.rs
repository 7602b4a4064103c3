//! Cells of several fragments, field by field: what a sparse read works on.

use std::collections::HashMap;
use std::ops::Range;

use tdb_schema::FieldKind;
use tdb_tile::{Budget, Grant};

use crate::gather::{gather_fixed, gather_var};
use crate::{Buffer, CellsError, buffer};

/// Loaded cells: those of the first fragment, then those of the second, and so on,
/// each in the order of its tiles.
#[derive(Debug, Default)]
pub struct CellTable {
    /// The cells of each fragment.
    pub segments: Vec<Segment>,
    /// Cells of all of them.
    pub rows: usize,
    columns: HashMap<FieldKind, TableColumn>,
    /// The memory of the columns.
    held: Vec<Grant>,
}

/// The cells of one fragment within a table.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Position of the fragment in the array's list.
    pub fragment: usize,
    /// Its cells.
    pub rows: Range<usize>,
    /// Its tiles, in their order.
    pub tiles: Vec<TileRows>,
}

/// The cells of one tile within a table.
#[derive(Clone, Debug)]
pub struct TileRows {
    /// Number of the tile in its fragment.
    pub tile: usize,
    /// Its cells.
    pub rows: Range<usize>,
    /// Whether all its cells lie within the subarray.
    pub full: bool,
    /// Whether fields that are loaded from now on are wanted of it: what is not wanted is not fetched, and holds zeros.
    pub wanted: bool,
}

/// The cells of one field.
#[derive(Debug, Default)]
pub struct TableColumn {
    /// The cells, one after the other.
    pub values: Buffer,
    /// Bytes of a cell of fixed size.
    pub cell_size: usize,
    /// Var-sized: where each cell begins in `values`, and the end.
    pub offsets: Option<Vec<u64>>,
    /// Nullable: a byte per cell, zero for null.
    pub validity: Option<Vec<u8>>,
    /// The rows of fragments whose schema lacks the field, in ascending order.
    pub missing: Vec<Range<usize>>,
}

impl CellTable {
    /// Tiles to be loaded: no field is there yet.
    pub fn new(segments: Vec<Segment>) -> Self {
        let rows = segments.last().map_or(0, |segment| segment.rows.end);
        Self {
            segments,
            rows,
            columns: HashMap::new(),
            held: Vec::new(),
        }
    }

    /// A table of some rows, which ascend, of all fields that are loaded.
    pub fn compact(&self, rows: &[u32], budget: &Budget) -> Result<Self, CellsError> {
        let mut segments = Vec::new();
        for segment in &self.segments {
            let before = |end: usize| rows.partition_point(|&row| (row as usize) < end);
            let rows = before(segment.rows.start)..before(segment.rows.end);
            if !rows.is_empty() {
                segments.push(Segment::of_cells(segment.fragment, rows));
            }
        }
        let mut out = Self::new(segments);
        for (&field, column) in &self.columns {
            let share = column.size() as u128 * rows.len() as u128 / (self.rows as u128).max(1);
            out.hold(budget.take(u64::try_from(share).unwrap_or(u64::MAX))?);
            let mut picked = column.at(rows)?;
            picked.missing = out.missing_as_in(column, self);
            out.insert(field, picked);
        }
        Ok(out)
    }

    /// The rows of fragments that lack a field of another table with the same fragments.
    fn missing_as_in(&self, column: &TableColumn, other: &Self) -> Vec<Range<usize>> {
        let lacks = |segment: &&Segment| {
            let mut same = other
                .segments
                .iter()
                .filter(|o| o.fragment == segment.fragment);
            same.any(|o| column.lacks(&o.rows))
        };
        let segments = self.segments.iter().filter(lacks);
        segments.map(|segment| segment.rows.clone()).collect()
    }

    /// The rows of all these tables, which have the same fields, by fragment.
    pub fn concat(mut parts: Vec<Self>, budget: &Budget) -> Result<Self, CellsError> {
        if parts.len() < 2 {
            return Ok(parts.pop().unwrap_or_default());
        }
        let mut pieces: Vec<(usize, &Self, Range<usize>)> = parts
            .iter()
            .flat_map(|part| {
                part.segments
                    .iter()
                    .map(move |s| (s.fragment, part, s.rows.clone()))
            })
            .collect();
        pieces.sort_by_key(|(fragment, ..)| *fragment);
        let mut segments = Vec::new();
        let mut end = 0_usize;
        for same in pieces.chunk_by(|a, b| a.0 == b.0) {
            let rows = same.iter().map(|(_, _, rows)| rows.len());
            let rows = end..rows.fold(end, usize::saturating_add);
            end = rows.end;
            segments.extend(same.first().map(|(f, ..)| Segment::of_cells(*f, rows)));
        }
        let mut out = Self::new(segments);
        let fields: Vec<FieldKind> = parts
            .first()
            .map_or(Vec::new(), |p| p.columns.keys().copied().collect());
        for field in fields {
            let columns: Vec<(&TableColumn, &Self, Range<usize>)> = pieces
                .iter()
                .filter_map(|(_, part, rows)| Some((part.column(field)?, *part, rows.clone())))
                .collect();
            let size = parts
                .iter()
                .filter_map(|part| part.column(field))
                .map(TableColumn::size);
            out.hold(budget.take(size.fold(0, usize::saturating_add) as u64)?);
            let mut joined = join(&columns)?;
            for (column, part, _) in &columns {
                joined.missing.extend(out.missing_as_in(column, part));
            }
            joined.missing.sort_by_key(|rows| rows.start);
            joined.missing.dedup();
            out.insert(field, joined);
        }
        Ok(out)
    }

    /// Keeps a grant as long as the table.
    pub fn hold(&mut self, grant: Grant) {
        self.held.push(grant);
    }

    /// The memory that the table keeps.
    pub fn bytes_held(&self) -> u64 {
        let bytes = self.held.iter().map(Grant::bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// The grants, for whoever goes on with the columns.
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

    /// The cells of a field, which the table gives away.
    pub fn take(&mut self, field: FieldKind) -> Option<TableColumn> {
        self.columns.remove(&field)
    }
}

impl TableColumn {
    /// Whether these rows are those of a fragment that lacks the field.
    #[must_use]
    pub fn lacks(&self, rows: &Range<usize>) -> bool {
        let first = self.missing.partition_point(|m| m.start < rows.start);
        let behind = self.missing.iter().skip(first);
        behind
            .take_while(|missing| missing.start == rows.start)
            .any(|missing| missing == rows)
    }

    /// The bytes that the cells take, and what stands beside them.
    fn size(&self) -> usize {
        let offsets = self
            .offsets
            .as_ref()
            .map_or(0, |o| o.len().saturating_mul(8));
        let validity = self.validity.as_ref().map_or(0, Vec::len);
        let values = self.values.as_slice().len();
        values.saturating_add(offsets).saturating_add(validity)
    }

    /// The cells at `rows`, in that order; `missing` is for the caller to know.
    pub fn at(&self, rows: &[u32]) -> Result<Self, CellsError> {
        let values = self.values.as_slice();
        let (values, offsets) = match &self.offsets {
            None => (gather_fixed(values, self.cell_size, rows)?, None),
            Some(offsets) => {
                let (values, offsets) = gather_var(values, offsets, rows)?;
                (values, Some(offsets))
            }
        };
        let valid = |bytes: &Vec<u8>| {
            let valid = rows.iter().map(|&row| bytes.get(row as usize).copied());
            valid.map(|valid| valid.unwrap_or_default()).collect()
        };
        Ok(Self {
            values,
            cell_size: self.cell_size,
            offsets,
            validity: self.validity.as_ref().map(valid),
            missing: Vec::new(),
        })
    }

    /// The `u64` of every row, for timestamps and the like.
    pub fn u64_at(&self, row: usize) -> u64 {
        let (cells, _) = self.values.as_slice().as_chunks::<8>();
        cells.get(row).map_or(0, |cell| u64::from_le_bytes(*cell))
    }

    /// A column of these numbers.
    pub fn of_numbers(numbers: &[u64]) -> Result<Self, CellsError> {
        let mut values = buffer(numbers.len().saturating_mul(8))?;
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

    /// The bytes of the cells of these rows.
    fn bytes_of(&self, rows: &Range<usize>) -> &[u8] {
        let bytes = match &self.offsets {
            None => {
                let at = |row: usize| row.saturating_mul(self.cell_size);
                at(rows.start)..at(rows.end)
            }
            Some(offsets) => {
                let at = |row: usize| {
                    let offset = offsets.get(row).copied().unwrap_or_default();
                    usize::try_from(offset).unwrap_or(usize::MAX)
                };
                at(rows.start)..at(rows.end)
            }
        };
        self.values.as_slice().get(bytes).unwrap_or_default()
    }

    /// The bytes of a row's cell.
    pub fn cell(&self, row: usize) -> &[u8] {
        self.bytes_of(&(row..row.saturating_add(1)))
    }
}

impl Segment {
    /// Cells of a fragment that were picked from its tiles.
    fn of_cells(fragment: usize, rows: Range<usize>) -> Self {
        let tiles = vec![TileRows {
            tile: 0,
            rows: rows.clone(),
            full: true,
            wanted: true,
        }];
        Self {
            fragment,
            rows,
            tiles,
        }
    }
}

/// Cells of several columns of one field, one after the other.
fn join(pieces: &[(&TableColumn, &CellTable, Range<usize>)]) -> Result<TableColumn, CellsError> {
    let cells = pieces.iter().map(|(column, _, rows)| column.bytes_of(rows));
    let total = cells.clone().map(<[u8]>::len);
    let mut values = buffer(total.fold(0, usize::saturating_add))?;
    let mut rest = values.as_mut_slice();
    for cells in cells {
        let (place, behind) = rest.split_at_mut(cells.len().min(rest.len()));
        place.copy_from_slice(cells.get(..place.len()).unwrap_or_default());
        rest = behind;
    }
    let first = pieces.first().map(|(column, ..)| *column);
    let is_var = first.is_some_and(|column| column.offsets.is_some());
    let is_nullable = first.is_some_and(|column| column.validity.is_some());
    let validity = pieces.iter().flat_map(|(column, _, rows)| {
        let all = column.validity.as_deref().unwrap_or_default();
        all.get(rows.clone()).unwrap_or_default().iter().copied()
    });
    Ok(TableColumn {
        values,
        cell_size: first.map_or(0, |column| column.cell_size),
        offsets: is_var.then(|| joined_offsets(pieces)),
        validity: is_nullable.then(|| validity.collect()),
        missing: Vec::new(),
    })
}

fn joined_offsets(pieces: &[(&TableColumn, &CellTable, Range<usize>)]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut base = 0_u64;
    for (column, _, rows) in pieces {
        let offsets = column.offsets.as_deref().unwrap_or_default();
        let own = offsets.get(rows.start..=rows.end).unwrap_or_default();
        if let [first, .., end] = own {
            let starting = own.iter().take(rows.len());
            starts.extend(starting.map(|start| base.saturating_add(start.saturating_sub(*first))));
            base = base.saturating_add(end.saturating_sub(*first));
        }
    }
    starts.push(base);
    starts
}
