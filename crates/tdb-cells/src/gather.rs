//! Collects the cells of a result out of a table of loaded cells.

use bytes::Bytes;
use zerocopy::IntoBytes;

use tdb_tile::Bug;

use crate::{Buffer, CellSet, CellsError, Row, TableColumn, threads};

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
///
/// # Errors
/// Memory that the system does not have.
pub fn gather(column: TableColumn, rows: Option<&[Row]>) -> Result<Gathered, CellsError> {
    let Some(rows) = rows else {
        return Ok(Gathered {
            values: column.values.freeze(),
            offsets: column.offsets.map(freeze_offsets).transpose()?,
            validity: column.validity.map(|bytes| bitmap(&bytes)).transpose()?,
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

/// What `picked` rows of `rows` take of so many bytes, about.
pub(crate) fn picked_bytes(bytes: usize, picked: usize, rows: usize) -> u64 {
    let share = bytes as u128 * picked as u128 / (rows as u128).max(1);
    // More than memory can be asks the budget for more than it has.
    u64::try_from(share).unwrap_or(u64::MAX)
}

pub(crate) fn gather_fixed(values: &[u8], size: usize, rows: &[Row]) -> Result<Buffer, CellsError> {
    let mut out = buffer(rows.len().saturating_mul(size))?;
    let places = out.as_mut_slice().chunks_mut(ROWS_PER_TASK * size.max(1));
    let tasks: Vec<_> = places.zip(rows.chunks(ROWS_PER_TASK)).collect();
    threads::for_each(tasks, |(out, rows)| {
        let are_there = match size {
            1 => gather_sized::<1>(values, rows, out),
            2 => gather_sized::<2>(values, rows, out),
            4 => gather_sized::<4>(values, rows, out),
            8 => gather_sized::<8>(values, rows, out),
            _ => gather_any(values, size, rows, out),
        };
        if are_there { Ok(()) } else { Err(too_few()) }
    })?;
    Ok(out)
}

/// Copies cells of `N` bytes; whether all were there.
fn gather_sized<const N: usize>(values: &[u8], rows: &[Row], out: &mut [u8]) -> bool {
    let (cells, _) = values.as_chunks::<N>();
    let (places, _) = out.as_chunks_mut::<N>();
    let mut are_there = true;
    for (place, row) in places.iter_mut().zip(rows) {
        match cells.get(row.index()) {
            Some(cell) => *place = *cell,
            None => are_there = false,
        }
    }
    are_there
}

/// Copies cells of `size` bytes; whether all were there.
fn gather_any(values: &[u8], size: usize, rows: &[Row], out: &mut [u8]) -> bool {
    if size == 0 {
        return true;
    }
    let mut are_there = true;
    for (place, row) in out.chunks_exact_mut(size).zip(rows) {
        let start = row.index().saturating_mul(size);
        match values.get(start..start.saturating_add(size)) {
            Some(cell) => place.copy_from_slice(cell),
            None => are_there = false,
        }
    }
    are_there
}

#[track_caller]
fn too_few() -> CellsError {
    Bug::new("a column has fewer cells than were chosen of it").into()
}

pub(crate) fn gather_var(
    values: &[u8],
    offsets: &[u64],
    rows: &[Row],
) -> Result<(Buffer, Vec<u64>), CellsError> {
    let ends = |row: Row| Some((*offsets.get(row.index())?, *offsets.get(row.index() + 1)?));
    let mut starts = Vec::with_capacity(rows.len() + 1);
    let mut end = 0_u64;
    starts.push(end);
    for &row in rows {
        let (first, behind) = ends(row).ok_or_else(too_few)?;
        end = end.saturating_add(behind.saturating_sub(first));
        starts.push(end);
    }
    let mut out = buffer(tdb_tile::length(end)?)?;
    let mut rest = out.as_mut_slice();
    for &row in rows {
        let ends = ends(row).and_then(|(first, behind)| {
            let place = |offset: u64| usize::try_from(offset).ok();
            values.get(place(first)?..place(behind)?)
        });
        let cell = ends.ok_or_else(too_few)?;
        let (place, behind) = rest.split_at_mut(cell.len());
        place.copy_from_slice(cell);
        rest = behind;
    }
    Ok((out, starts))
}

/// Validity as bits, out of one byte per cell; absent where all cells are valid is for the caller to decide.
fn bitmap(bytes: &[u8]) -> Result<Bytes, CellsError> {
    Ok(CellSet::of_bytes(bytes)?.to_bitmap()?.freeze())
}

fn pack_rows(bytes: &[u8], rows: &[Row]) -> Result<Bytes, CellsError> {
    let mut out = buffer(rows.len().div_ceil(8))?;
    for (place, rows) in out.as_mut_slice().iter_mut().zip(rows.chunks(8)) {
        for (bit, row) in rows.iter().enumerate() {
            let cell = bytes.get(row.index()).ok_or_else(too_few)?;
            *place |= u8::from(*cell != 0) << bit;
        }
    }
    Ok(out.freeze())
}
