//! Rates of plain loops over numbers, from the cache into a result: the best that filters without a compressor can
//! reach.

use std::hint::black_box;

use super::memory::{FAR, NEAR};
use super::pace::{Rates, rate};
use crate::outcome::Result;

/// Number of eight-byte values in a chunk.
const VALUES: usize = NEAR / 8;

pub(super) fn measure(rates: &mut Rates) -> Result<()> {
    let mut far = vec![1_i64; FAR / 8];
    let steps: Vec<i64> = (0..VALUES as i64).collect();
    let narrow: Vec<u16> = (0_u16..).take(VALUES).collect();
    let middle: Vec<i32> = (0_i32..).take(VALUES).collect();
    let sums = rate(FAR, || {
        let mut sum = 0_i64;
        for part in far.chunks_exact_mut(VALUES) {
            for (value, step) in part.iter_mut().zip(black_box(&steps)) {
                sum = sum.wrapping_add(*step);
                *value = sum;
            }
        }
        Ok(())
    })?;
    rates.insert("add up".into(), sums);
    let twice = rate(FAR, || {
        let (mut sum, mut step) = (0_i64, 0_i64);
        for part in far.chunks_exact_mut(VALUES) {
            for (value, change) in part.iter_mut().zip(black_box(&narrow)) {
                step = step.wrapping_add(i64::from(*change));
                sum = sum.wrapping_add(step);
                *value = sum;
            }
        }
        Ok(())
    })?;
    rates.insert("add up twice".into(), twice);
    let widened = rate(FAR, || {
        for part in far.chunks_exact_mut(VALUES) {
            for (value, short) in part.iter_mut().zip(black_box(&narrow)) {
                *value = i64::from(*short);
            }
        }
        Ok(())
    })?;
    rates.insert("widen".into(), widened);
    let flipped = rate(FAR, || {
        let mut last = 0_i64;
        for part in far.chunks_exact_mut(VALUES) {
            for (value, change) in part.iter_mut().zip(black_box(&steps)) {
                last ^= *change;
                *value = last;
            }
        }
        Ok(())
    })?;
    rates.insert("flip".into(), flipped);
    let mut floats = vec![1.0_f64; FAR / 8];
    let scaled = rate(FAR, || {
        for part in floats.chunks_exact_mut(VALUES) {
            for (value, short) in part.iter_mut().zip(black_box(&middle)) {
                *value = f64::from(*short) * 0.01 + 0.5;
            }
        }
        Ok(())
    })?;
    rates.insert("scale".into(), scaled);
    let compared = rate(FAR, || {
        let floats = black_box(&floats);
        Ok(floats.iter().filter(|value| **value > 20.0).count())
    })?;
    rates.insert("compare".into(), compared);
    let near = floats.get(..VALUES).ok_or("too few")?;
    let again = rate(NEAR, || {
        let near = black_box(near);
        Ok(near.iter().filter(|value| **value > 20.0).count())
    })?;
    rates.insert("compare in cache".into(), again);
    Ok(())
}
