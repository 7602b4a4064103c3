//! Filters of a schema, by name.

use tdb_filters::{Description, FilterList, OptionValue, Registry};
use tdb_tile::FormatVersion;

use crate::{Error, Result};

/// A filter, by name, with its options; `tdb filters` lists all.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter(Description);

impl Filter {
    /// Returns the filter with this name and default options.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(Description::new(name))
    }

    /// Sets an option.
    #[must_use]
    pub fn with(self, option: &str, value: impl Into<OptionValue>) -> Self {
        Self(self.0.with(option, value.into()))
    }

    /// Compression by zstd, level 1 to 22.
    #[must_use]
    pub fn zstd(level: i64) -> Self {
        Self::named("zstd").with("level", OptionValue::Integer(level))
    }

    /// Compression by gzip, level 1 to 9.
    #[must_use]
    pub fn gzip(level: i64) -> Self {
        Self::named("gzip").with("level", OptionValue::Integer(level))
    }

    /// Compression by LZ4.
    #[must_use]
    pub fn lz4() -> Self {
        Self::named("lz4")
    }

    /// Compression by bzip2, level 1 to 9.
    #[must_use]
    pub fn bzip2(level: i64) -> Self {
        Self::named("bzip2").with("level", OptionValue::Integer(level))
    }

    /// Run-length encoding.
    #[must_use]
    pub fn rle() -> Self {
        Self::named("rle")
    }

    /// Dictionary encoding of the strings of a tile.
    #[must_use]
    pub fn dictionary() -> Self {
        Self::named("dictionary")
    }

    /// Double-delta encoding of integers: differences of differences, in few bits.
    #[must_use]
    pub fn double_delta() -> Self {
        Self::named("double_delta")
    }

    /// Transposition of the bits of all values: first bits together, then second bits.
    #[must_use]
    pub fn bitshuffle() -> Self {
        Self::named("bitshuffle")
    }

    /// Transposition of the bytes of all values: first bytes together, then second bytes.
    #[must_use]
    pub fn byteshuffle() -> Self {
        Self::named("byteshuffle")
    }

    /// Storing integers with as few bits as they need.
    #[must_use]
    pub fn bit_width_reduction() -> Self {
        Self::named("bit_width_reduction")
    }

    /// A SHA-256 checksum, verified when reading.
    #[must_use]
    pub fn checksum_sha256() -> Self {
        Self::named("checksum_sha256")
    }

    /// Stores floats as integers of `byte_width` bytes: `(value - offset) / scale`, rounded.
    #[must_use]
    pub fn scale_float(scale: f64, offset: f64, byte_width: i64) -> Self {
        Self::named("scale_float")
            .with("scale", OptionValue::Real(scale))
            .with("offset", OptionValue::Real(offset))
            .with("byte_width", OptionValue::Integer(byte_width))
    }
}

/// Converts filters to the pipeline that a schema stores, for the field of this name.
///
/// # Errors
/// Fails if an option has no value that its filter takes.
pub fn filter_list(filters: &[Filter], field: &str) -> Result<FilterList> {
    let records = filters.iter().map(|Filter(description)| {
        let record = description.record(FormatVersion::WRITTEN, Registry::builtin());
        record.map_err(|error| Error::invalid(format!("filters of {field:?}: {error}")))
    });
    Ok(FilterList::new(records.collect::<Result<Vec<_>>>()?))
}
