//! Sorting keys with their rows, gathering by rows, and a map of names.

use std::collections::BTreeMap;

use super::{Rates, rate};
use crate::Result;

/// Keys that are sorted.
const KEYS: usize = 1 << 22;

/// Names in a map.
const NAMES: usize = 1000;

pub(super) fn measure(rates: &mut Rates) -> Result<()> {
    let pairs: Vec<(u64, u32)> = (0_u32..)
        .take(KEYS)
        .map(|row| (scattered(row), row))
        .collect();
    let copied = rate(KEYS, || Ok(pairs.clone()))?;
    let sorted = rate(KEYS, || {
        let mut pairs = pairs.clone();
        pairs.sort_unstable();
        Ok(pairs)
    })?;
    // Without the copy that is sorted.
    rates.insert("sort".into(), 1.0 / (1.0 / sorted - 1.0 / copied));
    let values: Vec<u64> = (0..KEYS as u64).collect();
    let mut order = pairs;
    order.sort_unstable();
    let rows: Vec<u32> = order.iter().map(|(_, row)| *row).collect();
    let mut gathered = vec![0_u64; KEYS];
    let gather = rate(KEYS, || {
        for (value, row) in gathered.iter_mut().zip(&rows) {
            *value = values.get(*row as usize).copied().ok_or("no such row")?;
        }
        Ok(())
    })?;
    rates.insert("gather".into(), gather);
    let names: Vec<String> = (0..NAMES)
        .map(|number| format!("key_{number:04}"))
        .collect();
    let named = rate(NAMES, || {
        let names = names.iter().zip(0_u64..);
        let map: BTreeMap<String, u64> = names.map(|(name, at)| (name.clone(), at)).collect();
        Ok(map)
    })?;
    rates.insert("name".into(), named);
    Ok(())
}

/// A number that looks like chance, of another.
fn scattered(number: u32) -> u64 {
    let mixed = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}
