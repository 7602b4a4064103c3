use std::ops::Range;

use tdb_tile::U64Column;

use crate::FragmentError;

/// Where the tiles of a field are in its files.
///
/// Begins are strictly increasing and lie within the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileIndex {
    fixed: Tiles,
    var: Option<(Tiles, U64Column)>,
    validity: Option<Tiles>,
}

/// The begins of the tiles of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    starts: U64Column,
    file_size: u64,
}

impl Tiles {
    pub(crate) fn new(starts: U64Column, file_size: u64) -> Result<Self, FragmentError> {
        let increasing = starts
            .values()
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.get() < b.get()));
        if !increasing {
            return Err(FragmentError::Invalid("tile offsets do not increase"));
        }
        if starts.iter().last().is_some_and(|last| last >= file_size) {
            return Err(FragmentError::Invalid("tile offsets beyond the file"));
        }
        Ok(Self { starts, file_size })
    }

    fn get(&self, tile: u64) -> Option<Range<u64>> {
        let tile = usize::try_from(tile).ok()?;
        let start = self.starts.get(tile)?;
        let end = self.starts.get(tile.checked_add(1)?);
        Some(start..end.unwrap_or(self.file_size))
    }
}

impl TileIndex {
    pub(crate) fn new(
        fixed: Tiles,
        var: Option<(Tiles, U64Column)>,
        validity: Option<Tiles>,
    ) -> Self {
        Self {
            fixed,
            var,
            validity,
        }
    }

    /// How many tiles there are.
    #[must_use]
    pub fn tile_count(&self) -> u64 {
        self.fixed.starts.len() as u64
    }

    /// The bytes of a tile of fixed-size cells, or of offsets, in its file.
    #[must_use]
    pub fn tile_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.fixed.get(tile)
    }

    /// The bytes of a tile of var-sized values in its file.
    #[must_use]
    pub fn var_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.var.as_ref()?.0.get(tile)
    }

    /// Bytes of a tile of var-sized values, unfiltered.
    #[must_use]
    pub fn var_size(&self, tile: u64) -> Option<u64> {
        self.var.as_ref()?.1.get(usize::try_from(tile).ok()?)
    }

    /// The bytes of a validity tile in its file.
    #[must_use]
    pub fn validity_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.validity.as_ref()?.get(tile)
    }
}
