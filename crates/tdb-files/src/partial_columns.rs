//! Files with columns for only some attributes.

use tdb_array::ErrorKind;
use tdb_open::Error;
use tdb_schema::ArraySchema;

/// True if the columns are all dimensions of an array and some of its attributes. Such rows can replace cells, which
/// keep the values of the other attributes.
pub(crate) fn is_part(schema: &ArraySchema, columns: &[String]) -> bool {
    let has = |name: &str| columns.iter().any(|column| column == name);
    let mut attributes = schema.attributes.iter();
    schema.dimensions.iter().all(|d| has(&d.name))
        && !attributes.all(|attribute| has(&attribute.name))
        && columns.iter().all(|column| schema.field(column).is_some())
}

/// Adds a hint about `option`, which replaces cells, to the error of a write that lacks columns for some attributes.
pub(crate) fn not_all(error: Error, is_part: bool, option: &str) -> Error {
    if !is_part || error.kind() != ErrorKind::Invalid {
        return error;
    }
    let way_round = format!("use {option} to keep the values of attributes that the file lacks");
    let hint = match error.hint() {
        Some(hint) => format!("{hint}; {way_round}"),
        None => way_round,
    };
    error.with_hint(hint)
}
