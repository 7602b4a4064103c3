//! Cells of several fragments, field by field: what a sparse read works on.

use std::collections::HashMap;
use std::ops::Range;

use tdb_tile::Grant;

use crate::buffer::Buffer;
use crate::field::Field;

/// Loaded cells: those of the first fragment, then those of the second, and so on,
/// each in the order of its tiles.
#[derive(Debug, Default)]
pub(crate) struct CellTable {
    pub(crate) segments: Vec<Segment>,
    pub(crate) rows: usize,
    columns: HashMap<Field, TableColumn>,
    /// The memory of the columns.
    held: Vec<Grant>,
}

/// The cells of one fragment within a table.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Position of the fragment in the array's list.
    pub(crate) fragment: usize,
    pub(crate) rows: Range<usize>,
    pub(crate) tiles: Vec<TileRows>,
}

/// The cells of one tile within a table.
#[derive(Clone, Debug)]
pub(crate) struct TileRows {
    pub(crate) tile: usize,
    pub(crate) rows: Range<usize>,
    /// Whether all its cells lie within the subarray.
    pub(crate) full: bool,
    /// Cells at its start that an earlier batch has given out.
    pub(crate) done: usize,
}

/// The cells of one field.
#[derive(Debug, Default)]
pub(crate) struct TableColumn {
    pub(crate) values: Buffer,
    /// Bytes of a cell of fixed size.
    pub(crate) cell_size: usize,
    /// Var-sized: where each cell begins in `values`, and the end.
    pub(crate) offsets: Option<Vec<u64>>,
    /// Nullable: a byte per cell, zero for null.
    pub(crate) validity: Option<Vec<u8>>,
    /// The rows of fragments whose schema lacks the field.
    pub(crate) missing: Vec<Range<usize>>,
}

impl CellTable {
    pub(crate) fn new(segments: Vec<Segment>) -> Self {
        let rows = segments.last().map_or(0, |segment| segment.rows.end);
        Self {
            segments,
            rows,
            columns: HashMap::new(),
            held: Vec::new(),
        }
    }

    /// Keeps a grant as long as the table.
    pub(crate) fn hold(&mut self, grant: Grant) {
        self.held.push(grant);
    }

    /// The grants, for whoever goes on with the columns.
    pub(crate) fn take_held(&mut self) -> Vec<Grant> {
        std::mem::take(&mut self.held)
    }

    pub(crate) fn has(&self, field: Field) -> bool {
        self.columns.contains_key(&field)
    }

    pub(crate) fn column(&self, field: Field) -> Option<&TableColumn> {
        self.columns.get(&field)
    }

    pub(crate) fn insert(&mut self, field: Field, column: TableColumn) {
        self.columns.insert(field, column);
    }

    pub(crate) fn take(&mut self, field: Field) -> Option<TableColumn> {
        self.columns.remove(&field)
    }
}

impl TableColumn {
    /// The `u64` of every row, for timestamps and the like.
    pub(crate) fn u64_at(&self, row: usize) -> u64 {
        let (cells, _) = self.values.as_slice().as_chunks::<8>();
        cells.get(row).map_or(0, |cell| u64::from_le_bytes(*cell))
    }

    /// The bytes of a row's cell.
    pub(crate) fn cell(&self, row: usize) -> &[u8] {
        let range = match &self.offsets {
            None => {
                row.saturating_mul(self.cell_size)
                    ..row.saturating_add(1).saturating_mul(self.cell_size)
            }
            Some(offsets) => {
                let at = |i: usize| {
                    offsets
                        .get(i)
                        .map_or(0, |&v| usize::try_from(v).unwrap_or(usize::MAX))
                };
                at(row)..at(row.saturating_add(1))
            }
        };
        self.values.as_slice().get(range).unwrap_or(&[])
    }
}
