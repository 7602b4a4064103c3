use bytes::Bytes;

/// A long list of `u64` that stays in the bytes it was read from: tile offsets, sizes, counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct U64Column {
    bytes: Bytes,
}

impl U64Column {
    /// Takes `bytes` as a column; `None` if their length is not a multiple of eight.
    #[must_use]
    pub fn new(bytes: Bytes) -> Option<Self> {
        bytes.len().is_multiple_of(8).then_some(Self { bytes })
    }

    /// Creates a column from these values.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = u64>) -> Self {
        Self {
            bytes: values.into_iter().flat_map(u64::to_le_bytes).collect(),
        }
    }

    /// The values as they are stored; no bytes are left over, since [`U64Column::new`] checks the
    /// length.
    fn values(&self) -> &[[u8; 8]] {
        self.bytes.as_chunks().0
    }

    /// Returns the value at `index`; `None` if the column is shorter.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.values().get(index).copied().map(u64::from_le_bytes)
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / 8
    }

    /// True if the column has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Iterates over the values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.values().iter().copied().map(u64::from_le_bytes)
    }

    /// True if each value is larger than the one before.
    #[must_use]
    pub fn is_increasing(&self) -> bool {
        let values = self.values();
        let later = values.iter().skip(1);
        // Without an early exit, the loop is vectorised.
        values.iter().zip(later).fold(true, |increases, (a, b)| {
            increases & (u64::from_le_bytes(*a) < u64::from_le_bytes(*b))
        })
    }

    /// Returns a column of the first `count` values; `None` if there are fewer.
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
