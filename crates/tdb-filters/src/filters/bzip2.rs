//! Filter 5: bzip2 streams.
//!
//! Framing: [`Compression`](crate::Compression). Levels range from 1 to 9; lower ones, including
//! the default of -1, mean 1.
//!
//! ```
//! use tdb_filters::{Description, Registry};
//! use tdb_tile::FormatVersion;
//! let record = Description::new("bzip2").record(FormatVersion::WRITTEN, Registry::builtin())?;
//! assert_eq!(&record.options[..], [5, 255, 255, 255, 255]);
//! # Ok::<(), tdb_filters::FilterError>(())
//! ```

use crate::Entry;
use crate::codec::bound_of;
#[cfg(not(feature = "bzip2"))]
use crate::compressor::absent as library;
use crate::compressor::{self, Compress, Decompress, Library};

const NAME: &str = "bzip2";

pub(crate) static ENTRY: Entry =
    compressor::entry::<Bzip2>(5, NAME).behind("bzip2", cfg!(feature = "bzip2"));

#[derive(Debug)]
struct Bzip2;

impl Library for Bzip2 {
    const ENTRY: &'static Entry = &ENTRY;
    const ID: u8 = 5;
    const COMPRESS: Compress = library::compress;
    const DECOMPRESS: Decompress = library::decompress;

    fn bound(len: usize) -> usize {
        // The manual's bound is one percent plus 600 bytes.
        bound_of([len, len / 64, 700])
    }
}

#[cfg(feature = "bzip2")]
mod library {
    use bzip2::{Action, Compress, Compression, Decompress, Status};

    use super::NAME;
    use crate::compressor::check_decoded;
    use crate::{FilterError, Stage};

    // The library cannot reset its states: each piece needs a new one.
    pub(super) fn compress(
        level: i32,
        piece: &[u8],
        out: &mut [u8],
        _: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let level = u32::try_from(level).unwrap_or(1).clamp(1, 9);
        let mut state = Compress::new(Compression::new(level), 0);
        let status = state.compress(piece, out, Action::Finish);
        match (status, usize::try_from(state.total_out())) {
            (Ok(Status::StreamEnd), Ok(stored)) => Ok(stored),
            _ => Err(FilterError::Values {
                filter: NAME,
                why: "the stream outgrows its bound",
            }),
        }
    }

    pub(super) fn decompress(
        piece: &[u8],
        out: &mut [u8],
        _: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let mut state = Decompress::new(false);
        let status = state
            .decompress(piece, out)
            .map_err(|_| FilterError::invalid(NAME, "stream", "does not decode"))?;
        let what = "decoded length of a whole stream";
        check_decoded(NAME, what, out, state.total_out())?;
        if status != Status::StreamEnd {
            let finding = "does not end where it must";
            return Err(FilterError::invalid(NAME, "stream", finding));
        }
        Ok(())
    }
}
