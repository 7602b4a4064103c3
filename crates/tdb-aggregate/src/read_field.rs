use tdb_cells::FieldInfo;
use tdb_query::Reader;
use tdb_tile::Bug;

/// Returns a field of a reader's result by name.
pub(crate) fn read_field(reader: &Reader, name: &str) -> Result<FieldInfo, Bug> {
    let mut fields = reader.fields().iter();
    let field = fields.find(|field| field.name == name).cloned();
    field.ok_or_else(|| Bug::new("a field that was asked for is not read"))
}
