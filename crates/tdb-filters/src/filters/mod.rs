//! One filter per file; the table below is all that ties them together.

pub(crate) mod aes_256_gcm;
mod bitshuffle;
mod byteshuffle;
mod bzip2;
mod checksum_md5;
mod checksum_sha256;
pub(crate) mod gzip;
mod lz4;
mod none;
mod zstd;

use crate::Entry;

/// The filters of this crate, ordered by code.
pub static ALL: &[&Entry] = &[
    &none::ENTRY,
    &gzip::ENTRY,
    &zstd::ENTRY,
    &lz4::ENTRY,
    &bzip2::ENTRY,
    &bitshuffle::ENTRY,
    &byteshuffle::ENTRY,
    &aes_256_gcm::ENTRY,
    &checksum_md5::ENTRY,
    &checksum_sha256::ENTRY,
];
