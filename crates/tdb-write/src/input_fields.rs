//! Which fields the columns of an input are.

use tdb_array::{Array, ArrayError};
use tdb_cells::FieldInfo;
use tdb_schema::FieldKind;

/// The fields that an input with these columns has cells of: dense arrays take dimensions or not. Columns of enumerated
/// attributes hold labels or, with `codes`, their indexes.
///
/// # Errors
/// As the store reports; enumerations that break the format.
pub fn input_fields(
    array: &Array,
    columns: &[String],
    codes: bool,
) -> Result<Vec<FieldInfo>, ArrayError> {
    let schema = array.newest_schema();
    let is_dimension = |name: &String| schema.dimension_index(name).is_some();
    let is_placed = !schema.is_dense() || columns.iter().any(is_dimension);
    let mut fields = Vec::new();
    for field in schema.fields() {
        let enumeration = match field.kind {
            FieldKind::Attribute(index) => schema
                .attributes
                .get(index)
                .and_then(|a| a.enumeration.as_deref()),
            _ if !is_placed => continue,
            _ => None,
        };
        let enumeration = enumeration.filter(|_| !codes);
        let enumeration = enumeration.map(|name| array.newest_enumeration(name));
        fields.push(FieldInfo::of(&field, enumeration.transpose()?));
    }
    Ok(fields)
}
