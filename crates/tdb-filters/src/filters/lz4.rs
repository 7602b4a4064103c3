//! Filter 3: raw LZ4 blocks, without a frame.
//!
//! Framing: [`Compression`](crate::Compression). The level is stored, but has no effect.
//!
//! ```
//! use tdb_filters::{Description, Registry};
//! use tdb_tile::FormatVersion;
//! let record = Description::new("lz4").record(FormatVersion::WRITTEN, Registry::builtin())?;
//! assert_eq!(&record.options[..], [3, 255, 255, 255, 255]);
//! # Ok::<(), tdb_filters::FilterError>(())
//! ```

use crate::Entry;
use crate::codec::bound_of;
#[cfg(not(feature = "lz4"))]
use crate::compressor::absent as library;
use crate::compressor::{self, Compress, Decompress, Library};

const NAME: &str = "lz4";

pub(crate) static ENTRY: Entry =
    compressor::entry::<Lz4>(3, NAME).behind("lz4", cfg!(feature = "lz4"));

#[derive(Debug)]
struct Lz4;

impl Library for Lz4 {
    const ENTRY: &'static Entry = &ENTRY;
    const ID: u8 = 3;
    const MAX_EXPANSION: usize = 255;
    const COMPRESS: Compress = library::compress;
    const DECOMPRESS: Decompress = library::decompress;

    fn bound(len: usize) -> usize {
        // The library's own bound is a little over 110 %.
        bound_of([len, len / 8, 64])
    }
}

#[cfg(feature = "lz4")]
mod library {
    use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into};

    use super::NAME;
    use crate::{FilterError, Stage};

    pub(super) fn compress(
        _level: i32,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let table = stage.context(|| Ok(CompressTable::large()))?;
        compress_into_with_table(piece, out, table).map_err(|_| FilterError::Values {
            filter: NAME,
            why: "the block outgrows its bound",
        })
    }

    pub(super) fn decompress(
        piece: &[u8],
        out: &mut [u8],
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        match decompress_into(piece, out) {
            Ok(found) if found == out.len() => Ok(()),
            Ok(found) => {
                let wanted = out.len();
                Err(FilterError::mismatch(NAME, "decoded length", wanted, found))
            }
            Err(_) => Err(FilterError::invalid(NAME, "block", "does not decode")),
        }
    }
}
