//! Where the tiles of an array's fragments are.

use tdb_array::{Fragment, OpenedPart, Snapshot};
use tdb_cells::FragmentTiles;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::Bug;

use crate::QueryError;

/// The tiles of these fields, out of the parts of metadata that tell where they are.
pub(crate) fn locate(
    array: &Snapshot,
    schema: &ArraySchema,
    fragment: usize,
    fields: &[FieldKind],
    opened: Vec<OpenedPart>,
) -> Result<FragmentTiles, QueryError> {
    let stored = planned(array, fragment)?.stored();
    let how = (array.key(), array.limits());
    Ok(FragmentTiles::new(schema, stored, fields, opened, how)?)
}

/// A fragment of the array by its position.
pub(crate) fn planned(array: &Snapshot, fragment: usize) -> Result<&Fragment, QueryError> {
    let known = array.fragments().get(fragment);
    Ok(known.ok_or_else(|| Bug::new("a planned fragment is not among those of the array"))?)
}
