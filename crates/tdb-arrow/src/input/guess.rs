use tdb_cells::FieldInfo;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Range};

/// What field would take a column, and what is known of its cells.
#[derive(Clone, Debug)]
pub struct ColumnGuess {
    /// Name of the column.
    pub name: String,
    /// A type that holds every cell.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether a cell is null, or whether the file says that one may be.
    pub nullable: bool,
    /// Whether all of it is ASCII, where it is text.
    pub is_ascii: bool,
    /// The least and the greatest cell, where cells are one number and there are any.
    pub range: Option<Range>,
    /// The labels, where cells are indexes of some, each in its stored form.
    pub labels: Option<Labels>,
    /// How many cells there are.
    pub cells: u64,
}

/// The labels of a column that is enumerated.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Type of the labels.
    pub datatype: Datatype,
    /// Values per label.
    pub cell_val_num: CellValNum,
    /// Whether their order means something.
    pub ordered: bool,
    /// The labels.
    pub values: Vec<Vec<u8>>,
}

impl ColumnGuess {
    /// The field that takes the column.
    #[must_use]
    pub fn field(&self, field: FieldKind) -> FieldInfo {
        FieldInfo {
            name: self.name.clone(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: self.nullable,
            enumeration: None,
            field,
        }
    }
}
