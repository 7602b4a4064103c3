//! Maps the columns of an input to fields.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tdb_array::{Array, ArrayError};
use tdb_cells::FieldInfo;
use tdb_schema::{Enumeration, FieldKind};

/// Returns the fields for which an input with these columns must have cells. For a dense array, dimensions are
/// included if the input has a column for one. Columns of enumerated attributes contain labels or, with `codes`, their
/// indexes.
///
/// # Errors
/// Errors of the store; enumerations that violate the format.
pub fn input_fields(
    array: &Array,
    columns: &[String],
    codes: bool,
) -> Result<Vec<FieldInfo>, ArrayError> {
    let schema = array.newest_schema();
    let is_dimension = |name: &String| schema.dimension_index(name).is_some();
    let is_placed = !schema.is_dense() || columns.iter().any(is_dimension);
    let attributes = schema.attributes.iter().filter(|_| !codes);
    let names: BTreeSet<&str> = attributes
        .filter_map(|attribute| attribute.enumeration.as_deref())
        .collect();
    let enumerations = array.newest_enumerations(names.iter().copied())?;
    let labels: BTreeMap<&str, Arc<Enumeration>> = names.into_iter().zip(enumerations).collect();
    let mut fields = Vec::new();
    for field in schema.fields() {
        let name = match field.kind {
            FieldKind::Attribute(index) => schema
                .attributes
                .get(index)
                .and_then(|a| a.enumeration.as_deref()),
            _ if !is_placed => continue,
            _ => None,
        };
        let enumeration = name.and_then(|name| labels.get(name).cloned());
        fields.push(FieldInfo::of(&field, enumeration));
    }
    Ok(fields)
}
