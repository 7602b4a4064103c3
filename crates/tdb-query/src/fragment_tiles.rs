//! Where the tiles of an array's fragments are.

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::FragmentTiles;
use tdb_fragment::FragmentIndex;
use tdb_schema::{ArraySchema, FieldKind};

use crate::QueryError;

/// The tiles of these fields, out of the parts of metadata that tell where they are.
pub(crate) fn locate(
    array: &Snapshot,
    schema: &ArraySchema,
    fragment: FragmentIndex,
    fields: &[FieldKind],
    opened: Vec<OpenedPart>,
) -> Result<FragmentTiles, QueryError> {
    let stored = array.fragment(fragment)?.stored();
    let how = (array.key(), array.limits());
    Ok(FragmentTiles::new(schema, stored, fields, opened, how)?)
}
