//! The cells of one field of one tile, on their way to the filters.

use std::ops::Range;

use bytes::Bytes;
use tdb_filters::Scratch;

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
        all.into_iter()
            .chain(self.written.unwrap_or_default().iter().cloned())
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
    pub(crate) fn cell(&self, cell: usize, size: Option<usize>) -> &'a [u8] {
        let bytes = match (self.starts, size) {
            (Some(starts), _) => {
                let start = starts.get(cell).copied().map_or(usize::MAX, position);
                let end = starts.get(cell + 1).copied();
                start..end.map_or(self.values.len(), position)
            }
            (None, size) => {
                let size = size.unwrap_or(0);
                cell.saturating_mul(size)..(cell + 1).saturating_mul(size)
            }
        };
        self.values.get(bytes).unwrap_or_default()
    }
}

/// A number of bytes in memory.
pub(crate) fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
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
    fn tile<'a>(&'a self, field: usize, tile: u64, buffers: &'a mut Buffers) -> Tile<'a>;

    /// About how many bytes the fields of a tile have together.
    fn tile_bytes(&self) -> usize;
}
