use std::sync::Arc;

use tdb_schema::{ArraySchema, CellValNum, Enumeration};
use tdb_tile::Datatype;

use crate::QueryError;

/// A field of the array, by its place in the schema that the read goes by.
pub(crate) use tdb_schema::FieldKind as Field;

/// Bytes of a cell of fixed size; of one value of a var-sized field.
pub(crate) fn unit_size(field: &tdb_schema::Field<'_>) -> usize {
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
    pub field: Field,
}

/// The fields of a result: dimensions in schema order, then attributes as named or in schema order.
pub(crate) fn chosen(
    schema: &ArraySchema,
    dimensions: Option<&[String]>,
    attributes: Option<&[String]>,
) -> Result<Vec<Field>, QueryError> {
    let mut fields: Vec<Field> = match dimensions {
        None => (0..schema.dimensions.len()).map(Field::Dimension).collect(),
        Some(names) => {
            let mut chosen = Vec::with_capacity(names.len());
            for name in names {
                let known = || schema.dimensions.iter().map(|d| d.name.as_str());
                let index = known()
                    .position(|n| n == name)
                    .ok_or_else(|| QueryError::unknown("dimension", name, known()))?;
                chosen.push(Field::Dimension(index));
            }
            chosen
        }
    };
    match attributes {
        None => fields.extend((0..schema.attributes.len()).map(Field::Attribute)),
        Some(names) => {
            for name in names {
                let known = || schema.attributes.iter().map(|a| a.name.as_str());
                let index = known()
                    .position(|n| n == name)
                    .ok_or_else(|| QueryError::unknown("attribute", name, known()))?;
                fields.push(Field::Attribute(index));
            }
        }
    }
    Ok(fields)
}
