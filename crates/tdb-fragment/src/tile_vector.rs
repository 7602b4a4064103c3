use bytes::Bytes;
use tdb_tile::{FormatVersion, Limits, Record, U64Column, Walk, WireError, WireErrorKind};

/// One 64-bit value for each tile of a field: an offset, a size, a count or a sum.
///
/// `docs/format/fragments.md`, "Tile vectors".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileVector {
    /// The values, in their stored bytes.
    pub values: U64Column,
}

impl Record for TileVector {
    const NAME: &'static str = "TileVector";
    const MIN_SIZE: usize = 8;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { values } = self;
        let n = w.count::<u64>("count", values.len())?;
        let mut bytes = values.as_bytes().clone();
        // Clamped: more bytes than there can be are refused like those that are not there.
        w.raw("values", n.saturating_mul(8), &mut bytes)?;
        let column = U64Column::new(bytes);
        *values = column.ok_or_else(|| w.fail("values", WireErrorKind::Invalid("cut short")))?;
        Ok(())
    }
}

impl TileVector {
    /// Decodes a vector that must have a value for each of `tiles` tiles.
    ///
    /// # Errors
    /// Fails if the bytes break the format, or have another number of values.
    pub fn read(payload: &Bytes, tiles: u64, limits: &Limits) -> Result<Self, WireError> {
        let vector = Self::decode(payload, FormatVersion::WRITTEN, &(), limits)?;
        vector.check(tiles)?;
        Ok(vector)
    }

    pub(crate) fn check(&self, tiles: u64) -> Result<(), WireError> {
        let found = self.values.len() as u64;
        if found != tiles {
            let kind = WireErrorKind::Mismatch {
                what: "number of tiles",
                wanted: tiles,
                found,
            };
            return Err(WireError::new(Self::NAME, "count", 0, kind));
        }
        Ok(())
    }
}
