use std::num::NonZero;

use super::ColumnChoice;

/// Options for reading files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputOptions {
    /// Whether dates and times are read as raw 64-bit numbers.
    pub ticks: bool,
    /// Delimiter of CSV; `None` detects it from the first lines.
    pub delimiter: Option<u8>,
    /// Texts that represent a missing cell in CSV. `None` accepts `NA`, `N/A`, `NaN`, `null` and `NULL` in all fields
    /// except text; in float fields `NaN` is a number.
    pub missing: Option<Vec<String>>,
    /// Columns to read, with their names and datatypes in the array.
    pub columns: ColumnChoice,
    /// Approximate maximum size of a batch, in bytes of cells.
    pub batch_bytes: usize,
    /// Maximum size of a line of text, in bytes.
    pub record_bytes: usize,
    /// Maximum memory of a batch of Arrow or Parquet, in bytes: its cells and the data that they are decoded from.
    pub memory: u64,
    /// Whether an Arrow stream may end without its end marker. The format lets writers omit the marker, but then a
    /// stream whose writer failed midway looks complete.
    pub allow_unended: bool,
    /// Whether members of structs become columns: `a.b` for the member `b` of the column `a`.
    pub flatten: bool,
}

impl InputOptions {
    /// Sets [`ticks`](field@Self::ticks).
    #[must_use]
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.ticks = ticks;
        self
    }

    /// Sets [`delimiter`](field@Self::delimiter).
    #[must_use]
    pub fn delimiter(mut self, delimiter: Option<u8>) -> Self {
        self.delimiter = delimiter;
        self
    }

    /// Sets [`missing`](field@Self::missing).
    #[must_use]
    pub fn missing(mut self, missing: Option<Vec<String>>) -> Self {
        self.missing = missing;
        self
    }

    /// Sets [`columns`](field@Self::columns).
    #[must_use]
    pub fn columns(mut self, columns: ColumnChoice) -> Self {
        self.columns = columns;
        self
    }

    /// Sets [`batch_bytes`](field@Self::batch_bytes).
    #[must_use]
    pub fn batch_bytes(mut self, batch_bytes: usize) -> Self {
        self.batch_bytes = batch_bytes;
        self
    }

    /// Sets [`record_bytes`](field@Self::record_bytes).
    #[must_use]
    pub fn record_bytes(mut self, record_bytes: usize) -> Self {
        self.record_bytes = record_bytes;
        self
    }

    /// Sets [`memory`](field@Self::memory).
    #[must_use]
    pub fn memory(mut self, memory: u64) -> Self {
        self.memory = memory;
        self
    }

    /// Sets [`allow_unended`](field@Self::allow_unended).
    #[must_use]
    pub fn allow_unended(mut self, allow_unended: bool) -> Self {
        self.allow_unended = allow_unended;
        self
    }

    /// Sets [`flatten`](field@Self::flatten).
    #[must_use]
    pub fn flatten(mut self, flatten: bool) -> Self {
        self.flatten = flatten;
        self
    }
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            ticks: false,
            delimiter: None,
            missing: None,
            columns: ColumnChoice::default(),
            batch_bytes: 8 << 20,
            record_bytes: 64 << 20,
            memory: 1 << 30,
            allow_unended: false,
            flatten: false,
        }
    }
}

impl InputOptions {
    /// Number of rows in a batch, if each row has `size` bytes.
    #[must_use]
    pub fn batch_rows(&self, size: u64) -> usize {
        let bytes = self.batch_bytes as u64;
        let rows = NonZero::new(size).map_or(u64::MAX, |size| bytes / size);
        // At least one row however wide, and at most 2^20 however narrow.
        usize::try_from(rows.clamp(1, 1 << 20)).unwrap_or(1 << 20)
    }
}

/// Options for writing files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputOptions {
    /// Whether dates and times are written as raw 64-bit numbers.
    pub ticks: bool,
    /// Whether var-sized text is written as bytes, without checking that it is UTF-8.
    pub binary_strings: bool,
}

impl OutputOptions {
    /// Sets [`ticks`](field@Self::ticks).
    #[must_use]
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.ticks = ticks;
        self
    }

    /// Sets [`binary_strings`](field@Self::binary_strings).
    #[must_use]
    pub fn binary_strings(mut self, binary_strings: bool) -> Self {
        self.binary_strings = binary_strings;
        self
    }
}
