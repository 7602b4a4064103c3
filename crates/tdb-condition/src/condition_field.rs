use tdb_schema::{ArraySchema, CellValNum, Enumeration, Field, FieldKind};
use tdb_tile::Datatype;

/// What a condition must know of a field.
#[derive(Clone, Copy, Debug)]
pub struct ConditionField<'a> {
    /// Its name.
    pub name: &'a str,
    /// The type of its values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells can be null.
    pub nullable: bool,
    /// The labels that its values are indexes of.
    pub enumeration: Option<&'a Enumeration>,
}

impl<'a> ConditionField<'a> {
    /// The dimensions and attributes of a schema; `enumeration` finds enumerations by their names.
    pub fn of_schema(
        schema: &'a ArraySchema,
        enumeration: impl Fn(&str) -> Option<&'a Enumeration>,
    ) -> Vec<Self> {
        let of_field = |field: Field<'a>| Self {
            name: field.name,
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: field.nullable,
            enumeration: match field.kind {
                FieldKind::Attribute(index) => schema.attributes.get(index),
                _ => None,
            }
            .and_then(|attribute| enumeration(attribute.enumeration.as_deref()?)),
        };
        schema.fields().map(of_field).collect()
    }
}
