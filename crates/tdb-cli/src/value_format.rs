//! Formatting of stored values, for people and as JSON.

use serde_json::{Value as Json, json};
use tdb::engine::array::MetadataValue;
use tdb::engine::schema::json::{Times, cell_to_json};
use tdb::engine::schema::value::{Cell, Value, holds_bytes, read_cell, unpadded};
use tdb::engine::schema::{CellValNum, Dimension};
use tdb::engine::tile::{Code, Datatype, Range};

/// Formats a stored cell for display.
pub(crate) fn stored(datatype: Datatype, values: CellValNum, bytes: &[u8], ticks: bool) -> String {
    let text = unpadded(datatype, values, bytes);
    let is_text = std::str::from_utf8(text).is_ok_and(|text| !text.contains(char::is_control));
    let shown = if is_text { text } else { bytes };
    plain(Some(&read_cell(datatype, values, shown)), ticks)
}

/// Formats a cell for display: strings unchanged, bytes as text if they are printable UTF-8, otherwise in
/// hexadecimal.
pub(crate) fn plain(cell: Option<&Cell<'_>>, ticks: bool) -> String {
    match cell {
        None => "null".to_owned(),
        Some(Cell::One(value)) => plain_value(*value, ticks),
        Some(Cell::Many(values)) => {
            let values: Vec<String> = values
                .iter()
                .map(|value| plain_value(*value, ticks))
                .collect();
            format!("[{}]", values.join(", "))
        }
    }
}

fn plain_value(value: Value<'_>, ticks: bool) -> String {
    match value {
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
            _ => format!("0x{value}"),
        },
        _ if ticks => value.as_ticks().to_string(),
        _ => value.to_string(),
    }
}

/// Formats both ends of a dimension's range: `1 .. 100`.
pub(crate) fn range(dimension: &Dimension, range: &Range, ticks: bool) -> String {
    let end = |bytes: &[u8]| {
        let text = stored(dimension.datatype, dimension.cell_val_num, bytes, ticks);
        if dimension.cell_val_num.is_var() {
            format!("{text:?}")
        } else {
            text
        }
    };
    format!("{} .. {}", end(&range.lo), end(&range.hi))
}

/// How dates and times are written in JSON.
pub(crate) fn times(ticks: bool) -> Times {
    if ticks { Times::Ticks } else { Times::Iso }
}

/// Formats a metadata value for display.
pub(crate) fn metadata(value: &MetadataValue, ticks: bool) -> String {
    stored(
        value.datatype,
        metadata_cell_val_num(value),
        &value.bytes,
        ticks,
    )
}

/// Formats a metadata value as JSON: `{"datatype","count","value"}`.
pub(crate) fn metadata_json(value: &MetadataValue, ticks: bool) -> Json {
    let values = metadata_cell_val_num(value);
    json!({
        "datatype": value.datatype.name(),
        "count": value.count,
        "value": cell_to_json(value.datatype, values, &value.bytes, times(ticks)),
    })
}

/// Text and bytes count as one value of any length; other values are counted one by one.
fn metadata_cell_val_num(value: &MetadataValue) -> CellValNum {
    if holds_bytes(value.datatype) {
        CellValNum::Var
    } else {
        CellValNum::Fixed(value.count)
    }
}
