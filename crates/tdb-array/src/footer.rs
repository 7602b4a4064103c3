use std::sync::Arc;

use bytes::Bytes;
use tdb_fragment::{FieldLayout, FooterBytes, FragmentIndex, Next};
use tdb_store::{Piece, Read};
use tdb_tile::{Bug, Exact, FormatVersion};

use crate::directory::LEGACY_SCHEMA;
use crate::{Array, ArrayError, At};

/// Bytes read from the end of a fragment's metadata at first.
const TAIL: u64 = 64 << 10;

/// Number of footers read at a time; their tails have 16 MiB at most.
const BATCH: usize = 256;

/// The metadata of a fragment whose footer is to be read.
struct FooterRequest<'a> {
    /// The key relative to the array; `full` is the key within the store.
    key: &'a str,
    full: Arc<str>,
    version: FormatVersion,
    layout: Option<FieldLayout>,
}

impl FooterRequest<'_> {
    /// Locates the footer in the bytes read so far.
    fn locate(&self, piece: &Piece) -> Result<Next<FooterBytes>, ArrayError> {
        let size = piece.offset.exact_add(piece.bytes.len() as u64)?;
        let layout = self.layout.as_ref();
        FooterBytes::locate(&piece.bytes, size, self.version, layout).at(self.key)
    }
}

impl Array {
    /// Returns the stored footer of a fragment, without its length, as consolidated metadata contains it.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] for a fragment before version 3, which has no footer; an index that is not one of the
    /// array's fragments; or any error of the store.
    pub fn footer(&self, index: FragmentIndex) -> Result<Bytes, ArrayError> {
        let footer = self.footers(&[index])?.pop();
        Ok(footer.ok_or_else(|| Bug::new("a footer that was read is not there"))?)
    }

    /// Like [`Array::footer`], for many fragments, with few batches of reads.
    ///
    /// # Errors
    /// As [`Array::footer`].
    pub fn footers(&self, indexes: &[FragmentIndex]) -> Result<Vec<Bytes>, ArrayError> {
        let mut footers = Vec::new();
        for batch in indexes.chunks(BATCH) {
            let wanted: Vec<FooterRequest<'_>> = batch
                .iter()
                .map(|index| self.wanted(*index))
                .collect::<Result<_, _>>()?;
            footers.append(&mut self.read_footers(&wanted)?);
        }
        Ok(footers)
    }

    fn wanted(&self, index: FragmentIndex) -> Result<FooterRequest<'_>, ArrayError> {
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
        Ok(FooterRequest {
            key,
            full: tdb_store::join(self.prefix(), key).into(),
            version,
            layout,
        })
    }

    /// Reads the tails of metadata; reads longer tails where a footer does not fit.
    fn read_footers(&self, wanted: &[FooterRequest<'_>]) -> Result<Vec<Bytes>, ArrayError> {
        let tails = wanted
            .iter()
            .map(|one| Read::tail(Arc::clone(&one.full), TAIL).at_most(TAIL));
        let mut pieces: Vec<Piece> = self
            .place
            .read_held(&tails.collect::<Vec<Read>>())
            .into_iter()
            .collect::<Result<_, _>>()?;
        let mut again = Vec::new();
        let mut longer = Vec::new();
        for (one, piece) in wanted.iter().zip(&mut pieces) {
            if let Next::Need(range) = one.locate(piece)? {
                let len = range.end.exact_sub(range.start)?;
                let read = Read::bounded(Arc::clone(&one.full), range.start, len);
                again.push(read.at_most(self.limits().metadata_tile));
                longer.push(piece);
            }
        }
        for (piece, found) in longer.into_iter().zip(self.place.read_held(&again)) {
            *piece = found?;
        }
        let footers = wanted
            .iter()
            .zip(&pieces)
            .map(|(one, piece)| match one.locate(piece)? {
                // A copy, since a slice would keep the whole tail in memory.
                Next::Done(footer) => Ok(Bytes::copy_from_slice(&footer.bytes)),
                Next::Need(_) => Err(ArrayError::Missing {
                    key: one.key.to_owned(),
                    by: "said to have a footer",
                }),
            });
        footers.collect()
    }
}
