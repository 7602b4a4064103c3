use bytes::Bytes;
use tdb_tile::FormatVersion;

/// A part of a fragment's metadata whose generic tile was opened.
#[derive(Clone, Debug)]
pub struct OpenedPart {
    /// The version in the header of the generic tile, that of the library that wrote it.
    pub version: FormatVersion,
    /// The content of the generic tile.
    pub payload: Bytes,
}
