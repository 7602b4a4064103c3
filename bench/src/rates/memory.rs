//! Rates of copies, and of touching new memory.

use std::hint::black_box;

use super::pace::{Rates, rate};
use crate::outcome::Result;

/// Number of bytes that fit in the cache nearest to a core, the size of one chunk of a tile.
pub(crate) const NEAR: usize = 64 << 10;

/// Number of bytes that fit in no cache.
pub(crate) const FAR: usize = 256 << 20;

/// Size of a memory page in bytes.
const PAGE: usize = 4096;

pub(super) fn measure(rates: &mut Rates) -> Result<()> {
    let near = vec![1_u8; NEAR];
    let mut far = vec![2_u8; FAR];
    // Copies from the cache into a result.
    let place = rate(FAR, || {
        for part in far.chunks_exact_mut(NEAR) {
            part.copy_from_slice(black_box(&near));
        }
        Ok(())
    })?;
    rates.insert("place".into(), place);
    let fill = rate(FAR, || {
        far.fill(black_box(7));
        Ok(())
    })?;
    rates.insert("fill".into(), fill);
    let from = vec![3_u8; FAR];
    let copy = rate(FAR, || {
        far.copy_from_slice(black_box(&from));
        Ok(())
    })?;
    rates.insert("copy".into(), copy);
    drop((from, far));
    let touch = rate(FAR, || {
        let mut fresh = vec![0_u8; FAR];
        for byte in fresh.iter_mut().step_by(PAGE) {
            *byte = 1;
        }
        Ok(fresh)
    })?;
    rates.insert("first touch".into(), touch);
    Ok(())
}
