//! The unfiltered cells of one field of one tile.

use std::ops::Range;

use bytes::Bytes;
use tdb_filters::Scratch;
use tdb_tile::Bug;

/// The cells of one tile of one field as they are stored, before filters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tile<'a> {
    /// How many cells there are.
    pub(crate) cells: usize,
    /// Their values.
    pub(crate) values: &'a [u8],
    /// Where each cell of a var-sized field begins in the values, in bytes.
    pub(crate) starts: Option<&'a [u64]>,
    /// A byte for each cell, 0 where it is null; `None` for fields that cannot be.
    pub(crate) validity: Option<&'a [u8]>,
    /// The ranges of written cells in order, if not all cells of the tile are written.
    pub(crate) written: Option<&'a [Range<usize>]>,
    /// The shared buffer that contains the values, if there is one.
    pub(crate) shared: Option<&'a Bytes>,
}

impl<'a> Tile<'a> {
    /// The cells that were written, in runs.
    pub(crate) fn written(&self) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let cells = self.cells;
        let all = self.written.is_none().then_some(0..cells);
        let some = self.written.into_iter().flatten().cloned();
        all.into_iter().chain(some)
    }

    /// A copy of a value of the tile. A long value that is at least half of its buffer shares the buffer instead.
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
                // The last cell ends with the values.
                let end = starts.get(cell + 1).copied().map(usize::try_from);
                let end = end.transpose().ok()?;
                self.values.get(start..end.unwrap_or(self.values.len()))
            }),
            (None, Some(size)) => {
                let bytes = cell.saturating_mul(size)..(cell + 1).saturating_mul(size);
                self.values.get(bytes)
            }
            (None, None) => None,
        };
        bytes.ok_or_else(|| Bug::new("a tile lacks a cell"))
    }
}

/// A tile of a field as it is stored, file by file.
#[derive(Debug)]
pub(crate) struct StoredTile {
    /// Fixed-size cells, or offsets.
    pub(crate) main: Bytes,
    pub(crate) var: Option<Bytes>,
    pub(crate) validity: Option<Bytes>,
}

/// A tile of a field without its filters.
#[derive(Debug, Default)]
pub(crate) struct DecodedTile {
    pub(crate) values: Vec<u8>,
    /// Where each cell of a var-sized field begins.
    pub(crate) starts: Vec<u64>,
    /// A byte for each cell of a nullable field, 0 where it is null.
    pub(crate) validity: Vec<u8>,
}

/// Converts a position to `usize`.
#[track_caller]
pub(crate) fn position(offset: u64) -> Result<usize, Bug> {
    // Not with a closure, which would be the place that the bug names.
    match usize::try_from(offset) {
        Ok(position) => Ok(position),
        Err(_) => Err(Bug::new("a place in memory beyond what there can be")),
    }
}

/// Converts a bound on what is in memory to `usize`: beyond the address space it is no bound.
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

/// Memory in which tiles are put together.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) values: Vec<u8>,
    pub(crate) starts: Vec<u64>,
    pub(crate) validity: Vec<u8>,
    pub(crate) written: Vec<Range<usize>>,
    /// For each cell of a tile, its index among the input cells.
    pub(crate) rows: Vec<usize>,
}

/// Memory that filters use.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    pub(crate) offsets: Vec<u8>,
    pub(crate) scratch: Scratch,
}

/// A source of unfiltered tiles, indexed from 0, which any thread can call.
pub(crate) trait TileSource: Sync {
    /// The cells of a tile of the field at this index among the written fields.
    fn tile<'a>(
        &'a self,
        field: usize,
        tile: u64,
        buffers: &'a mut Buffers,
    ) -> Result<Tile<'a>, Bug>;

    /// About how many bytes the fields of a tile have together.
    fn tile_bytes(&self) -> usize;
}
