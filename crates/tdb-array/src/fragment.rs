use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tdb_filters::{EncryptionKey, open_generic_tile};
use tdb_fragment::{
    FieldLayout, FooterBytes, FooterStart, FragmentMetadata, LegacyMetadata, Next, StoredFragment,
};
use tdb_schema::ArraySchema;
use tdb_store::{Piece, Read, join};
use tdb_tile::{Exact, GenericTile, Grant, Limits};

use crate::directory::{FragmentEntry, LEGACY_SCHEMA};
use crate::kept_parts::KeptParts;
use crate::{ArrayError, At, NameForm, TimestampedName};

/// Bytes read from the end of a fragment's metadata at first; usually all of it.
const TAIL: u64 = 64 << 10;

/// File of coordinates before version 5: a fragment of version 1 or 2 without it is dense.
const COORDS_FILE: &str = "__coords.tdb";

/// The schemas of an array, by the names under which fragments refer to them.
pub type Schemas = HashMap<String, Arc<ArraySchema>>;

/// One fragment of an open array.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The name of the fragment.
    pub name: TimestampedName,
    /// The key of its folder within the store.
    pub prefix: String,
    /// The key of its metadata, relative to the array; used in error messages.
    pub metadata_key: String,
    /// The schema with which it was written.
    pub schema: Arc<ArraySchema>,
    /// The metadata that is known before any tile is read.
    pub metadata: FragmentMetadata,
    /// The end of its metadata object, as read on opening.
    pub(crate) tail: Option<Piece>,
    pub(crate) processed: Vec<String>,
    /// Parts of its metadata that have been opened already.
    pub(crate) kept: KeptParts,
    /// The memory of this fragment and of those that were opened with it.
    pub(crate) held: Option<Arc<Grant>>,
}

/// Approximate bytes of a fragment in memory, without names, domain and fields: the footer, both raw and decoded, and
/// allocation overhead.
const FRAGMENT: u64 = 2_560;

/// Approximate bytes per field: sizes of files and offsets of metadata, both raw and decoded.
const FIELD: u64 = 192;

/// Approximate bytes for the two bounds of a dimension.
const ENDS: u64 = 256;

impl Fragment {
    /// Returns what is needed to read its tiles.
    pub fn stored(&self) -> StoredFragment<'_> {
        StoredFragment {
            name: self.name.as_str(),
            timestamps: self.timestamps(),
            prefix: &self.prefix,
            metadata_key: &self.metadata_key,
            schema: &self.schema,
            metadata: &self.metadata,
        }
    }

    /// Returns the approximate size of the fragment in memory, in bytes, without the end of its metadata object.
    pub(crate) fn memory(&self) -> u64 {
        let names =
            [self.name.as_str(), &self.prefix, &self.metadata_key].map(|name| name.len() as u64);
        let fields = self.schema.fields().map(|_| FIELD);
        let ends = self.metadata.non_empty_domain.iter().map(|_| ENDS);
        // Small costs of things in memory: that their sum overflows is impossible.
        let parts = names.into_iter().chain(fields).chain(ends);
        parts.chain([FRAGMENT]).sum()
    }

    /// Returns the size of its metadata object in bytes; `None` if its end was not read.
    pub(crate) fn metadata_size(&self) -> Option<u64> {
        let tail = self.tail.as_ref()?;
        tail.offset.checked_add(tail.bytes.len() as u64)
    }

    /// True if its footer was not read from its own metadata, but from an object with the footers of many fragments.
    pub fn has_merged_footer(&self) -> bool {
        self.tail.is_none() && self.metadata.version.number() >= 3
    }

    /// Returns the first and the last time of its cells, in milliseconds since 1970.
    pub fn timestamps(&self) -> (u64, u64) {
        (self.name.start(), self.name.end())
    }

    /// Returns the markers of the deletes that the fragment's own delete times already cover. Only known for fragments
    /// with delete times, and if the array has deletes.
    pub fn processed_conditions(&self) -> &[String] {
        &self.processed
    }

    /// Formats the extent of a tile of a dense fragment for people, without cells outside the written domain: `x 1..4,
    /// y 0..9`.
    pub fn tile_text(&self, tile: u64) -> String {
        self.metadata.tile_text(tile, &self.schema)
    }

    /// True if the fragment already covers this delete.
    pub fn has_processed(&self, marker: &str) -> bool {
        let same = |other: &String| other.trim_start_matches('/') == marker;
        self.processed.iter().any(same)
    }
}

/// The steps of opening a fragment, without I/O. [`FragmentSteps::first_read`] returns the first read;
/// [`FragmentSteps::open`] takes its result, and returns the fragment or the range to read instead.
#[derive(Clone, Copy, Debug)]
pub struct FragmentSteps<'a> {
    /// The folder of the array within its store.
    pub prefix: &'a str,
    /// All schemas of the array.
    pub schemas: &'a Schemas,
    /// The encryption key, if the array is encrypted.
    pub key: Option<&'a EncryptionKey>,
    /// The limits in force.
    pub limits: &'a Limits,
}

impl FragmentSteps<'_> {
    /// Returns the first read of a fragment's metadata.
    pub fn first_read(&self, entry: &FragmentEntry) -> Read {
        let key = self.metadata(entry);
        if entry.name.version().has_single_tile_metadata() {
            Read::whole(key).at_most(self.limits.metadata_tile)
        } else {
            Read::tail(key, TAIL).at_most(TAIL)
        }
    }

    /// Returns the read for the range that [`FragmentSteps::open`] needs.
    pub fn second_read(&self, entry: &FragmentEntry, range: &std::ops::Range<u64>) -> Read {
        let len = range.end.saturating_sub(range.start);
        Read::bounded(self.metadata(entry), range.start, len).at_most(self.limits.metadata_tile)
    }

    /// Returns the key of the object whose existence means that a fragment of version 1 or 2 is sparse; `None` for
    /// later versions.
    pub fn probe(&self, entry: &FragmentEntry) -> Option<String> {
        let legacy = entry.name.form() == NameForm::UuidFirst;
        legacy.then(|| join(&join(self.prefix, &entry.key), COORDS_FILE))
    }

    /// Opens a fragment; `is_sparse` tells whether the object of [`FragmentSteps::probe`] exists.
    ///
    /// # Errors
    /// Metadata that breaks the format, or a schema that does not exist.
    pub fn open(
        &self,
        entry: &FragmentEntry,
        piece: Piece,
        is_sparse: bool,
    ) -> Result<Next<Fragment>, ArrayError> {
        let footer = match self.locate(entry, &piece)? {
            Next::Need(range) => return Ok(Next::Need(range)),
            Next::Done(footer) => footer,
        };
        if entry.name.form() == NameForm::UuidFirst {
            let fragment = self.open_legacy(entry, &footer.bytes, is_sparse)?;
            return Ok(Next::Done(fragment));
        }
        // Decoded metadata contains slices of the footer: a copy, so that they do not keep the whole tail in memory.
        let own = Bytes::copy_from_slice(&footer.bytes);
        self.decode(entry, &own, footer.start, Some(piece))
            .map(Next::Done)
    }

    /// Locates the footer in the bytes read so far.
    pub(crate) fn locate(
        &self,
        entry: &FragmentEntry,
        piece: &Piece,
    ) -> Result<Next<FooterBytes>, ArrayError> {
        let version = entry.name.version();
        if version.has_single_tile_metadata() {
            return Ok(Next::Done(FooterBytes {
                start: 0,
                bytes: piece.bytes.clone(),
            }));
        }
        let layout = if version.names_schema() {
            None
        } else {
            Some(FieldLayout::of(self.schema(LEGACY_SCHEMA)?))
        };
        let size = piece.offset.exact_add(piece.bytes.len() as u64)?;
        FooterBytes::locate(&piece.bytes, size, version, layout.as_ref()).at(&entry.metadata_key())
    }

    /// Opens a fragment of version 1 or 2, whose metadata is one generic tile.
    fn open_legacy(
        &self,
        entry: &FragmentEntry,
        bytes: &Bytes,
        is_sparse: bool,
    ) -> Result<Fragment, ArrayError> {
        let key = entry.metadata_key();
        let schema = self.schema(LEGACY_SCHEMA)?;
        let tile = GenericTile::parse(bytes, self.limits).at(&key)?;
        let payload = open_generic_tile(&tile, self.key, self.limits).at(&key)?;
        let layout = FieldLayout::of(schema);
        let legacy = LegacyMetadata::read(&payload, &layout, self.limits).at(&key)?;
        let metadata = FragmentMetadata::from_legacy(legacy, is_sparse, schema).at(&key)?;
        Ok(self.fragment(entry, Arc::clone(schema), metadata, None))
    }

    /// Decodes a footer; the generic tiles end at `tiles_end`.
    pub(crate) fn decode(
        &self,
        entry: &FragmentEntry,
        footer: &Bytes,
        tiles_end: u64,
        tail: Option<Piece>,
    ) -> Result<Fragment, ArrayError> {
        let key = entry.metadata_key();
        let start = FooterStart::read(footer, self.limits).at(&key)?;
        let schema = if start.version.names_schema() {
            self.schema(&start.schema_name)?
        } else {
            self.schema(LEGACY_SCHEMA)?
        };
        let metadata = FragmentMetadata::read(footer, tiles_end, schema, self.limits).at(&key)?;
        Ok(self.fragment(entry, Arc::clone(schema), metadata, tail))
    }

    fn fragment(
        &self,
        entry: &FragmentEntry,
        schema: Arc<ArraySchema>,
        metadata: FragmentMetadata,
        tail: Option<Piece>,
    ) -> Fragment {
        Fragment {
            name: entry.name.clone(),
            prefix: join(self.prefix, &entry.key),
            metadata_key: entry.metadata_key(),
            schema,
            metadata,
            tail,
            processed: Vec::new(),
            kept: KeptParts::default(),
            held: None,
        }
    }

    fn metadata(&self, entry: &FragmentEntry) -> String {
        join(self.prefix, &entry.metadata_key())
    }

    fn schema(&self, name: &str) -> Result<&Arc<ArraySchema>, ArrayError> {
        self.schemas.get(name).ok_or_else(|| ArrayError::Missing {
            key: name.to_owned(),
            by: "the schema of a fragment",
        })
    }
}
