use bytes::Bytes;
use tdb_tile::{Exact, FormatVersion, Limits, Record, Walk, WireError};

/// The footers of several fragments in one object (`.meta`).
///
/// If an entry cannot be decoded, a reader uses the fragment's own footer: TileDB 2.4 to 2.30
/// miscount the bytes of the footers of some old fragments. `docs/format/fragments.md`,
/// "Consolidated metadata".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsolidatedMetadata {
    entries: Vec<ConsolidatedEntry>,
    /// The starts of all footers, sorted: a footer ends where the next one starts.
    starts: Vec<u64>,
    payload: Bytes,
}

/// A fragment and the start of its footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsolidatedEntry {
    /// The name of the fragment; in old arrays its URI, or its path relative to the array.
    pub key: String,
    /// Offset of the footer from the start of the content.
    pub offset: u64,
}

/// The list of entries in front of the footers.
#[derive(Clone, Debug, Default)]
struct Directory {
    entries: Vec<ConsolidatedEntry>,
}

impl Record for Directory {
    const NAME: &'static str = "ConsolidatedMetadata";
    const MIN_SIZE: usize = 4;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { entries } = self;
        let n = w.count::<u32>("fragment count", entries.len())?;
        w.list("entries", n, entries, &())
    }
}

impl Record for ConsolidatedEntry {
    const NAME: &'static str = "ConsolidatedEntry";
    const MIN_SIZE: usize = 16;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { key, offset } = self;
        w.text64("key", key)?;
        w.scalar("offset", offset)
    }
}

impl ConsolidatedMetadata {
    /// Decodes the content of the object, whose generic tile was opened.
    ///
    /// # Errors
    /// Fails if the list of fragments breaks the format. The footers are not decoded here.
    pub fn decode(payload: &Bytes, limits: &Limits) -> Result<Self, WireError> {
        let (directory, _) =
            Directory::decode_prefix(payload, FormatVersion::WRITTEN, &(), limits)?;
        let mut starts: Vec<u64> = directory.entries.iter().map(|e| e.offset).collect();
        starts.sort_unstable();
        Ok(Self {
            entries: directory.entries,
            starts,
            payload: payload.clone(),
        })
    }

    /// Describes the list of fragments, one line per field; also returns the object or the error.
    pub fn describe(payload: &Bytes, limits: &Limits) -> (String, Result<Self, WireError>) {
        let (text, _) = Directory::describe(payload, FormatVersion::WRITTEN, &(), limits);
        (text, Self::decode(payload, limits))
    }

    /// Encodes the content of an object with these footers, each with its fragment's name.
    ///
    /// The caller must leave out fragments before format 5 and of format 11: released TileDB
    /// versions cannot open the array otherwise.
    ///
    /// # Errors
    /// Fails if there are more footers than can be counted.
    pub fn encode<'a>(
        footers: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<Vec<u8>, WireError> {
        let footers: Vec<_> = footers.into_iter().collect();
        let entry = |key: &str, offset| ConsolidatedEntry {
            key: key.to_owned(),
            offset,
        };
        let mut directory = Directory {
            entries: footers.iter().map(|(key, _)| entry(key, 0)).collect(),
        };
        let mut offset = directory.size(FormatVersion::WRITTEN, &())?;
        for (entry, (_, footer)) in directory.entries.iter_mut().zip(&footers) {
            entry.offset = offset;
            let end = offset.exact_add(footer.len() as u64);
            offset =
                end.map_err(|bug| WireError::new("ConsolidatedMetadata", "offset", 0, bug.into()))?;
        }
        let mut out = directory.encode(FormatVersion::WRITTEN, &())?;
        for (_, footer) in footers {
            out.extend_from_slice(footer);
        }
        Ok(out)
    }

    /// The fragments in stored order.
    #[must_use]
    pub fn entries(&self) -> &[ConsolidatedEntry] {
        &self.entries
    }

    /// Returns the bytes from the start of an entry's footer to the start of the next one; `None`
    /// if they are not within the object.
    #[must_use]
    pub fn footer(&self, entry: &ConsolidatedEntry) -> Option<Bytes> {
        let next = self.starts.partition_point(|start| *start <= entry.offset);
        let size = self.payload.len() as u64;
        let end = self.starts.get(next).copied().unwrap_or(size);
        let (start, end) = (
            usize::try_from(entry.offset).ok()?,
            usize::try_from(end).ok()?,
        );
        (start < end && end <= self.payload.len()).then(|| self.payload.slice(start..end))
    }
}
