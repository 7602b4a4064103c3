/// Byte strings that lie one behind the other: the parts of a chunk's data or metadata.
///
/// Only the whole is stored; where parts ended, the filter that needs to know writes down.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Parts<'a> {
    /// No parts.
    pub const NONE: Self = Self {
        bytes: &[],
        ends: &[],
    };

    /// Parts that end at these places of `bytes`; `None` where the ends decrease or the
    /// last is not that of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8], ends: &'a [usize]) -> Option<Self> {
        let last = ends.last().copied().unwrap_or(0);
        (ends.is_sorted() && last == bytes.len()).then_some(Self { bytes, ends })
    }

    /// One part, which ends at its only end.
    pub(crate) fn one(bytes: &'a [u8], ends: &'a [usize; 1]) -> Self {
        Self { bytes, ends }
    }

    /// All parts, joined.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// How many parts there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.ends.len()
    }

    /// Whether there is no part; a single empty part counts as one.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.ends.is_empty()
    }

    /// Where the parts end.
    #[must_use]
    pub fn ends(self) -> &'a [usize] {
        self.ends
    }

    /// The parts one by one.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> + Clone {
        let Self { bytes, ends } = self;
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(move |(start, &end)| bytes.get(start..end).unwrap_or(&[]))
    }
}

/// What one stage hands the next: data, and what the stages that wrote it recorded.
///
/// When decoding, both come as one part each, and the metadata may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// What earlier stages recorded.
    pub metadata: Parts<'a>,
    /// The payload.
    pub data: Parts<'a>,
    /// When encoding with folded offsets: where in the data each cell starts.
    pub starts: Option<&'a [u64]>,
}
