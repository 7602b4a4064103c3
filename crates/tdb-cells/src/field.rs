use std::sync::Arc;

use tdb_schema::{CellValNum, Enumeration, Field, FieldKind};
use tdb_tile::Datatype;

/// Bytes of a cell of fixed size; of one value of a var-sized field.
#[must_use]
pub fn unit_size(field: &Field<'_>) -> usize {
    match field.cell_val_num {
        CellValNum::Fixed(n) => field.datatype.size().saturating_mul(n as usize),
        CellValNum::Var => field.datatype.size(),
    }
}

/// What a column of a result holds, known before any cell is read.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Name of the field.
    pub name: String,
    /// Type of its values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells can be null.
    pub nullable: bool,
    /// The labels that the values are indexes of.
    pub enumeration: Option<Arc<Enumeration>>,
    /// Which field of the array it is.
    pub field: FieldKind,
}
