//! The cells of one field of one tile, on their way to the filters.

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
    /// Which cells were written, in order, where that is not all of them.
    pub(crate) written: Option<&'a [Range<usize>]>,
    /// What the values are a part of, where that can be shared.
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

    /// A value of the tile, to be kept: shared where it is long, and most of what is kept with it.
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

    /// The bytes of a cell; `size` is that of cells that do not vary.
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

/// Where something stands in memory.
#[track_caller]
pub(crate) fn position(offset: u64) -> Result<usize, Bug> {
    // Not with a closure, which would be the place that the bug names.
    match usize::try_from(offset) {
        Ok(position) => Ok(position),
        Err(_) => Err(Bug::new("a place in memory beyond what there can be")),
    }
}

/// A number that others are bounded by: what is beyond memory bounds nothing.
pub(crate) fn bound(most: u64) -> usize {
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// What a thread keeps from tile to tile.
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
    /// For each cell of a tile, which of the cells handed in it is.
    pub(crate) rows: Vec<usize>,
}

/// Memory that filters use.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    pub(crate) offsets: Vec<u8>,
    pub(crate) scratch: Scratch,
}

/// Tiles, numbered from 0, that can be put together by any thread.
pub(crate) trait TileSource: Sync {
    /// The cells of a tile of the field with this place among those that are written.
    fn tile<'a>(
        &'a self,
        field: usize,
        tile: u64,
        buffers: &'a mut Buffers,
    ) -> Result<Tile<'a>, Bug>;

    /// About how many bytes the fields of a tile have together.
    fn tile_bytes(&self) -> usize;
}
