//! Measuring a rate.

use std::collections::BTreeMap;
use std::hint::black_box;

use crate::meter::processor_time;
use crate::outcome::Result;

/// Number of passes, of which the best counts.
const PASSES: usize = 5;

/// Rates by name.
pub(super) type Rates = BTreeMap<String, f64>;

/// Returns how much of `amount` is done per second of processor time, at best. Short work is repeated within a pass.
pub(super) fn rate<T>(amount: usize, mut work: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let before = processor_time();
        let mut times = 0_u32;
        let seconds = loop {
            black_box(work()?);
            times += 1;
            let seconds = processor_time() - before;
            if seconds > 0.02 {
                break seconds / f64::from(times);
            }
        };
        best = best.min(seconds);
    }
    Ok(amount as f64 / best)
}
