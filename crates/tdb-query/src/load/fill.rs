//! Values of cells that no fragment contains.

use tdb_schema::{ArraySchema, FieldKind};

/// The value of a cell that no fragment contains: the attribute's fill value.
#[must_use]
pub(crate) fn fill_of(schema: &ArraySchema, kind: FieldKind) -> &[u8] {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).map_or(&[], |a| &a.fill),
        _ => &[],
    }
}

/// Whether a cell that no fragment contains is valid (not null).
#[must_use]
pub(crate) fn fill_is_valid(schema: &ArraySchema, kind: FieldKind) -> bool {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).is_some_and(|a| a.fill_valid),
        _ => true,
    }
}
