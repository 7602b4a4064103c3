use std::ops::Range;

use tdb_tile::U64Column;

use crate::FragmentError;

/// The locations of a field's tiles in its files.
///
/// Within a file, the offsets increase strictly and lie within the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileIndex {
    fixed: Tiles,
    var: Option<(Tiles, U64Column)>,
    validity: Option<Tiles>,
    /// The number of tiles that the fragment should have.
    wanted: u64,
    /// Number of readable tiles; the tiles from this number on cannot be read.
    end: u64,
}

/// The offsets of the tiles in one file, and the size of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    starts: U64Column,
    file_size: u64,
}

impl Tiles {
    pub(crate) fn new(starts: U64Column, file_size: u64) -> Result<Self, FragmentError> {
        if !starts.is_increasing() {
            return Err(FragmentError::Invalid("tile offsets do not increase"));
        }
        let last = starts.len().checked_sub(1).and_then(|at| starts.get(at));
        if last.is_some_and(|last| last >= file_size) {
            return Err(FragmentError::Invalid("tile offsets beyond the file"));
        }
        Ok(Self { starts, file_size })
    }

    fn count(&self) -> u64 {
        self.starts.len() as u64
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
        wanted: u64,
    ) -> Self {
        Self {
            end: fixed.count(),
            fixed,
            var,
            validity,
            wanted,
        }
    }

    /// Fails unless all files of the field have the same number of tiles, even if some tiles were
    /// lost.
    pub(crate) fn check(&self) -> Result<(), FragmentError> {
        let var = self.var.iter();
        let mut counts = var
            .flat_map(|(tiles, sizes)| [tiles.count(), sizes.len() as u64])
            .chain(self.validity.iter().map(Tiles::count));
        match counts.find(|count| *count != self.fixed.count()) {
            Some(found) => Err(FragmentError::Mismatch {
                what: "number of tiles in another file of the field",
                wanted: self.fixed.count(),
                found,
            }),
            None => Ok(()),
        }
    }

    /// Returns the index without the tiles from `end` on.
    pub(crate) fn up_to(self, end: u64) -> Self {
        Self {
            end: end.min(self.end),
            ..self
        }
    }

    /// The number of stored tiles.
    #[must_use]
    pub fn tile_count(&self) -> u64 {
        self.fixed.count()
    }

    /// True if the fragment should have more tiles than are stored.
    pub(crate) fn lacks_tiles(&self) -> bool {
        self.tile_count() < self.wanted
    }

    /// The first of the tiles that were lost when the fragment was written; `None` if no tile was
    /// lost. See [`FragmentMetadata::lost_from`](crate::FragmentMetadata::lost_from).
    #[must_use]
    pub fn lost_from(&self) -> Option<u64> {
        (self.end < self.wanted).then_some(self.end)
    }

    /// Returns the byte range in its file of a tile of fixed-size cells, or of offsets.
    #[must_use]
    pub fn tile_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.fixed.get(self.readable(tile)?)
    }

    /// Returns the byte range in its file of a tile of var-sized values.
    #[must_use]
    pub fn var_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.var.as_ref()?.0.get(self.readable(tile)?)
    }

    /// Returns the unfiltered size in bytes of a tile of var-sized values.
    #[must_use]
    pub fn var_size(&self, tile: u64) -> Option<u64> {
        let tile = usize::try_from(self.readable(tile)?).ok()?;
        self.var.as_ref()?.1.get(tile)
    }

    /// Returns the byte range in its file of a validity tile.
    #[must_use]
    pub fn validity_extent(&self, tile: u64) -> Option<Range<u64>> {
        self.validity.as_ref()?.get(self.readable(tile)?)
    }

    fn readable(&self, tile: u64) -> Option<u64> {
        (tile < self.end).then_some(tile)
    }
}
