use tdb_schema::ArraySchema;

use super::FragmentMetadata;
use crate::FragmentError;

/// The minimum size of a stored tile in bytes: every tile has a chunk count.
const MIN_TILE_SIZE: u64 = 8;

impl FragmentMetadata {
    /// Checks the facts about all fields that are known before their tiles are.
    pub(super) fn check(&self, schema: &ArraySchema) -> Result<(), FragmentError> {
        self.check_domain(schema)?;
        // All fields have the same number of tiles, so the largest file must have room for them.
        let largest = self.file_sizes.fixed.iter().max().copied().unwrap_or(0);
        let count = self
            .lost()
            .map_or_else(|| self.tile_count(), |lost| lost.counted);
        if count > largest / MIN_TILE_SIZE {
            return Err(FragmentError::Mismatch {
                what: "number of tiles (at most what the largest file has room for)",
                wanted: largest / MIN_TILE_SIZE,
                found: count,
            });
        }
        Ok(())
    }

    fn check_domain(&self, schema: &ArraySchema) -> Result<(), FragmentError> {
        if self.dense || self.tile_count() == 0 {
            return Ok(());
        }
        let mut dimensions = schema.dimensions.iter().zip(&self.non_empty_domain);
        // Formats 5 to 9 may store a wrong upper end for strings.
        let ordered = dimensions.all(|(d, range)| d.is_var() || range.is_ordered(d.datatype));
        if ordered {
            Ok(())
        } else {
            Err(FragmentError::Invalid(
                "a range of the non-empty domain ends before it begins",
            ))
        }
    }
}
