//! Requirements that an array places on the columns of an input file.

use tdb_open::{Error, Result};
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Datatype;

/// Requirements that an array places on the columns of an input file.
#[derive(Debug)]
pub struct InputRequirements {
    /// The column of a `.npy` file, or the error why the array cannot take such a file.
    pub npy: Result<NpyColumn>,
    /// True if the array has a field with an empty name.
    pub takes_unnamed: bool,
    /// Datatypes specified for columns.
    pub types: Vec<(String, Datatype)>,
    /// Fields of the array; `None` if the array does not exist yet.
    pub fields: Option<Vec<String>>,
}

/// The only column of a `.npy` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NpyColumn {
    /// Name of the field that the file fills.
    pub name: String,
    /// Number of values per cell.
    pub values_per_cell: u32,
}

impl InputRequirements {
    /// Returns the requirements of an existing array.
    #[must_use]
    pub fn fields_of(schema: &ArraySchema) -> Self {
        Self {
            npy: npy_column(schema),
            takes_unnamed: schema.field("").is_some(),
            types: Vec::new(),
            fields: Some(schema.fields().map(|field| field.name.to_owned()).collect()),
        }
    }
}

/// Returns the attribute that a `.npy` file fills, and its number of values per cell.
fn npy_column(schema: &ArraySchema) -> Result<NpyColumn> {
    let [attribute] = &schema.attributes[..] else {
        let count = schema.attributes.len();
        let what = format!("a .npy file holds one attribute, and the array has {count}");
        return Err(Error::invalid(what));
    };
    if !schema.is_dense() {
        let what = "a .npy file cannot store cells of a sparse array";
        return Err(Error::invalid(what));
    }
    let values_per_cell = match attribute.cell_val_num {
        CellValNum::Fixed(n) if !holds_bytes(attribute.datatype) => n,
        CellValNum::Fixed(_) | CellValNum::Var => 1,
    };
    Ok(NpyColumn {
        name: attribute.name.clone(),
        values_per_cell,
    })
}
