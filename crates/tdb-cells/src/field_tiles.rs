//! The data tiles of one field of one fragment: their locations, and how they are decoded.

use std::ops::Range;

use bytes::Bytes;
use tdb_fragment::{TileIndex, TileNumber};
use tdb_schema::FieldKind;
use tdb_store::{Piece, Read};
use tdb_tile::{WireError, WireErrorKind};
use zerocopy::IntoBytes;

use crate::stored_tiles::{Owner, StoredTiles, TileFailure};
use crate::worker::Worker;
use crate::{CellsError, Decoding, KeptMemory, TileError};

/// The tiles of one field of one fragment.
#[derive(Debug)]
pub struct FieldTiles {
    pub(crate) owner: Owner,
    /// Values of fixed size, or offsets of var-sized cells.
    pub main: StoredTiles,
    /// Bytes of a cell of fixed size, or of one value of a var-sized field.
    pub cell_size: usize,
    /// The values of a var-sized field.
    pub var: Option<Box<StoredTiles>>,
    /// Validity of a nullable field: one byte per cell, zero for null.
    pub validity: Option<Box<StoredTiles>>,
    /// Locations and sizes of the tiles.
    pub index: TileIndex,
}

impl FieldTiles {
    /// Approximate bytes of memory that this takes, without the contents of the tile index.
    pub(crate) fn bytes(&self) -> usize {
        let boxed = [self.var.as_deref(), self.validity.as_deref()]
            .into_iter()
            .flatten()
            .flat_map(|tiles| [size_of::<StoredTiles>(), tiles.bytes_beside()]);
        let beside = [
            size_of::<(FieldKind, Self)>(),
            self.owner.bytes_beside(),
            self.main.bytes_beside(),
        ];
        boxed.chain(beside).sum()
    }

    /// Unfiltered bytes of the values of a var-sized tile; 0 for other fields.
    pub fn var_size(&self, tile: TileNumber) -> u64 {
        self.index.var_size(tile.get()).unwrap_or(0)
    }

    /// The byte ranges that must be read to decode a tile.
    pub fn reads(&self, tile: TileNumber) -> impl Iterator<Item = Read> {
        let tile = tile.get();
        let var = self.var.as_deref();
        let validity = self.validity.as_deref();
        let main = self.main.read(self.index.tile_extent(tile));
        let var = var.and_then(|var| var.read(self.index.var_extent(tile)));
        let validity = validity.and_then(|v| v.read(self.index.validity_extent(tile)));
        [main, var, validity].into_iter().flatten()
    }

    /// The byte ranges of the parts of a tile, each in its own object.
    pub(crate) fn extents(&self, tile: TileNumber) -> impl Iterator<Item = Range<u64>> {
        let tile = tile.get();
        let var = self.var.as_ref().and_then(|_| self.index.var_extent(tile));
        let validity = self
            .validity
            .as_deref()
            .and_then(|_| self.index.validity_extent(tile));
        let main = self.index.tile_extent(tile);
        [main, var, validity].into_iter().flatten()
    }

    /// Fetches the byte ranges of [`FieldTiles::reads`], still filtered.
    pub fn fetch(&self, tile: TileNumber, how: Decoding<'_>) -> Result<Vec<Piece>, CellsError> {
        let number = tile.get();
        let var = self.var.as_deref();
        let validity = self.validity.as_deref();
        let all = [
            Some((&self.main, self.index.tile_extent(number))),
            var.map(|var| (var, self.index.var_extent(number))),
            validity.map(|validity| (validity, self.index.validity_extent(number))),
        ];
        let fetched: Result<_, TileFailure> = all
            .into_iter()
            .flatten()
            .map(|(tiles, extent)| {
                let mut stored = KeptMemory::default();
                let offset = extent.as_ref().map_or(0, |extent| extent.start);
                let fetched = tiles.fetch(extent.clone(), &mut stored, how);
                fetched.map_err(tiles.locate(extent))?;
                let bytes = Bytes::from(stored);
                Ok(Piece { offset, bytes })
            })
            .collect();
        fetched.map_err(|e| self.owner.at(tile, e))
    }

    /// Decodes a tile of `cells` fixed-size cells into `out`.
    pub fn read_fixed(
        &self,
        tile: TileNumber,
        cells: u64,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), CellsError> {
        debug_assert_eq!(
            Some(out.len() as u64),
            cells.checked_mul(self.cell_size as u64)
        );
        how.counters.add_cells(cells);
        let extent = self.index.tile_extent(tile.get());
        self.main
            .decode(extent.clone(), out, worker, how)
            .map_err(self.main.locate(extent))
            .map_err(|e| self.owner.at(tile, e))
    }

    /// Decodes a tile of `cells` fixed-size cells chunk by chunk, in order, and passes each chunk to `each` with the
    /// offset of its first byte. Chunks outside the bytes `wanted` are skipped, and so are chunks before the offset
    /// that `each` returns, which is the next byte that it needs.
    pub fn for_each_piece(
        &self,
        tile: TileNumber,
        cells: u64,
        wanted: Range<u64>,
        worker: &mut Worker,
        how: Decoding<'_>,
        each: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) -> Result<(), CellsError> {
        let extent = self.index.tile_extent(tile.get());
        let decode = |extent| {
            let bytes = cells.checked_mul(self.cell_size as u64);
            let size = bytes.ok_or_else(beyond_count)?;
            self.main
                .for_each_piece(extent, size, wanted, worker, how, each)
        };
        let decoded = decode(extent.clone())
            .map_err(self.main.locate(extent))
            .map_err(|e| self.owner.at(tile, e))?;
        if let Some(cells) = decoded.checked_div(self.cell_size as u64) {
            how.counters.add_cells(cells);
        }
        Ok(())
    }

    /// Decodes the validity of a tile, one byte per cell; all cells are valid if the field is not nullable.
    pub fn read_validity(
        &self,
        tile: TileNumber,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), CellsError> {
        match &self.validity {
            Some(validity) => {
                let extent = self.index.validity_extent(tile.get());
                validity
                    .decode(extent.clone(), out, worker, how)
                    .map_err(validity.locate(extent))
                    .map_err(|e| self.owner.at(tile, e))
            }
            None => {
                out.fill(1);
                Ok(())
            }
        }
    }

    /// Decodes a tile of var-sized cells: the start of each cell within the tile's values, and the values.
    ///
    /// `values` has [`FieldTiles::var_size`] bytes, `starts` one element per cell.
    pub fn read_var(
        &self,
        tile: TileNumber,
        starts: &mut [u64],
        values: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), CellsError> {
        self.try_read_var(tile, starts, values, worker, how)
            .map_err(|e| self.owner.at(tile, e))
    }

    fn try_read_var(
        &self,
        tile: TileNumber,
        starts: &mut [u64],
        values: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), TileFailure> {
        let Some(var) = &self.var else { return Ok(()) };
        let extent = self.index.tile_extent(tile.get());
        let in_offsets = self.main.locate(extent.clone());
        let var_extent = self.index.var_extent(tile.get());
        let in_values = var.locate(var_extent.clone());
        let offsets = self
            .main
            .fetch(extent, &mut worker.stored, how)
            .map_err(&in_offsets)?;
        let folded = !starts.is_empty() && var.pipeline.folds_offsets_of(&offsets);
        if !folded {
            let (out, scratch) = (starts.as_mut_bytes(), &mut worker.scratch);
            let done = self.main.unfilter(&offsets, out, None, scratch, how);
            done.map_err(&in_offsets)?;
            if cfg!(target_endian = "big") {
                starts
                    .iter_mut()
                    .for_each(|start| *start = u64::from_le(*start));
            }
        }
        drop(offsets);
        let stored = var.fetch(var_extent, &mut worker.stored, how);
        let stored = &*stored.map_err(&in_values)?;
        if folded {
            worker.starts.clear();
            let found = Some(&mut worker.starts);
            let done = var.unfilter(stored, values, found, &mut worker.scratch, how);
            done.map_err(&in_values)?;
            if worker.starts.len() != starts.len() {
                let (wanted, found) = (starts.len() as u64, worker.starts.len() as u64);
                return Err(in_values(mismatch("cells", wanted, found)));
            }
            starts.copy_from_slice(&worker.starts);
        } else {
            let done = var.unfilter(stored, values, None, &mut worker.scratch, how);
            done.map_err(&in_values)?;
        }
        how.counters.add_cells(starts.len() as u64);
        check_starts(starts, values.len() as u64).map_err(in_offsets)
    }
}

/// Checks that the starts of cells ascend from 0 to at most `size`.
fn check_starts(starts: &[u64], size: u64) -> Result<(), TileError> {
    let ordered = starts.is_sorted() && starts.first().is_none_or(|&first| first == 0);
    if ordered && starts.last().is_none_or(|&last| last <= size) {
        return Ok(());
    }
    let kind = WireErrorKind::Invalid("cells do not begin one after the other within the tile");
    Err(TileError::Wire(WireError::new(
        "OffsetsTile",
        "offsets",
        0,
        kind,
    )))
}

fn mismatch(what: &'static str, wanted: u64, found: u64) -> TileError {
    TileError::Wire(WireError::new(
        "Tile",
        what,
        0,
        WireErrorKind::Mismatch {
            what,
            wanted,
            found,
        },
    ))
}

fn beyond_count() -> TileError {
    let kind = WireErrorKind::Invalid("the cells of the tile take more than 2^64 bytes");
    TileError::Wire(WireError::new("Tile", "cells", 0, kind))
}
