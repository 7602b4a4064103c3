//! Serialization of batches for blocks in the temporary folder.

use bytes::Bytes;
use tdb_cells::{Batch, Column};

/// Marks the length of a part (offsets or validity) that a column does not have.
const NONE: u64 = u64::MAX;

/// Encodes a batch: the number of rows, the lengths of values, offsets and validity for each column, then all parts.
pub(super) fn to_bytes(batch: &Batch) -> Vec<u8> {
    let mut out = (batch.rows as u64).to_le_bytes().to_vec();
    for column in &batch.columns {
        for part in parts(column) {
            let len = part.map_or(NONE, |part| part.len() as u64);
            out.extend_from_slice(&len.to_le_bytes());
        }
    }
    for column in &batch.columns {
        for part in parts(column).into_iter().flatten() {
            out.extend_from_slice(part);
        }
    }
    out
}

fn parts(column: &Column) -> [Option<&Bytes>; 3] {
    [
        Some(&column.values),
        column.offsets.as_ref(),
        column.validity.as_ref(),
    ]
}

/// Decodes a block with the columns of `like`; `None` if the bytes are damaged.
pub(super) fn from_bytes(bytes: &Bytes, like: &[Column]) -> Option<Batch> {
    let mut at = 0_usize;
    let mut next = |len: usize| {
        let end = at.checked_add(len)?;
        let part = (end <= bytes.len()).then(|| bytes.slice(at..end))?;
        at = end;
        Some(part)
    };
    let number = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let rows = usize::try_from(number(&next(8)?)?).ok()?;
    let mut lens = Vec::with_capacity(like.len());
    for _ in like {
        lens.push([number(&next(8)?)?, number(&next(8)?)?, number(&next(8)?)?]);
    }
    let mut columns = Vec::with_capacity(like.len());
    for (column, lens) in like.iter().zip(lens) {
        let mut parts = [const { None }; 3];
        for (part, len) in parts.iter_mut().zip(lens) {
            if len != NONE {
                *part = Some(next(usize::try_from(len).ok()?)?);
            }
        }
        let [values, offsets, validity] = parts;
        columns.push(Column {
            values: values?,
            offsets,
            validity,
            name: column.name.clone(),
            enumeration: column.enumeration.clone(),
            ..*column
        });
    }
    (at == bytes.len()).then_some(Batch { rows, columns })
}
