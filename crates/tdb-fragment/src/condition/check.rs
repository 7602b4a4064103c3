use tdb_schema::{ArraySchema, Field};
use tdb_tile::Datatype;

use super::{ConditionOp, ConditionTree, ConditionValue};
use crate::FragmentError;

impl ConditionTree {
    /// Fails unless each value has the size that its field requires.
    ///
    /// Fields that the schema lacks are ignored, since a delete may outlive the attributes that it
    /// names. For an attribute with an enumeration, the value is an index of the attribute's own
    /// type.
    ///
    /// # Errors
    /// [`FragmentError::Field`] with the two sizes.
    pub fn check(&self, schema: &ArraySchema) -> Result<(), FragmentError> {
        self.values()
            .filter_map(|value| Some((value, schema.field(value.field())?)))
            .try_for_each(|(value, field)| {
                check_value(value, &field).map_err(|error| error.in_field(field.name))
            })
    }
}

fn check_value(value: &ConditionValue, field: &Field<'_>) -> Result<(), FragmentError> {
    let always = matches!(
        value.op(),
        ConditionOp::AlwaysTrue | ConditionOp::AlwaysFalse
    );
    if always || value.is_null_test() {
        return Ok(());
    }
    let (wanted, exact) = match field.cell_size() {
        Some(size) => (size, true),
        None => (size_of_one(field.datatype), false),
    };
    for member in value.members() {
        let found = member.len() as u64;
        let fits = if exact {
            found == wanted
        } else {
            found.checked_rem(wanted) == Some(0)
        };
        if !fits {
            return Err(FragmentError::Mismatch {
                what: "size of the value compared with",
                wanted,
                found,
            });
        }
    }
    Ok(())
}

fn size_of_one(datatype: Datatype) -> u64 {
    datatype.size() as u64
}
