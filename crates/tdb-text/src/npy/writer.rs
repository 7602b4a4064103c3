//! Writes `.npy` files.

use std::io::Write;

use tdb_cells::files::{BatchWriter, ConversionError};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::CellValNum;

use super::dtype::dtype;
use super::header::header;

/// Writes one attribute of a dense array as a `.npy` file of version 1.0, in row-major order.
///
/// Dates and times become `datetime64` and `timedelta64` of their unit. Strings and bytes of fixed size become `S`
/// (`char`, `string_ascii`, `string_utf8`), `U` (UTF-32 and UCS-4) or `V` (everything else). Several numbers per cell
/// become an additional axis.
#[derive(Debug)]
pub struct NpyWriter<W: Write> {
    out: W,
    field: String,
    cells: u64,
    written: u64,
}

impl<W: Write> NpyWriter<W> {
    /// Starts a file of a single field whose cells, in row-major order, fill a box of this shape.
    ///
    /// # Errors
    /// [`ConversionError::Unfit`] for several fields, an enumerated field or var-sized cells; the output fails.
    pub fn try_new(
        mut out: W,
        fields: &[FieldInfo],
        shape: &[u64],
    ) -> Result<Self, ConversionError> {
        let [field] = fields else {
            return Err(ConversionError::Unfit {
                what: format!("a .npy file holds one attribute, not {}", fields.len()),
                hint: "choose it with --attrs, and leave out the dimensions with --no-dims",
            });
        };
        if field.enumeration.is_some() {
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no place for the labels of {:?}",
                    field.name
                ),
                hint: "--enum-codes gives the indexes",
            });
        }
        let CellValNum::Fixed(values) = field.cell_val_num else {
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no place for {:?}, whose cells vary in size",
                    field.name
                ),
                hint: "the formats csv, jsonl, arrow and parquet have",
            });
        };
        let (dtype, inner) = dtype(field.datatype, values);
        let axes: Vec<u64> = shape.iter().copied().chain(inner).collect();
        let cells = shape
            .iter()
            .try_fold(1_u64, |cells, side| cells.checked_mul(*side))
            .ok_or_else(|| ConversionError::Unfit {
                what: format!("a box of {shape:?} has more cells than a .npy file can hold, 2^64"),
                hint: "choose smaller ranges with --range",
            })?;
        let header = header(&dtype, &axes).ok_or_else(|| ConversionError::Unfit {
            what: format!(
                "the header of a .npy file has no place for {} axes",
                axes.len()
            ),
            hint: "the formats csv, jsonl, arrow and parquet have",
        })?;
        out.write_all(&header)?;
        Ok(Self {
            out,
            field: field.name.clone(),
            cells,
            written: 0,
        })
    }
}

impl<W: Write> BatchWriter for NpyWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let Some(column) = batch.columns.first() else {
            return Err(ConversionError::column(
                &self.field,
                "is missing from the result",
            ));
        };
        if let Some(null) = (0..batch.rows).find(|&cell| !column.is_valid(cell)) {
            let cell = self.written + null as u64;
            return Err(ConversionError::Unfit {
                what: format!(
                    "a .npy file has no nulls, and cell {cell} of {:?} is null",
                    self.field
                ),
                hint: "the formats csv, jsonl, arrow and parquet have",
            });
        }
        self.written += batch.rows as u64;
        Ok(self.out.write_all(&column.values)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        if self.written != self.cells {
            return Err(ConversionError::Unfit {
                what: format!("{} cells do not fill a box of {}", self.written, self.cells),
                hint: "a .npy file holds a whole box: one range per dimension, and nothing left out",
            });
        }
        Ok(self.out.flush()?)
    }
}
