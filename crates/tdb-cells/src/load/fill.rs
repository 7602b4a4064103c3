//! What cells hold that no fragment has.

use tdb_schema::{ArraySchema, FieldKind};

/// The bytes of a cell that no fragment holds.
#[must_use]
pub fn fill_of(schema: &ArraySchema, kind: FieldKind) -> &[u8] {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).map_or(&[], |a| &a.fill),
        _ => &[],
    }
}

/// Whether a cell that no fragment holds is not null.
#[must_use]
pub fn fill_is_valid(schema: &ArraySchema, kind: FieldKind) -> bool {
    match kind {
        FieldKind::Attribute(index) => schema.attributes.get(index).is_some_and(|a| a.fill_valid),
        _ => true,
    }
}
