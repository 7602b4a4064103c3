//! Filter 2: Zstandard frames.
//!
//! Framing: [`Compression`](crate::Compression). Levels range from -7 to 22; lower ones mean 3. The
//! default, -1, is Zstandard's own level -1.
//!
//! ```
//! use tdb_filters::{Description, OptionValue, Registry};
//! use tdb_tile::FormatVersion;
//! let zstd = Description::new("zstd").with("level", OptionValue::Integer(5));
//! let record = zstd.record(FormatVersion::WRITTEN, Registry::builtin())?;
//! assert_eq!(&record.options[..], [2, 5, 0, 0, 0]);
//! # Ok::<(), tdb_filters::FilterError>(())
//! ```

use crate::codec::bound_of;
#[cfg(not(feature = "zstd"))]
use crate::compressor::absent as library;
use crate::compressor::{self, Compress, Decompress, Library};
use crate::{Entry, FilterRecord};

const NAME: &str = "zstd";

pub(crate) static ENTRY: Entry =
    compressor::entry::<Zstd>(2, NAME).behind("zstd", cfg!(feature = "zstd"));

/// Creates the stored form of the filter with its default level.
///
/// ```
/// use tdb_filters::{Description, Registry, filters};
/// use tdb_tile::FormatVersion;
/// let zstd = Description::new("zstd").record(FormatVersion::WRITTEN, Registry::builtin())?;
/// assert_eq!(filters::default_zstd(), zstd);
/// # Ok::<(), tdb_filters::FilterError>(())
/// ```
#[must_use]
pub fn default_zstd() -> FilterRecord {
    compressor::record::<Zstd>(-1)
}

#[derive(Debug)]
struct Zstd;

impl Library for Zstd {
    const ENTRY: &'static Entry = &ENTRY;
    const ID: u8 = 2;
    const COMPRESS: Compress = library::compress;
    const DECOMPRESS: Decompress = library::decompress;

    fn bound(len: usize) -> usize {
        // The library's own bound, with some more for short input.
        bound_of([len, len >> 8, 512])
    }
}

#[cfg(feature = "zstd")]
mod library {
    use zstd::bulk::{Compressor, Decompressor};

    use super::NAME;
    use crate::{FilterError, Stage};

    struct Encoder {
        level: i32,
        state: Compressor<'static>,
    }

    fn no_memory<E>(_: E) -> FilterError {
        FilterError::Values {
            filter: NAME,
            why: "the library has no memory for its state",
        }
    }

    fn encoder(level: i32) -> Result<Encoder, FilterError> {
        let known = if level < -7 { 3 } else { level.min(22) };
        let state = Compressor::new(known).map_err(no_memory)?;
        Ok(Encoder { level, state })
    }

    pub(super) fn compress(
        level: i32,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let kept = stage.context(|| encoder(level))?;
        if kept.level != level {
            *kept = encoder(level)?;
        }
        let stored = kept.state.compress_to_buffer(piece, out);
        stored.map_err(|_| FilterError::Values {
            filter: NAME,
            why: "the frame outgrows its bound",
        })
    }

    pub(super) fn decompress(
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let state = stage.context(|| Decompressor::new().map_err(no_memory))?;
        match state.decompress_to_buffer(piece, out) {
            Ok(found) if found == out.len() => Ok(()),
            Ok(found) => {
                let wanted = out.len();
                Err(FilterError::mismatch(NAME, "decoded length", wanted, found))
            }
            Err(_) => Err(FilterError::invalid(NAME, "frame", "does not decode")),
        }
    }
}
