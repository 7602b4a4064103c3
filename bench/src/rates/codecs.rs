//! Rates of codecs on stored data, piece by piece as stored, and of digests.

use std::hint::black_box;
use std::io::Read;
use std::path::Path;

use bzip2::read::{BzDecoder, BzEncoder};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use serde_json::Value;
use sha2::Digest;

use super::frames::{Frame, frames};
use super::memory::NEAR;
use super::pace::{Rates, rate};
use crate::outcome::Result;

/// Number of uncompressed bytes examined per file.
const SAMPLE: usize = 16 << 20;

/// Bytes of an AES-GCM tag.
const TAG: usize = 16;

/// Measures how fast the pieces of a stored file are decoded and encoded, for the rates that the job names.
pub(super) fn of_stored(job: &Value, rates: &mut Rates) -> Result<()> {
    let text = |key: &str| job.get(key).and_then(Value::as_str);
    let file = text("file").ok_or("a job without a file")?;
    let codec = text("codec").ok_or("a job without a codec")?;
    let frames = frames(Path::new(file), SAMPLE)?;
    let size = frames.iter().map(|frame| frame.size).sum();
    let mut plain = Vec::new();
    let mut out = vec![0; frames.iter().map(|frame| frame.size).max().unwrap_or(0)];
    let mut decode = decoder(codec)?;
    for frame in &frames {
        let out = out.get_mut(..frame.size).ok_or("no room")?;
        decode(&frame.stored, out)?;
        plain.push(out.to_vec());
    }
    if let Some(name) = text("decode") {
        let decoded = rate(size, || {
            for Frame { size, stored } in &frames {
                decode(stored, out.get_mut(..*size).ok_or("no room")?)?;
            }
            Ok(())
        })?;
        rates.insert(name.to_owned(), decoded);
    }
    if let Some(name) = text("encode") {
        let level = job.get("level").and_then(Value::as_i64).unwrap_or(-1);
        let mut encode = encoder(codec, i32::try_from(level)?)?;
        let encoded = rate(size, || {
            for piece in &plain {
                black_box(encode(piece)?);
            }
            Ok(())
        })?;
        rates.insert(name.to_owned(), encoded);
    }
    Ok(())
}

type Decode = Box<dyn FnMut(&[u8], &mut [u8]) -> Result<()>>;
type Encode = Box<dyn FnMut(&[u8]) -> Result<usize>>;

pub(super) fn decoder(codec: &str) -> Result<Decode> {
    Ok(match codec {
        "zstd" => {
            let mut state = zstd::bulk::Decompressor::new()?;
            Box::new(move |stored, out| {
                let size = state.decompress_to_buffer(stored, out)?;
                whole(size, out)
            })
        }
        "lz4" => Box::new(|stored, out| {
            let size = lz4_flex::block::decompress_into(stored, out)?;
            whole(size, out)
        }),
        "gzip" => {
            let mut state = Decompress::new(true);
            Box::new(move |stored, out| {
                state.reset(true);
                state.decompress(stored, out, FlushDecompress::Finish)?;
                whole(usize::try_from(state.total_out())?, out)
            })
        }
        "bzip2" => Box::new(|stored, out| Ok(BzDecoder::new(stored).read_exact(out)?)),
        other => return Err(format!("no codec `{other}`").into()),
    })
}

fn encoder(codec: &str, level: i32) -> Result<Encode> {
    Ok(match codec {
        "zstd" => {
            let mut state = zstd::bulk::Compressor::new(level)?;
            let mut out = Vec::new();
            Box::new(move |piece| {
                out.clear();
                out.reserve(zstd::zstd_safe::compress_bound(piece.len()));
                Ok(state.compress_to_buffer(piece, &mut out)?)
            })
        }
        "lz4" => {
            let mut out = Vec::new();
            Box::new(move |piece| {
                out.resize(lz4_flex::block::get_maximum_output_size(piece.len()), 0);
                Ok(lz4_flex::block::compress_into(piece, &mut out)?)
            })
        }
        "gzip" => {
            let mut state = Compress::new(Compression::default(), true);
            Box::new(move |piece| {
                state.reset();
                let mut out = Vec::with_capacity(piece.len() * 2 + 64);
                state.compress_vec(piece, &mut out, FlushCompress::Finish)?;
                Ok(out.len())
            })
        }
        "bzip2" => Box::new(|piece| {
            let mut out = Vec::new();
            Ok(BzEncoder::new(piece, bzip2::Compression::fast()).read_to_end(&mut out)?)
        }),
        other => return Err(format!("no codec `{other}`").into()),
    })
}

fn whole(size: usize, out: &[u8]) -> Result<()> {
    if size == out.len() {
        return Ok(());
    }
    Err(format!("a piece of {} bytes has {size}", out.len()).into())
}

/// Measures checksums and decryption of pieces in the cache.
pub(super) fn digests(rates: &mut Rates) -> Result<()> {
    let piece = vec![9_u8; NEAR];
    let sha256 = rate(NEAR, || Ok(sha2::Sha256::digest(black_box(&piece))))?;
    rates.insert("sha256".into(), sha256);
    let md5 = rate(NEAR, || Ok(md5::Md5::digest(black_box(&piece))))?;
    rates.insert("md5".into(), md5);
    let key = UnboundKey::new(&AES_256_GCM, &[3; 32]).map_err(|_| "no key")?;
    let key = LessSafeKey::new(key);
    let nonce = || Nonce::assume_unique_for_key([4; 12]);
    let mut sealed = piece;
    key.seal_in_place_append_tag(nonce(), Aad::empty(), &mut sealed)
        .map_err(|_| "not sealed")?;
    let mut work = vec![0; NEAR + TAG];
    let aes = rate(NEAR, || {
        work.copy_from_slice(&sealed);
        let opened = key.open_in_place(nonce(), Aad::empty(), &mut work);
        Ok(opened.map_err(|_| "not opened")?.len())
    })?;
    rates.insert("aes".into(), aes);
    Ok(())
}
