//! The unfiltered cells of one field of one tile.

use std::ops::Range;

use bytes::Bytes;
use tdb_filters::Scratch;
use tdb_tile::{Bug, Exact};

/// The cells of one tile of one field, before filters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tile<'a> {
    /// Number of cells.
    pub(crate) cells: usize,
    /// Values of the cells.
    pub(crate) values: &'a [u8],
    /// Start of each cell of a var-sized field in the values, in bytes.
    pub(crate) starts: Option<&'a [u64]>,
    /// One byte per cell, 0 if it is null; `None` for fields that are not nullable.
    pub(crate) validity: Option<&'a [u8]>,
    /// The ranges of written cells in order, if not all cells of the tile are written.
    pub(crate) written: Option<&'a [Range<usize>]>,
    /// The shared buffer that contains the values, if there is one.
    pub(crate) shared: Option<&'a Bytes>,
}

impl<'a> Tile<'a> {
    /// The written cells, as ranges.
    pub(crate) fn written(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let cells = self.cells;
        let all = self.written.is_none().then_some(0..cells);
        let some = self.written.into_iter().flatten().cloned();
        all.into_iter().chain(some)
    }

    /// Copies a value of the tile. A long value that is at least half of its buffer shares the buffer instead.
    pub(crate) fn kept(&self, value: &[u8]) -> Bytes {
        const LONG: usize = 1 << 20;
        let is_most = |all: &&Bytes| {
            let (outer, inner) = (all.as_ptr_range(), value.as_ptr_range());
            let is_within = outer.start <= inner.start && inner.end <= outer.end;
            is_within && value.len() >= LONG && value.len() >= all.len() / 2
        };
        match self.shared.filter(is_most) {
            Some(all) => all.slice_ref(value),
            None => Bytes::copy_from_slice(value),
        }
    }

    /// The bytes of a cell; `size` is the size of fixed-size cells.
    pub(crate) fn cell(&self, cell: usize, size: Option<usize>) -> Result<&'a [u8], Bug> {
        let bytes = match (self.starts, size) {
            (Some(starts), _) => starts.get(cell).and_then(|start| {
                let start = usize::try_from(*start).ok()?;
                // The last cell ends where the values end.
                let end = starts
                    .get(cell + 1)
                    .copied()
                    .map(usize::try_from)
                    .transpose()
                    .ok()?;
                self.values.get(start..end.unwrap_or(self.values.len()))
            }),
            (None, Some(size)) => {
                let bytes = cell.exact_mul(size)?..(cell + 1).exact_mul(size)?;
                self.values.get(bytes)
            }
            (None, None) => None,
        };
        bytes.ok_or_else(|| Bug::new("a tile lacks a cell"))
    }
}

/// A filtered tile of a field, read from its files.
#[derive(Debug)]
pub(crate) struct StoredTile {
    /// Fixed-size cells, or offsets.
    pub(crate) main: Bytes,
    pub(crate) var: Option<Bytes>,
    pub(crate) validity: Option<Bytes>,
}

/// A decoded tile of a field.
#[derive(Debug, Default)]
pub(crate) struct DecodedTile {
    pub(crate) values: Vec<u8>,
    /// Start of each cell of a var-sized field.
    pub(crate) starts: Vec<u64>,
    /// One byte per cell of a nullable field, 0 if it is null.
    pub(crate) validity: Vec<u8>,
}

/// Converts a position to `usize`.
#[track_caller]
pub(crate) fn position(offset: u64) -> Result<usize, Bug> {
    // Not in a closure, because then the bug would name the place of the closure.
    match usize::try_from(offset) {
        Ok(position) => Ok(position),
        Err(_) => Err(Bug::new("a place in memory beyond what there can be")),
    }
}

/// Converts a limit on memory to `usize`; a limit beyond the address space has no effect.
pub(crate) fn bound(most: u64) -> usize {
    let Ok(bound) = usize::try_from(most) else {
        return usize::MAX;
    };
    bound
}

/// Memory that a thread reuses from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Workshop {
    pub(crate) buffers: Buffers,
    pub(crate) coder: Coder,
}

/// Memory in which the cells of tiles are gathered.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) values: Vec<u8>,
    pub(crate) starts: Vec<u64>,
    pub(crate) validity: Vec<u8>,
    pub(crate) written: Vec<Range<usize>>,
    /// For each cell of a tile, its index among the input cells.
    pub(crate) rows: Vec<usize>,
}

/// Memory for encoding and decoding tiles.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    pub(crate) offsets: Vec<u8>,
    pub(crate) scratch: Scratch,
}

/// A source of unfiltered tiles, indexed from 0, which any thread can call.
pub(crate) trait TileSource: Sync {
    /// Returns the cells of a tile of the field with this index among the written fields.
    fn tile<'a>(
        &'a self,
        field: usize,
        tile: u64,
        buffers: &'a mut Buffers,
    ) -> Result<Tile<'a>, Bug>;

    /// Approximate size of all fields of one tile, in bytes.
    fn tile_bytes(&self) -> usize;
}
