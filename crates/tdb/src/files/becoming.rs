//! What the columns of a file become, as far as an array says so.

use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Datatype;

use crate::{Error, Result};

/// What the columns of a file become, as far as the array says so.
#[derive(Debug)]
pub struct Becoming {
    /// Name of the field that a `.npy` file holds, and how many values of it a cell has; or why it can hold none.
    pub npy: Result<(String, u32)>,
    /// Whether the array has a field without a name.
    pub takes_unnamed: bool,
    /// Datatypes of columns.
    pub types: Vec<(String, Datatype)>,
    /// The fields of the array, if it is there already.
    pub fields: Option<Vec<String>>,
}

impl Becoming {
    /// Of columns whose fields an array has.
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

/// The attribute that a `.npy` file has values of, and how many of them a cell has.
fn npy_column(schema: &ArraySchema) -> Result<(String, u32)> {
    let [attribute] = &schema.attributes[..] else {
        let count = schema.attributes.len();
        let what = format!("a .npy file holds one attribute, and the array has {count}");
        return Err(Error::invalid(what));
    };
    if !schema.is_dense() {
        let what = "a .npy file holds no cells of a sparse array";
        return Err(Error::invalid(what));
    }
    let inner = match attribute.cell_val_num {
        CellValNum::Fixed(n) if !holds_bytes(attribute.datatype) => n,
        CellValNum::Fixed(_) | CellValNum::Var => 1,
    };
    Ok((attribute.name.clone(), inner))
}
