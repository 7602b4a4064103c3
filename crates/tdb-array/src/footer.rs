use bytes::Bytes;
use tdb_fragment::{FieldLayout, FooterBytes, FragmentIndex, Next};
use tdb_store::{Piece, Read, read_one};

use crate::directory::LEGACY_SCHEMA;
use crate::{Array, ArrayError, At};

/// How much of the end of a fragment's metadata is read at first.
const TAIL: u64 = 64 << 10;

impl Array {
    /// The stored footer of the fragment at this place in the list, without its length: what consolidated metadata holds.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] for a fragment before version 3, which has no footer; a place that is not of this array; as the store reports.
    pub fn footer(&self, index: FragmentIndex) -> Result<Bytes, ArrayError> {
        let fragment = self.fragment(index)?;
        let version = fragment.name.version();
        if version.has_single_tile_metadata() {
            return Err(ArrayError::Invalid {
                what: "fragment",
                name: fragment.name.to_string(),
                why: "fragments before version 3 have no footer",
            });
        }
        let mut schemas = self.schemas();
        let legacy = schemas.find(|(name, _)| *name == LEGACY_SCHEMA);
        let layout = if version.names_schema() {
            None
        } else {
            legacy.map(|(_, schema)| FieldLayout::of(schema))
        };
        let key = &fragment.metadata_key;
        let full = tdb_store::join(self.prefix(), key);
        let locate = |piece: &Piece| {
            let size = piece.offset.saturating_add(piece.bytes.len() as u64);
            FooterBytes::locate(&piece.bytes, size, version, layout.as_ref()).at(key)
        };
        let store = &**self.store();
        let limit = self.limits().metadata_tile;
        let tail = read_one(store, Read::tail(full.as_str(), TAIL).at_most(TAIL))?;
        let found = match locate(&tail)? {
            Next::Done(footer) => Some(footer),
            Next::Need(range) => {
                let len = range.end.saturating_sub(range.start);
                let read = Read::bounded(full.as_str(), range.start, len).at_most(limit);
                match locate(&read_one(store, read)?)? {
                    Next::Done(footer) => Some(footer),
                    Next::Need(_) => None,
                }
            }
        };
        let missing = || ArrayError::Missing {
            key: key.clone(),
            by: "said to have a footer",
        };
        Ok(found.ok_or_else(missing)?.bytes)
    }
}
