//! Locates the tiles of an array's fragments.

use tdb_array::{OpenedPart, Snapshot};
use tdb_cells::{FragmentTiles, TileAccess};
use tdb_fragment::FragmentIndex;
use tdb_schema::{ArraySchema, FieldKind};

use crate::QueryError;

/// Locates the tiles of these fields, using the opened parts of the fragment's metadata.
pub(crate) fn locate(
    array: &Snapshot,
    schema: &ArraySchema,
    fragment: FragmentIndex,
    fields: &[FieldKind],
    opened: Vec<OpenedPart>,
) -> Result<FragmentTiles, QueryError> {
    let stored = array.fragment(fragment)?.stored();
    let access = TileAccess {
        key: array.key(),
        limits: array.limits(),
    };
    Ok(FragmentTiles::new(schema, stored, fields, opened, access)?)
}
