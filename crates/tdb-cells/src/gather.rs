//! Collects the cells of a result out of a table of loaded cells.

use bytes::Bytes;
use zerocopy::IntoBytes;

use crate::{Buffer, CellsError, TableColumn, threads};

/// Cells that one task copies: enough to be worth a hand-over, few enough to spread.
const ROWS_PER_TASK: usize = 1 << 16;

/// What [`gather`] makes of a table's column: the parts of a result column.
pub struct Gathered {
    /// The values, one after the other.
    pub values: Bytes,
    /// Var-sized: where each cell begins, and the end; little-endian `u64`.
    pub offsets: Option<Bytes>,
    /// Nullable: a bit for each cell, 1 where it is not null.
    pub validity: Option<Bytes>,
}

/// The cells of `column` at `rows`, in that order; `None` keeps all in place, without a copy.
pub fn gather(column: TableColumn, rows: Option<&[u32]>) -> Result<Gathered, CellsError> {
    let Some(rows) = rows else {
        return Ok(Gathered {
            values: column.values.freeze(),
            offsets: column.offsets.map(freeze_offsets).transpose()?,
            validity: column.validity.map(|bytes| pack(&bytes)).transpose()?,
        });
    };
    let validity = column
        .validity
        .as_ref()
        .map(|bytes| pack_rows(bytes, rows))
        .transpose()?;
    let (values, offsets) = match &column.offsets {
        None => (
            gather_fixed(column.values.as_slice(), column.cell_size, rows)?,
            None,
        ),
        Some(offsets) => {
            let (values, offsets) = gather_var(column.values.as_slice(), offsets, rows)?;
            (values, Some(freeze_offsets(offsets)?))
        }
    };
    Ok(Gathered {
        values: values.freeze(),
        offsets,
        validity,
    })
}

/// Zeroed memory for a column.
///
/// # Errors
/// [`CellsError::Limit`] where the system has no such amount.
pub fn buffer(len: usize) -> Result<Buffer, CellsError> {
    Buffer::zeroed(len).ok_or_else(|| {
        CellsError::Limit(tdb_tile::LimitError {
            what: "memory of a column",
            setting: "memory budget",
            asked: len as u64,
            allowed: 0,
        })
    })
}

fn freeze_offsets(offsets: Vec<u64>) -> Result<Bytes, CellsError> {
    // The vector is handed over as it is: on little-endian machines its bytes are the stored form.
    if cfg!(target_endian = "little") {
        return Ok(Bytes::from_owner(Offsets(offsets)));
    }
    let mut out = buffer(offsets.len().saturating_mul(8))?;
    for (place, offset) in out.as_mut_slice().chunks_exact_mut(8).zip(&offsets) {
        place.copy_from_slice(&offset.to_le_bytes());
    }
    Ok(out.freeze())
}

struct Offsets(Vec<u64>);

impl AsRef<[u8]> for Offsets {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

pub(crate) fn gather_fixed(values: &[u8], size: usize, rows: &[u32]) -> Result<Buffer, CellsError> {
    let mut out = buffer(rows.len().saturating_mul(size))?;
    let places = out.as_mut_slice().chunks_mut(ROWS_PER_TASK * size.max(1));
    let tasks: Vec<_> = places.zip(rows.chunks(ROWS_PER_TASK)).collect();
    threads::for_each(tasks, |(out, rows)| {
        match size {
            1 => gather_sized::<1>(values, rows, out),
            2 => gather_sized::<2>(values, rows, out),
            4 => gather_sized::<4>(values, rows, out),
            8 => gather_sized::<8>(values, rows, out),
            _ => {
                for (place, &row) in out.chunks_exact_mut(size).zip(rows) {
                    let start = row as usize * size;
                    if let Some(cell) = values.get(start..start + size) {
                        place.copy_from_slice(cell);
                    }
                }
            }
        }
        Ok::<_, CellsError>(())
    })?;
    Ok(out)
}

fn gather_sized<const N: usize>(values: &[u8], rows: &[u32], out: &mut [u8]) {
    let (cells, _) = values.as_chunks::<N>();
    let (places, _) = out.as_chunks_mut::<N>();
    for (place, &row) in places.iter_mut().zip(rows) {
        if let Some(cell) = cells.get(row as usize) {
            *place = *cell;
        }
    }
}

pub(crate) fn gather_var(
    values: &[u8],
    offsets: &[u64],
    rows: &[u32],
) -> Result<(Buffer, Vec<u64>), CellsError> {
    let cell = |row: u32| -> &[u8] {
        let row = row as usize;
        match (offsets.get(row), offsets.get(row + 1)) {
            (Some(&start), Some(&end)) => {
                // Offsets of loaded cells lie within memory.
                let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
                values.get(place(start)..place(end)).unwrap_or(&[])
            }
            _ => &[],
        }
    };
    let mut starts = Vec::with_capacity(rows.len() + 1);
    let mut end = 0_u64;
    starts.push(end);
    for &row in rows {
        end += cell(row).len() as u64;
        starts.push(end);
    }
    let mut out = buffer(usize::try_from(end).unwrap_or(usize::MAX))?;
    let mut rest = out.as_mut_slice();
    for &row in rows {
        let cell = cell(row);
        let (place, behind) = rest.split_at_mut(cell.len());
        place.copy_from_slice(cell);
        rest = behind;
    }
    Ok((out, starts))
}

/// Validity as bits, out of one byte per cell; absent where all cells are valid is for the caller to decide.
pub(crate) fn pack(bytes: &[u8]) -> Result<Bytes, CellsError> {
    let mut out = buffer(bytes.len().div_ceil(8))?;
    for (place, cells) in out.as_mut_slice().iter_mut().zip(bytes.chunks(8)) {
        *place = cells
            .iter()
            .enumerate()
            .fold(0, |bits, (i, &cell)| bits | u8::from(cell != 0) << i);
    }
    Ok(out.freeze())
}

fn pack_rows(bytes: &[u8], rows: &[u32]) -> Result<Bytes, CellsError> {
    let mut out = buffer(rows.len().div_ceil(8))?;
    for (place, rows) in out.as_mut_slice().iter_mut().zip(rows.chunks(8)) {
        *place = rows.iter().enumerate().fold(0, |bits, (i, &row)| {
            bits | u8::from(bytes.get(row as usize).is_some_and(|&cell| cell != 0)) << i
        });
    }
    Ok(out.freeze())
}
