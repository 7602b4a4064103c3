use bytes::Bytes;
use zerocopy::FromBytes;
use zerocopy::little_endian::U64;

/// A long run of `u64` that stays where it was read: tile offsets, sizes, counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct U64Column {
    bytes: Bytes,
}

impl U64Column {
    /// Takes bytes as a column; `None` where they are no whole number of values.
    #[must_use]
    pub fn new(bytes: Bytes) -> Option<Self> {
        <[U64]>::ref_from_bytes(&bytes)
            .is_ok()
            .then_some(Self { bytes })
    }

    /// A column of these values.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = u64>) -> Self {
        Self {
            bytes: values.into_iter().flat_map(u64::to_le_bytes).collect(),
        }
    }

    /// The values in place.
    #[must_use]
    pub fn values(&self) -> &[U64] {
        <[U64]>::ref_from_bytes(&self.bytes).unwrap_or(&[])
    }

    /// The value at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<u64> {
        self.values().get(index).map(|v| v.get())
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
        self.values().iter().map(|v| v.get())
    }

    /// The stored bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }
}
