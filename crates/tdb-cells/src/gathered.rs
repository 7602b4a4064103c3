//! Converts columns of a table into columns of a result.

use bytes::Bytes;
use tdb_tile::Exact;
use zerocopy::IntoBytes;

use crate::gather::{gather_fixed, gather_var, keep_fixed, too_few};
use crate::{Buffer, CellSet, CellsError, Column, FieldInfo, Row, TableColumn};

/// The parts of a result column, made from a table's column by [`gather`].
pub struct Gathered {
    /// The values, one after the other.
    pub values: Bytes,
    /// Var-sized: start of each cell, and the end of the last; little-endian `u64`.
    pub offsets: Option<Bytes>,
    /// Nullable: one bit per cell, 1 if it is not null.
    pub validity: Option<Bytes>,
}

impl Gathered {
    /// Adds the description of the field to make a result column.
    #[must_use]
    pub fn column(self, field: &FieldInfo) -> Column {
        Column {
            name: field.name.clone(),
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: field.nullable,
            values: self.values,
            offsets: self.offsets,
            validity: self.validity,
            enumeration: field.enumeration.clone(),
        }
    }
}

/// Copies the cells of `column` at `rows`, in that order; with `None`, keeps all cells without copying the values.
///
/// # Errors
/// The system lacks memory, or the column lacks a row.
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
        None => (gather_fixed(&column.values, column.cell_size, rows)?, None),
        Some(offsets) => {
            let (values, offsets) = gather_var(&column.values, offsets, rows)?;
            (values, Some(freeze_offsets(offsets)?))
        }
    };
    Ok(Gathered {
        values: values.freeze(),
        offsets,
        validity,
    })
}

/// Copies the cells of `column` that are in a set, in ascending order of rows.
///
/// # Errors
/// The system lacks memory, or the column lacks a row.
pub fn gather_set(column: TableColumn, kept: &CellSet) -> Result<Gathered, CellsError> {
    if column.offsets.is_some() {
        return gather(column, Some(&kept.to_rows()));
    }
    let count = kept.count();
    let mut values = column.values.another(count.exact_mul(column.cell_size)?)?;
    keep_fixed(
        column.values.as_slice(),
        column.cell_size,
        kept,
        values.as_mut_slice(),
    )?;
    let validity = column.validity.as_ref().map(|bytes| {
        let mut those = vec![0; count];
        keep_fixed(bytes, 1, kept, &mut those)?;
        bitmap(&those)
    });
    Ok(Gathered {
        values: values.freeze(),
        offsets: None,
        validity: validity.transpose()?,
    })
}

fn freeze_offsets(offsets: Vec<u64>) -> Result<Bytes, CellsError> {
    // On little-endian machines the bytes of the vector are the stored form: no copy.
    if cfg!(target_endian = "little") {
        return Ok(Bytes::from_owner(Offsets(offsets)));
    }
    let mut out = Buffer::zeroed(offsets.len().exact_mul(8)?)?;
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

/// Packs validity from one byte per cell into one bit per cell. The caller may drop it if all cells are valid.
fn bitmap(bytes: &[u8]) -> Result<Bytes, CellsError> {
    Ok(CellSet::of_bytes(bytes)?.to_bitmap()?.freeze())
}

fn pack_rows(bytes: &[u8], rows: &[Row]) -> Result<Bytes, CellsError> {
    let mut out = Buffer::zeroed(rows.len().div_ceil(8))?;
    for (place, rows) in out.as_mut_slice().iter_mut().zip(rows.chunks(8)) {
        for (bit, row) in rows.iter().enumerate() {
            let cell = bytes.get(row.index()).ok_or_else(too_few)?;
            *place |= u8::from(*cell != 0) << bit;
        }
    }
    Ok(out.freeze())
}
