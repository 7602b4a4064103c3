//! Small results, built by hand.

use std::sync::Arc;

use bytes::Bytes;
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Datatype, Scalar};

pub(crate) const ONE: CellValNum = CellValNum::Fixed(1);

/// The stored bytes of numbers.
pub(crate) fn stored<T: Scalar>(values: &[T]) -> Bytes {
    let mut out = Vec::new();
    for value in values {
        value.write(&mut out);
    }
    out.into()
}

/// The stored bytes of offsets.
pub(crate) fn starts(offsets: &[u64]) -> Option<Bytes> {
    Some(stored(offsets))
}

pub(crate) fn column(
    name: &str,
    datatype: Datatype,
    cell_val_num: CellValNum,
    values: Bytes,
) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num,
        nullable: false,
        values,
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

/// A column of texts; `None` is a null cell.
pub(crate) fn texts(name: &str, datatype: Datatype, cells: &[Option<&[u8]>]) -> Column {
    let mut offsets = vec![0];
    let mut values = Vec::new();
    for cell in cells {
        values.extend_from_slice(cell.unwrap_or_default());
        offsets.push(values.len() as u64);
    }
    let nullable = cells.iter().any(Option::is_none);
    let valid: Vec<bool> = cells.iter().map(Option::is_some).collect();
    Column {
        offsets: starts(&offsets),
        nullable,
        validity: nullable.then(|| bits(&valid)),
        ..column(name, datatype, CellValNum::Var, values.into())
    }
}

pub(crate) fn bits(valid: &[bool]) -> Bytes {
    let byte =
        |cells: &[bool]| (cells.iter().rev()).fold(0, |byte, &cell| byte << 1 | u8::from(cell));
    valid.chunks(8).map(byte).collect()
}

pub(crate) fn with_nulls(column: Column, valid: &[bool]) -> Column {
    Column {
        nullable: true,
        validity: Some(bits(valid)),
        ..column
    }
}

pub(crate) fn enumerated(column: Column, values: &[&str], ordered: bool) -> Column {
    let enumeration = Enumeration::from_values(
        "colours",
        "__0123_0",
        Datatype::StringUtf8,
        CellValNum::Var,
        ordered,
        values,
    );
    Column {
        enumeration: Some(Arc::new(enumeration.expect("distinct values"))),
        ..column
    }
}

pub(crate) fn field(column: &Column) -> FieldInfo {
    FieldInfo {
        name: column.name.clone(),
        datatype: column.datatype,
        cell_val_num: column.cell_val_num,
        nullable: column.nullable,
        enumeration: column.enumeration.clone(),
        field: FieldKind::Attribute(0),
    }
}

/// A result with one batch.
pub(crate) fn result(rows: usize, columns: Vec<Column>) -> (Vec<FieldInfo>, Batch) {
    (columns.iter().map(field).collect(), Batch { rows, columns })
}
