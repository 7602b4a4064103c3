use bytes::Bytes;
use tdb_tile::FormatVersion;

/// A part of a fragment's metadata, out of the generic tile that it is stored in.
#[derive(Clone, Debug)]
pub struct OpenedPart {
    /// The version of the library that wrote it, as its tile says.
    pub version: FormatVersion,
    /// Its content.
    pub payload: Bytes,
}
