//! The common part of all targets: the round-trip check, and schemas to decode with.
use bytes::Bytes;
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

/// Limits with a small memory budget, so that exceeding it is found as an error.
#[must_use]
pub fn limits() -> Limits {
    Limits::with_budget(64 << 20)
}

/// Decodes arbitrary bytes: an error, or a record whose measured and encoded size is that of the
/// bytes.
pub fn law<R: Record>(data: &[u8], version: FormatVersion, cx: &R::Cx) -> Option<R> {
    let bytes = Bytes::copy_from_slice(data);
    let record = R::decode(&bytes, version, cx, &limits()).ok()?;
    // The encoded bytes may differ, since any byte but 0 decodes as true.
    let again = record.encode(version, cx).expect("it was decoded");
    assert_eq!(again.len(), data.len());
    assert_eq!(
        record.size(version, cx).expect("it was decoded"),
        data.len() as u64
    );
    Some(record)
}

/// Creates the schema of a dense array, of a sparse one, or of a sparse one with a string
/// dimension.
#[must_use]
pub fn schema(choice: u8) -> ArraySchema {
    let mut text = Attribute::new("text", Datatype::StringAscii);
    text.cell_val_num = CellValNum::Var;
    text.nullable = true;
    let attributes = vec![Attribute::new("a", Datatype::Int32), text];
    let numbers = |name| Dimension::numbers(name, Datatype::Int16, (-100, 100), 7);
    let mut dimensions = vec![numbers("y"), numbers("x")];
    let array_type = if choice % 3 == 0 {
        ArrayType::Dense
    } else {
        ArrayType::Sparse
    };
    if choice % 3 == 2 {
        let x = &mut dimensions[1];
        x.datatype = Datatype::StringAscii;
        x.cell_val_num = CellValNum::Var;
        x.domain = None;
        x.extent = None;
    }
    ArraySchema::new(array_type, dimensions, attributes)
}
