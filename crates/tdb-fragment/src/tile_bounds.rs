use bytes::Bytes;
use tdb_tile::{Record, U64Column, Walk, WireError, WireErrorKind};

/// The minimum, or the maximum, of each tile of a field (from format 11).
///
/// `docs/format/fragments.md`, "Tile statistics".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileBounds {
    /// The values back to back; for var-sized fields, the offset of each value in `var` as `u64`.
    pub fixed: Bytes,
    /// The values of var-sized fields, back to back.
    pub var: Bytes,
}

impl Record for TileBounds {
    const NAME: &'static str = "TileBounds";
    const MIN_SIZE: usize = 16;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { fixed, var } = self;
        let fixed_size = w.count::<u64>("fixed size", fixed.len())?;
        let var_size = w.count::<u64>("var size", var.len())?;
        w.raw("fixed", fixed_size, fixed)?;
        w.raw("var", var_size, var)
    }
}

impl TileBounds {
    /// Fails unless there is one value for each of `tiles` tiles, or none at all.
    ///
    /// `cell_size` is the size of the field's cells in bytes; `None` if it varies.
    ///
    /// # Errors
    /// [`WireErrorKind::Mismatch`] for a wrong size; [`WireErrorKind::Invalid`] if offsets decrease
    /// or are beyond the values.
    pub fn check(&self, tiles: u64, cell_size: Option<u64>) -> Result<(), WireError> {
        let fail = |field, kind| Err(WireError::new(Self::NAME, field, 0, kind));
        if self.fixed.is_empty() {
            return Ok(());
        }
        let wanted = tiles.saturating_mul(cell_size.unwrap_or(8));
        if self.fixed.len() as u64 != wanted {
            let kind = WireErrorKind::Mismatch {
                what: "size of one value per tile",
                wanted,
                found: self.fixed.len() as u64,
            };
            return fail("fixed", kind);
        }
        if cell_size.is_none() {
            let Some(offsets) = U64Column::new(self.fixed.clone()) else {
                return fail("fixed", WireErrorKind::Invalid("cut short"));
            };
            if !offsets.iter().is_sorted() || offsets.iter().last() > Some(self.var.len() as u64) {
                return fail(
                    "fixed",
                    WireErrorKind::Invalid("not increasing, or beyond the values"),
                );
            }
        }
        Ok(())
    }

    /// Returns the value of a tile; `None` if there are no values or the value is truncated.
    #[must_use]
    pub fn get(&self, tile: usize, cell_size: Option<usize>) -> Option<&[u8]> {
        let Some(size) = cell_size else {
            return self.var_value(tile);
        };
        let start = tile.checked_mul(size)?;
        self.fixed.get(start..start.checked_add(size)?)
    }

    fn var_value(&self, tile: usize) -> Option<&[u8]> {
        let at = |tile: usize| {
            let start = tile.checked_mul(8)?;
            let bytes = self.fixed.get(start..start.checked_add(8)?)?;
            usize::try_from(u64::from_le_bytes(*bytes.first_chunk()?)).ok()
        };
        let end = at(tile.checked_add(1)?).unwrap_or(self.var.len());
        self.var.get(at(tile)?..end)
    }
}
