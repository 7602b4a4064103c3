//! Where the tiles of an array's fragments are.

use tdb_array::{Array, Fragment, OpenedPart, Snapshot};
use tdb_cells::FragmentTiles;
use tdb_fragment::MetadataPart;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::Bug;

use crate::QueryError;

/// Finds the tiles of these fields, which are named by `schema`; one batch of reads.
pub(crate) fn open(
    array: &Array,
    schema: &ArraySchema,
    fragment: usize,
    fields: &[FieldKind],
) -> Result<FragmentTiles, QueryError> {
    let parts = parts(array, schema, fragment, fields)?;
    let opened = array.metadata_parts(fragment, &parts)?;
    locate(array, schema, fragment, fields, opened)
}

/// The parts of the metadata of the fragment at this position that tell where its tiles are.
pub(crate) fn parts(
    array: &Snapshot,
    schema: &ArraySchema,
    fragment: usize,
    fields: &[FieldKind],
) -> Result<Vec<MetadataPart>, QueryError> {
    let stored = planned(array, fragment)?.stored();
    Ok(FragmentTiles::parts(schema, stored, fields))
}

/// The tiles of these fields, out of [`parts`].
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
