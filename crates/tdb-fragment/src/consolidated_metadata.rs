use bytes::Bytes;
use tdb_tile::{FormatVersion, Limits, Record, Walk, WireError};

/// The footers of several fragments in one object (`.meta`).
///
/// A reader that cannot make sense of an entry uses the fragment's own footer: versions 2.4
/// to 2.30 of TileDB miscount here the footers of some old fragments.
/// `docs/format/fragments.md`, "Consolidated metadata".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsolidatedMetadata {
    entries: Vec<ConsolidatedEntry>,
    /// Where footers begin, in order: one ends where the next begins.
    starts: Vec<u64>,
    payload: Bytes,
}

/// Which fragment, and where its footer begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsolidatedEntry {
    /// The name of the fragment; in old arrays its URI, or its path from the array.
    pub key: String,
    /// Offset of its footer from the start of the content.
    pub offset: u64,
}

/// What stands before the footers.
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
    /// Decodes the content of the object, once its generic tile is opened.
    ///
    /// # Errors
    /// Where the list of fragments breaks the format; footers are looked at one by one.
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

    /// The list of fragments, field by field, as text; and the object or what is wrong with it.
    pub fn describe(payload: &Bytes, limits: &Limits) -> (String, Result<Self, WireError>) {
        let (text, _) = Directory::describe(payload, FormatVersion::WRITTEN, &(), limits);
        (text, Self::decode(payload, limits))
    }

    /// The content of an object that holds these footers.
    ///
    /// Leave out fragments before format 5 and of format 11: no released TileDB opens
    /// the array otherwise.
    ///
    /// # Errors
    /// More footers than can be counted.
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
            offset = offset.saturating_add(footer.len() as u64);
        }
        let mut out = directory.encode(FormatVersion::WRITTEN, &())?;
        for (_, footer) in footers {
            out.extend_from_slice(footer);
        }
        Ok(out)
    }

    /// The fragments, as listed.
    #[must_use]
    pub fn entries(&self) -> &[ConsolidatedEntry] {
        &self.entries
    }

    /// The bytes from where a footer should begin to where the next one should; `None` where
    /// they are not in the object.
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
