//! One filter per file; the table below is the only place that lists them.

pub(crate) mod aes_256_gcm;
mod bit_width_reduction;
mod bitshuffle;
mod byteshuffle;
mod bzip2;
mod checksum_md5;
mod checksum_sha256;
mod delta;
mod dictionary;
mod double_delta;
pub(crate) mod gzip;
mod lz4;
mod none;
mod positive_delta;
mod rle;
mod scale_float;
mod webp;
mod xor;
mod zstd;

use crate::Entry;

pub use rle::default_rle;
pub use zstd::default_zstd;

/// Codes of former filters whose data no library can read any more.
pub(crate) const WITHDRAWN: &[u8] = &[17];

/// The filters of this crate, ordered by code.
pub static ALL: &[&Entry] = &[
    &none::ENTRY,
    &gzip::ENTRY,
    &zstd::ENTRY,
    &lz4::ENTRY,
    &rle::ENTRY,
    &bzip2::ENTRY,
    &double_delta::ENTRY,
    &bit_width_reduction::ENTRY,
    &bitshuffle::ENTRY,
    &byteshuffle::ENTRY,
    &positive_delta::ENTRY,
    &aes_256_gcm::ENTRY,
    &checksum_md5::ENTRY,
    &checksum_sha256::ENTRY,
    &dictionary::ENTRY,
    &scale_float::ENTRY,
    &xor::ENTRY,
    &webp::ENTRY,
    &delta::ENTRY,
];
