//! Extracting the compressed pieces from a stored file of tiles.

use std::fs;
use std::path::Path;

use crate::outcome::Result;

/// A compressed piece: its uncompressed size, and the stored bytes.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) size: usize,
    pub(super) stored: Vec<u8>,
}

/// Returns the pieces of a file whose last filter is a compressor, until they have `most` uncompressed bytes.
pub(super) fn frames(path: &Path, most: usize) -> Result<Vec<Frame>> {
    let bytes = fs::read(path)?;
    let mut rest = bytes.as_slice();
    let (mut frames, mut total) = (Vec::new(), 0);
    while !rest.is_empty() && total < most {
        for _ in 0..word64(&mut rest)? {
            let [_, data, metadata] = [word(&mut rest)?, word(&mut rest)?, word(&mut rest)?];
            let mut metadata = part(&mut rest, metadata)?;
            let mut data = part(&mut rest, data)?;
            let parts = word(&mut metadata)? + word(&mut metadata)?;
            for _ in 0..parts {
                let (size, stored) = (word(&mut metadata)?, word(&mut metadata)?);
                let stored = part(&mut data, stored)?.to_vec();
                total += size;
                frames.push(Frame { size, stored });
            }
        }
    }
    // Small pieces are metadata of filters before the compressor, which does not matter.
    frames.retain(|frame| frame.size > 64);
    if frames.is_empty() {
        return Err(format!("{} holds no piece", path.display()).into());
    }
    Ok(frames)
}

fn part<'a>(rest: &mut &'a [u8], size: usize) -> Result<&'a [u8]> {
    let (part, behind) = rest
        .split_at_checked(size)
        .ok_or("a file that ends early")?;
    *rest = behind;
    Ok(part)
}

fn word(rest: &mut &[u8]) -> Result<usize> {
    let bytes = part(rest, 4)?.try_into()?;
    Ok(u32::from_le_bytes(bytes) as usize)
}

fn word64(rest: &mut &[u8]) -> Result<u64> {
    Ok(u64::from_le_bytes(part(rest, 8)?.try_into()?))
}
