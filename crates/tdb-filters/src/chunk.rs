/// Byte strings stored back to back: the parts of a chunk's data or metadata.
///
/// Storage keeps only the joined bytes; a filter that needs the ends of parts for decoding records
/// them.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Parts<'a> {
    /// An empty list of parts.
    pub const NONE: Self = Self {
        bytes: &[],
        ends: &[],
    };

    /// Creates parts of `bytes` that end at `ends`; `None` if the ends decrease, or if the last end
    /// is not the length of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8], ends: &'a [usize]) -> Option<Self> {
        let last = ends.last().copied().unwrap_or(0);
        (ends.is_sorted() && last == bytes.len()).then_some(Self { bytes, ends })
    }

    /// Creates a single part, which ends at the length of `bytes`.
    pub(crate) fn one(bytes: &'a [u8], ends: &'a [usize; 1]) -> Self {
        Self { bytes, ends }
    }

    /// The bytes of all parts, joined.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The number of parts.
    #[must_use]
    pub fn len(self) -> usize {
        self.ends.len()
    }

    /// True if there are no parts; a single empty part counts as one.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ends.is_empty()
    }

    /// The end of each part within the joined bytes.
    #[must_use]
    pub fn ends(self) -> &'a [usize] {
        self.ends
    }

    /// Iterates over the parts.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let Self { bytes, ends } = self;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(move |(start, &end)| bytes.split_at(end).0.split_at(start).1)
    }
}

/// The data and metadata that one stage passes to the next.
///
/// When decoding, each is a single part, and the metadata may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The metadata that earlier stages recorded.
    pub metadata: Parts<'a>,
    /// The data: values, or the output of earlier stages.
    pub data: Parts<'a>,
    /// The start of each cell in the data; only when encoding with folded offsets.
    pub starts: Option<&'a [u64]>,
}
