use bytes::Bytes;
use tdb_tile::{Record, Walk, WireError};

/// One filter as a pipeline stores it; what the options say, its [`Entry`](crate::Entry) knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FilterRecord {
    /// The filter's code.
    pub code: u8,
    /// Its options as stored.
    pub options: Bytes,
}

impl FilterRecord {
    /// A filter with these options.
    #[must_use]
    pub fn new(code: u8, options: impl Into<Bytes>) -> Self {
        Self {
            code,
            options: options.into(),
        }
    }
}

impl Record for FilterRecord {
    const NAME: &'static str = "Filter";
    const MIN_SIZE: usize = 5;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { code, options } = self;
        w.scalar("code", code)?;
        w.bytes32("options", options)
    }
}

/// A filter pipeline as it is stored, in schemas and in front of generic tiles: nothing
/// is checked beyond its framing, and encoding gives back the bytes that were decoded.
///
/// Format: `docs/format/filters.md`, "Stored form".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FilterList {
    /// Bytes of a chunk before filtering; see `docs/format/tiles.md`, "Chunks", for how little it means.
    pub max_chunk: u32,
    /// The filters in the order in which they are applied when writing.
    pub filters: Vec<FilterRecord>,
}

impl FilterList {
    /// The chunk size of every release since 2.0.
    pub const MAX_CHUNK: u32 = 64 << 10;

    /// A pipeline of these filters, with the usual chunk size.
    #[must_use]
    pub fn new(filters: Vec<FilterRecord>) -> Self {
        Self {
            max_chunk: Self::MAX_CHUNK,
            filters,
        }
    }

    /// Whether there is no filter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }
}

impl Default for FilterList {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Record for FilterList {
    const NAME: &'static str = "FilterPipeline";
    const MIN_SIZE: usize = 8;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self { max_chunk, filters } = self;
        w.scalar("max_chunk", max_chunk)?;
        let n = w.count::<u32>("filter count", filters.len())?;
        w.list("filters", n, filters, &())
    }
}
