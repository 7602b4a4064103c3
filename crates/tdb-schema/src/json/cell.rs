use std::str::FromStr;

use serde_json::{Number, Value as Json, json};
use tdb_tile::{Datatype, Scalar};

use crate::json::Times;
use crate::json::object::{unexpected, unexpected_kind};
use crate::value::{self, Cell, Value};
use crate::{CellValNum, Problem, SchemaError};

/// Converts a cell to JSON: a value, a list of numbers, text, or bytes as `{"hex": ..}`.
#[must_use]
pub fn cell_to_json(
    datatype: Datatype,
    cell_val_num: CellValNum,
    bytes: &[u8],
    times: Times,
) -> Json {
    match value::read_cell(datatype, cell_val_num, bytes) {
        Cell::One(value) => value_to_json(value, times),
        Cell::Many(values) => values
            .into_iter()
            .map(|value| value_to_json(value, times))
            .collect(),
    }
}

/// Converts a value to JSON: numbers with all digits, `"NaN"` and `"Infinity"` since JSON has no
/// such numbers, null for no time.
#[must_use]
pub fn value_to_json(value: Value<'_>, times: Times) -> Json {
    let value = match times {
        Times::Iso => value,
        Times::Ticks => value.as_ticks(),
    };
    match value {
        Value::Bool(v) => v.into(),
        Value::Signed(v) => v.into(),
        Value::Unsigned(v) => v.into(),
        // The digits are kept as text, so that an `f32` keeps its short form.
        Value::Float32(_) | Value::Float64(_) => {
            let text = value.to_string();
            Number::from_str(&text).map_or(Json::String(text), Json::Number)
        }
        Value::NotATime => Json::Null,
        Value::Time(..) => value.to_string().into(),
        Value::Text(text) => text.into(),
        Value::Bytes(_) => json!({ "hex": value.to_string() }),
    }
}

/// Converts JSON in the form of [`cell_to_json`] to the stored form of a cell; errors name `place`.
///
/// # Errors
/// Fails if the JSON is not such a cell.
pub fn cell_from_json(
    datatype: Datatype,
    cell_val_num: CellValNum,
    json: &Json,
    place: &str,
) -> Result<Vec<u8>, SchemaError> {
    let mut out = Vec::new();
    if value::holds_bytes(datatype) {
        read_bytes(datatype, json, place, &mut out)?;
        return match crate::attribute::cell_size(datatype, cell_val_num) {
            Some(wanted) if wanted != out.len() as u64 => {
                let found = out.len() as u64;
                Err(SchemaError::invalid(
                    place,
                    Problem::Length { wanted, found },
                ))
            }
            _ => Ok(out),
        };
    }
    let one = std::slice::from_ref(json);
    let values = json.as_array().map_or(one, Vec::as_slice);
    if let CellValNum::Fixed(wanted) = cell_val_num
        && values.len() as u64 != u64::from(wanted)
    {
        let problem = Problem::Count {
            wanted: u64::from(wanted),
            found: values.len() as u64,
        };
        return Err(SchemaError::invalid(place, problem));
    }
    for value in values {
        read_value(datatype, value, place, &mut out)?;
    }
    Ok(out)
}

fn read_value(
    datatype: Datatype,
    json: &Json,
    place: &str,
    out: &mut Vec<u8>,
) -> Result<(), SchemaError> {
    let is_time = datatype.is_datetime() || datatype.is_time();
    let result = match json {
        Json::Number(number) if datatype != Datatype::Bool => {
            value::parse_number(datatype, &number.to_string(), out)
        }
        Json::Bool(v) if datatype == Datatype::Bool => {
            out.push(u8::from(*v));
            Ok(())
        }
        Json::String(text) if is_time => value::parse_time(datatype, text, out),
        Json::String(text) if datatype.is_real() => value::parse_number(datatype, text, out),
        Json::Null if is_time => {
            value::NOT_A_TIME.write(out);
            Ok(())
        }
        _ => return Err(unexpected(place, json, datatype.to_string())),
    };
    result.map_err(|error| SchemaError::invalid(place, error.into()))
}

fn read_bytes(
    datatype: Datatype,
    json: &Json,
    place: &str,
    out: &mut Vec<u8>,
) -> Result<(), SchemaError> {
    match json {
        Json::String(text) if datatype.size() == 1 => {
            out.extend_from_slice(text.as_bytes());
            Ok(())
        }
        Json::Object(members) if members.len() == 1 => {
            let bytes = members.get("hex").and_then(Json::as_str).and_then(unhex);
            out.extend(bytes.ok_or_else(|| unexpected_kind(place, "bytes as {\"hex\": ..}"))?);
            Ok(())
        }
        _ => Err(unexpected(place, json, "bytes as {\"hex\": ..}".to_owned())),
    }
}

/// Decodes hexadecimal digits; `None` if the text has other characters or an odd length.
pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect()
}
