//! What all targets share: the law, and schemas to decode by.
use bytes::Bytes;
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

/// Few bytes, so that more is a finding.
#[must_use]
pub fn limits() -> Limits {
    Limits::with_budget(64 << 20)
}

/// Any bytes: an error, or a record that is measured and encoded as it was.
pub fn law<R: Record>(data: &[u8], version: FormatVersion, cx: &R::Cx) -> Option<R> {
    let bytes = Bytes::copy_from_slice(data);
    let record = R::decode(&bytes, version, cx, &limits()).ok()?;
    // Bytes that stand for truth values need not come back as they were.
    let again = record.encode(version, cx).expect("it was decoded");
    assert_eq!(again.len(), data.len());
    assert_eq!(
        record.size(version, cx).expect("it was decoded"),
        data.len() as u64
    );
    Some(record)
}

/// A dense or a sparse array, the latter with strings or without.
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
