use std::sync::Arc;

use tdb_schema::{ArraySchema, CellValNum, Enumeration, Field, FieldKind};
use tdb_tile::{Datatype, Scalar};

use crate::CellsError;

/// Bytes of a cell of fixed size, or of one value of a var-sized field.
#[must_use]
pub fn unit_size(field: &Field<'_>) -> usize {
    let datatype = field.datatype;
    cell_size(datatype, field.cell_val_num).unwrap_or_else(|| datatype.size())
}

/// Bytes of one cell; `None` if cells are var-sized.
pub(crate) fn cell_size(datatype: Datatype, values: CellValNum) -> Option<usize> {
    let values = values.fixed()?;
    Some(datatype.size().saturating_mul(values as usize))
}

/// Fails if the values of a field are not of the type `T`.
pub(crate) fn check_numbers<T: Scalar>(name: &str, datatype: Datatype) -> Result<(), CellsError> {
    let (found, wanted) = (datatype.physical(), T::PHYSICAL);
    if found == wanted {
        return Ok(());
    }
    Err(CellsError::NumberType {
        column: name.to_owned(),
        datatype,
        found,
        wanted,
    })
}

/// Description of a field, known before any cell is read; used for results, conditions and writes.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// Name of the field.
    pub name: String,
    /// Datatype of the values.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells can be null.
    pub nullable: bool,
    /// The labels, if the values are indexes into an enumeration.
    pub enumeration: Option<Arc<Enumeration>>,
    /// Kind and number of the field in the schema.
    pub field: FieldKind,
}

impl FieldInfo {
    /// Describes a field of a schema, with its labels if its values are to be shown as such.
    #[must_use]
    pub fn of(field: &Field<'_>, enumeration: Option<Arc<Enumeration>>) -> Self {
        Self {
            name: field.name.to_owned(),
            datatype: field.datatype,
            cell_val_num: field.cell_val_num,
            nullable: field.nullable,
            enumeration,
            field: field.kind,
        }
    }

    /// Bytes of one cell; `None` if the field is var-sized.
    #[must_use]
    pub fn cell_size(&self) -> Option<usize> {
        cell_size(self.datatype, self.cell_val_num)
    }

    /// Checks that the values are of the type `T`; dates and times are `i64`, booleans and bytes `u8`.
    ///
    /// # Errors
    /// [`CellsError::NumberType`] if the values are of another type.
    pub fn check_numbers<T: Scalar>(&self) -> Result<(), CellsError> {
        check_numbers::<T>(&self.name, self.datatype)
    }

    /// Describes the dimensions and attributes of a schema. `enumeration` returns the labels of an enumerated
    /// attribute, given its number and the name of its enumeration.
    pub fn of_schema(
        schema: &ArraySchema,
        enumeration: impl Fn(usize, &str) -> Option<Arc<Enumeration>>,
    ) -> Vec<Self> {
        let labels = |field: &Field<'_>| match field.kind {
            FieldKind::Attribute(index) => {
                let attribute = schema.attributes.get(index)?;
                enumeration(index, attribute.enumeration.as_deref()?)
            }
            _ => None,
        };
        let fields = schema.fields();
        fields
            .map(|field| Self::of(&field, labels(&field)))
            .collect()
    }
}
