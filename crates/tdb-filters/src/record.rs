use bytes::Bytes;
use tdb_tile::{Record, Walk, WireError};

/// One filter of a stored pipeline; its [`Entry`](crate::Entry) interprets the options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FilterRecord {
    /// The filter's code.
    pub code: u8,
    /// The options in their stored form.
    pub options: Bytes,
}

impl FilterRecord {
    /// Creates a filter with these options.
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

/// A filter pipeline in its stored form, in schemas and in generic tiles. Decoding checks only the
/// framing, and encoding restores the decoded bytes.
///
/// Format: `docs/format/filters.md`, "Stored form".
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FilterList {
    /// Bytes of a chunk before filtering; `docs/format/tiles.md`, "Chunks", describes how little
    /// this number means.
    pub max_chunk: u32,
    /// The filters in the order in which encoding applies them.
    pub filters: Vec<FilterRecord>,
}

impl FilterList {
    /// The chunk size in bytes of every release since 2.0.
    pub const MAX_CHUNK: u32 = 64 << 10;

    /// Creates a pipeline of these filters with the usual chunk size.
    #[must_use]
    pub fn new(filters: Vec<FilterRecord>) -> Self {
        Self {
            max_chunk: Self::MAX_CHUNK,
            filters,
        }
    }

    /// True if there is no filter.
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
