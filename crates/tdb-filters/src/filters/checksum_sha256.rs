//! Filter 13: records the SHA-256 digest of every part, and checks it when reading.
//!
//! Data passes unchanged; the metadata is laid out as in `docs/format/filters.md`, "Checksums".
//!
//! ```
//! use tdb_filters::{Description, Registry};
//! use tdb_tile::FormatVersion;
//! let record = Description::new("checksum_sha256").record(FormatVersion::WRITTEN, Registry::builtin())?;
//! assert!(record.code == 13 && record.options.is_empty());
//! # Ok::<(), tdb_filters::FilterError>(())
//! ```

use crate::checksum::Checksum;
use crate::{Entry, Filter};

pub(crate) static ENTRY: Entry = Entry::new(
    13,
    "checksum_sha256",
    |options| options.none().map(|()| filter()),
    |_| Ok(filter()),
)
.since(4)
.behind("checksums", cfg!(feature = "checksums"));

fn filter() -> Box<dyn Filter> {
    Box::new(Checksum {
        entry: &ENTRY,
        digest,
    })
}

#[cfg(feature = "checksums")]
fn digest(bytes: &[u8]) -> [u8; 32] {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).into()
}

#[cfg(not(feature = "checksums"))]
fn digest(_: &[u8]) -> [u8; 32] {
    [0; 32]
}
