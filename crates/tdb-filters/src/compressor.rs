//! Compression filters that call a library for each piece.

use std::fmt;
use std::marker::PhantomData;

use crate::codec::{Codec, Leveled, build_leveled, parse_leveled, write_level};
use crate::{Entry, FilterError, FilterRecord, Stage};

/// Compresses a piece at a level into the start of the output; returns the compressed length.
pub(crate) type Compress = fn(i32, &[u8], &mut [u8], &mut Stage<'_>) -> Result<usize, FilterError>;

/// Decompresses a piece into all of the output.
pub(crate) type Decompress = fn(&[u8], &mut [u8], &mut Stage<'_>) -> Result<(), FilterError>;

/// The properties of a compression library, defined in the file of its filter.
pub(crate) trait Library: fmt::Debug + Send + Sync + 'static {
    /// The filter's entry, which records whether the library is compiled in.
    const ENTRY: &'static Entry;
    /// The compressor id at the start of the options.
    const ID: u8;
    /// As [`Codec::max_expansion`].
    const MAX_EXPANSION: usize = usize::MAX;
    const COMPRESS: Compress;
    const DECOMPRESS: Decompress;

    /// As [`Codec::bound`].
    fn bound(len: usize) -> usize;
}

/// Creates the entry of a filter that only calls a library.
pub(crate) const fn entry<L: Library>(code: u8, name: &'static str) -> Entry {
    let parse = parse_leveled::<Compressor<L>>;
    Entry::new(code, name, parse, build_leveled::<Compressor<L>>)
}

/// Creates the stored form of a filter that only calls a library.
pub(crate) fn record<L: Library>(level: i32) -> FilterRecord {
    FilterRecord::new(L::ENTRY.code, write_level(L::ID, level))
}

/// A filter that calls a library with a level.
#[derive(Debug)]
struct Compressor<L> {
    level: i32,
    library: PhantomData<L>,
}

impl<L: Library> Leveled for Compressor<L> {
    const ID: u8 = L::ID;

    fn at(level: i32) -> Self {
        Self {
            level,
            library: PhantomData,
        }
    }

    fn level(&self) -> i32 {
        self.level
    }
}

impl<L: Library> Codec for Compressor<L> {
    fn name(&self) -> &'static str {
        L::ENTRY.name
    }

    fn bound(&self, len: usize) -> usize {
        L::bound(len)
    }

    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        L::ENTRY.available()?;
        (L::COMPRESS)(self.level, piece, out, stage)
    }

    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        L::ENTRY.available()?;
        (L::DECOMPRESS)(piece, out, stage)
    }

    fn max_expansion(&self) -> usize {
        L::MAX_EXPANSION
    }
}

/// Fails unless the library decoded exactly as many bytes as `out` has.
#[cfg(any(feature = "gzip", feature = "bzip2"))]
pub(crate) fn check_decoded(
    filter: &'static str,
    what: &'static str,
    out: &[u8],
    found: u64,
) -> Result<(), FilterError> {
    let wanted = out.len() as u64;
    if found == wanted {
        return Ok(());
    }
    let kind = tdb_tile::WireErrorKind::Mismatch {
        what,
        wanted,
        found,
    };
    Err(FilterError::corrupt(filter, "data", kind))
}

/// Replaces the library of a codec that is not compiled in.
#[cfg(not(all(feature = "gzip", feature = "zstd", feature = "lz4", feature = "bzip2")))]
pub(crate) mod absent {
    use crate::{FilterError, Stage};

    const ABSENT: FilterError = FilterError::InvalidPipeline {
        filter: "compression",
        why: "the codec is not compiled in",
    };

    pub(crate) fn compress(
        _: i32,
        _: &[u8],
        _: &mut [u8],
        _: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        Err(ABSENT)
    }

    pub(crate) fn decompress(_: &[u8], _: &mut [u8], _: &mut Stage<'_>) -> Result<(), FilterError> {
        Err(ABSENT)
    }
}
