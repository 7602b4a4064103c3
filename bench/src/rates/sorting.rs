//! Rates of sorting keys with rows, gathering by rows, copying words, and building a map of names.

use std::collections::BTreeMap;

use super::pace::{Rates, rate};
use crate::outcome::Result;

/// Number of keys to sort.
const KEYS: usize = 1 << 22;

/// Number of texts to copy, and of distinct words.
const TEXTS: usize = 1 << 20;
const WORDS: usize = 200;

/// Number of names in a map.
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
    // The time to copy the unsorted pairs is subtracted.
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
    texts(rates)?;
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

/// Measures copying words into a result, with the start of each.
fn texts(rates: &mut Rates) -> Result<()> {
    let words: Vec<Vec<u8>> = (0..WORDS).map(|size| vec![b'a'; size % 24]).collect();
    let order: Vec<usize> = (0_u32..)
        .take(TEXTS)
        .map(|text| usize::try_from(scattered(text) % WORDS as u64))
        .collect::<std::result::Result<_, _>>()?;
    let mut result = Vec::with_capacity(TEXTS * 24);
    let mut begins = vec![0_u64; TEXTS];
    let copied = rate(TEXTS, || {
        result.clear();
        for (word, begin) in order.iter().zip(&mut begins) {
            *begin = result.len() as u64;
            result.extend_from_slice(words.get(*word).ok_or("no such word")?);
        }
        Ok(())
    })?;
    rates.insert("text".into(), copied);
    Ok(())
}

/// Returns a hash of a number.
pub(super) fn scattered(number: u32) -> u64 {
    let mixed = u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}
