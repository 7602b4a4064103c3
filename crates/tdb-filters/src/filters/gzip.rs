//! Filter 1: deflate in zlib's framing (`78 ..`, a checksum at the end), in spite of its name.
//!
//! Framing: [`Compression`](crate::Compression). Levels range from 0 to 9; lower ones mean the
//! library's default, 6.
//!
//! ```
//! use tdb_filters::{FilterRecord, Registry, describe};
//! use tdb_tile::FormatVersion;
//! // Compressor id 1, level 1: what stands in front of every generic tile.
//! let record = FilterRecord::new(1, &[1, 1, 0, 0, 0][..]);
//! let gzip = describe(&record, FormatVersion::WRITTEN, Registry::builtin())?;
//! assert_eq!(gzip.to_string(), "gzip(level=1)");
//! # Ok::<(), tdb_filters::FilterError>(())
//! ```

use crate::codec::bound_of;
#[cfg(not(feature = "gzip"))]
use crate::compressor::absent as library;
use crate::compressor::{self, Compress, Decompress, Library};
use crate::{Entry, FilterRecord};

const NAME: &str = "gzip";

pub(crate) static ENTRY: Entry =
    compressor::entry::<Gzip>(1, NAME).behind("gzip", cfg!(feature = "gzip"));

/// Creates the stored form of the filter with this level.
pub(crate) fn at_level(level: i32) -> FilterRecord {
    compressor::record::<Gzip>(level)
}

#[derive(Debug)]
struct Gzip;

impl Library for Gzip {
    const ENTRY: &'static Entry = &ENTRY;
    const ID: u8 = 1;
    const MAX_EXPANSION: usize = 1032;
    const COMPRESS: Compress = library::compress;
    const DECOMPRESS: Decompress = library::decompress;

    fn bound(len: usize) -> usize {
        // Static Huffman codes take up to nine bits per byte.
        bound_of([len, len / 4, 128])
    }
}

#[cfg(feature = "gzip")]
mod library {
    use std::cell::RefCell;

    use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

    use super::NAME;
    use crate::compressor::check_decoded;
    use crate::{FilterError, Stage};

    struct Deflate {
        level: i32,
        state: Compress,
    }

    fn deflate(level: i32) -> Deflate {
        let known = u32::try_from(level).map_or(Compression::default(), |level| {
            Compression::new(level.min(9))
        });
        Deflate {
            level,
            state: Compress::new(known, true),
        }
    }

    pub(super) fn compress(
        level: i32,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let deflater = stage.context(|| Ok(deflate(level)))?;
        if deflater.level == level {
            deflater.state.reset();
        } else {
            *deflater = deflate(level);
        }
        let status = deflater.state.compress(piece, out, FlushCompress::Finish);
        match (status, usize::try_from(deflater.state.total_out())) {
            (Ok(Status::StreamEnd), Ok(stored)) => Ok(stored),
            _ => Err(FilterError::Values {
                filter: NAME,
                why: "the stream outgrows its bound",
            }),
        }
    }

    thread_local! {
        /// Kept by each thread, not by each [`Scratch`](crate::Scratch): the state takes more time to make than most
        /// metadata to decode, and an array is opened with a scratch of its own.
        static INFLATE: RefCell<Decompress> = RefCell::new(Decompress::new(true));
    }

    pub(super) fn decompress(
        piece: &[u8],
        out: &mut [u8],
        _stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        INFLATE.with_borrow_mut(|state| inflate(state, piece, out))
    }

    fn inflate(state: &mut Decompress, piece: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
        state.reset(true);
        let status = state
            .decompress(piece, out, FlushDecompress::Finish)
            .map_err(|_| FilterError::invalid(NAME, "stream", "does not decode"))?;
        if status != Status::StreamEnd {
            return Err(FilterError::invalid(
                NAME,
                "stream",
                "does not end where it must",
            ));
        }
        check_decoded(NAME, "decoded length", out, state.total_out())
    }
}
