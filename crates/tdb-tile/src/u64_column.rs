use bytes::Bytes;

/// A long run of `u64` that stays where it was read: tile offsets, sizes, counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct U64Column {
    bytes: Bytes,
}

impl U64Column {
    /// Takes bytes as a column; `None` where they are no whole number of values.
    #[must_use]
    pub fn new(bytes: Bytes) -> Option<Self> {
        bytes.len().is_multiple_of(8).then_some(Self { bytes })
    }

    /// A column of these values.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = u64>) -> Self {
        Self {
            bytes: values.into_iter().flat_map(u64::to_le_bytes).collect(),
        }
    }

    /// The values in place, as they are stored. Nothing is left behind the last: [`U64Column::new`] looks at that.
    fn values(&self) -> &[[u8; 8]] {
        self.bytes.as_chunks().0
    }

    /// The value at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.values().get(index).copied().map(u64::from_le_bytes)
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / 8
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The values one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.values().iter().copied().map(u64::from_le_bytes)
    }

    /// Whether each value is larger than the one before.
    #[must_use]
    pub fn is_increasing(&self) -> bool {
        let values = self.values();
        let later = values.iter().skip(1);
        // With no way out in between, several are compared at a time.
        values.iter().zip(later).fold(true, |increases, (a, b)| {
            increases & (u64::from_le_bytes(*a) < u64::from_le_bytes(*b))
        })
    }

    /// The first `count` values; `None` where there are fewer.
    #[must_use]
    pub fn first(&self, count: usize) -> Option<Self> {
        let end = count
            .checked_mul(8)
            .filter(|end| *end <= self.bytes.len())?;
        Some(Self {
            bytes: self.bytes.slice(..end),
        })
    }

    /// The stored bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }
}
