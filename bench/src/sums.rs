//! Checksums of results, computed as in `xtask/bench/suite/sums.py`: sums of bits, also weighted by position if the
//! order matters; sums of the ends of texts and of validity; and sums over rows, which reveal exchanged cells.

use std::collections::BTreeMap;

use serde_json::Value;
use tdb_cells::{Batch, Column};

use crate::outcome::Result;

/// Factors for the columns of a row before they are added up.
const FACTORS: [u64; 4] = [
    0x9E37_79B9_7F4A_7C15,
    0xC2B2_AE3D_27D4_EB4F,
    0x1656_67B1_9E37_79F9,
    0xD6E8_FEB8_6659_FD93,
];

/// Number of rows mixed at a time.
const FEW: usize = 1024;

/// Checksums accumulated over the results of a workload.
pub(crate) struct Sums {
    ordered: bool,
    rows: u64,
    found: BTreeMap<String, u64>,
    /// Bytes of text so far, by field.
    ends: BTreeMap<String, u64>,
}

impl Sums {
    pub(crate) fn new(ordered: bool) -> Self {
        Self {
            ordered,
            rows: 0,
            found: BTreeMap::new(),
            ends: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, batches: &[Batch]) -> Result<()> {
        for batch in batches {
            for column in &batch.columns {
                self.add_column(column, batch.rows)?;
            }
            let are_fixed = batch.columns.iter().all(|column| column.offsets.is_none());
            if are_fixed && !batch.columns.is_empty() {
                self.add_rows(batch)?;
            }
            self.rows = self.rows.wrapping_add(batch.rows as u64);
        }
        Ok(())
    }

    /// Returns the sums as hexadecimal text, which JSON keeps exactly.
    pub(crate) fn said(&self) -> Value {
        let texts = self.found.iter();
        texts
            .map(|(name, value)| (name.clone(), Value::from(format!("{value:016x}"))))
            .collect()
    }

    fn add_column(&mut self, column: &Column, rows: usize) -> Result<()> {
        let name = &column.name;
        if column.offsets.is_some() {
            return self.add_text(column);
        }
        if column.nullable {
            let valid = (0..rows).map(|row| u64::from(column.is_valid(row)));
            self.note(&format!("{name}.validity"), valid, self.rows);
        }
        let words = words(column)?;
        self.note(name, words, self.rows);
        Ok(())
    }

    fn add_text(&mut self, column: &Column) -> Result<()> {
        let name = &column.name;
        let offsets = column.offset_values();
        let first = offsets.first().ok_or("text without offsets")?.get();
        let last = offsets.last().ok_or("text without offsets")?.get();
        let before = self.ends.get(name).copied().unwrap_or(0);
        let ends = offsets
            .iter()
            .skip(1)
            .map(|end| before.wrapping_add(end.get().wrapping_sub(first)));
        self.note(&format!("{name}.ends"), ends, self.rows);
        let text = usize::try_from(first)?..usize::try_from(last)?;
        let text = column.values.get(text).ok_or("offsets beyond the text")?;
        self.note(name, text.iter().map(|byte| u64::from(*byte)), before);
        self.ends
            .insert(name.clone(), before.wrapping_add(text.len() as u64));
        Ok(())
    }

    fn add_rows(&mut self, batch: &Batch) -> Result<()> {
        let mut columns = batch
            .columns
            .iter()
            .map(words)
            .collect::<Result<Vec<_>>>()?;
        let mut sum = 0_u64;
        // Only a few rows at a time, since memory for all of them would count as memory of the result.
        for first in (0..batch.rows).step_by(FEW) {
            let mut mixed = [0_u64; FEW];
            let rows = (batch.rows - first).min(FEW);
            for (column, factor) in columns.iter_mut().zip(FACTORS) {
                for (mixed, word) in mixed.iter_mut().take(rows).zip(column) {
                    *mixed = mixed.wrapping_add(word.wrapping_mul(factor));
                }
            }
            let squares = mixed.iter().map(|mixed| {
                let mixed = mixed ^ (mixed >> 32);
                mixed.wrapping_mul(mixed)
            });
            sum = squares.fold(sum, u64::wrapping_add);
        }
        self.grow("rows", sum);
        Ok(())
    }

    /// Adds the sum of values, and their sum weighted by position. `before` is the number of earlier values.
    fn note(&mut self, name: &str, values: impl Iterator<Item = u64>, before: u64) {
        let (mut sum, mut placed, mut place) = (0_u64, 0_u64, before);
        for value in values {
            place = place.wrapping_add(1);
            sum = sum.wrapping_add(value);
            placed = placed.wrapping_add(value.wrapping_mul(place));
        }
        self.grow(name, sum);
        if self.ordered {
            self.grow(&format!("{name}.placed"), placed);
        }
    }

    fn grow(&mut self, name: &str, by: u64) {
        let sum = self.found.entry(name.to_owned()).or_default();
        *sum = sum.wrapping_add(by);
    }
}

/// Returns the bits of each single-value cell; 0 if it is null.
fn words(column: &Column) -> Result<Box<dyn Iterator<Item = u64> + '_>> {
    let size = column.cell_size().ok_or("text among numbers")?;
    if !matches!(size, 1 | 2 | 4 | 8) {
        return Err(format!("cells of {size} bytes").into());
    }
    let words = column.values.chunks_exact(size).map(|cell| {
        let bytes = cell.iter().rev();
        bytes.fold(0_u64, |word, byte| word << 8 | u64::from(*byte))
    });
    if !column.nullable {
        return Ok(Box::new(words));
    }
    let cells = words.enumerate();
    Ok(Box::new(cells.map(|(row, word)| {
        if column.is_valid(row) { word } else { 0 }
    })))
}
