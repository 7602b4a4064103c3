//! Comparing the raw cells of a manifest with cells in JSON lines.

use serde_json::Value;

/// One column of a manifest.
pub(crate) struct Column {
    name: String,
    datatype: String,
    /// Number of values per cell; `None` if it varies.
    number: Option<usize>,
    cells: Vec<Option<Vec<u8>>>,
}

impl Column {
    pub(crate) fn new(column: &Value, rows: usize) -> Result<Self, String> {
        let text = |key: &str| column.get(key).and_then(Value::as_str);
        let data = unhex(text("data").ok_or("a column without data")?);
        let validity = text("validity").map(unhex);
        let offsets = column.get("offsets").and_then(Value::as_array);
        let offset =
            |row: usize| -> Option<usize> { usize::try_from(offsets?.get(row)?.as_u64()?).ok() };
        let size = data.len().checked_div(rows).unwrap_or(0);
        let cell = |row: usize| {
            if validity.as_ref().is_some_and(|v| v.get(row) == Some(&0)) {
                return None;
            }
            let range = match offsets {
                Some(_) => offset(row)?..offset(row + 1)?,
                None => row * size..(row + 1) * size,
            };
            data.get(range).map(<[u8]>::to_vec)
        };
        Ok(Self {
            name: text("name").unwrap_or_default().to_owned(),
            datatype: text("datatype").unwrap_or_default().to_owned(),
            number: column
                .get("cell_val_num")
                .and_then(Value::as_u64)
                .map(|n| usize::try_from(n).unwrap_or(1)),
            cells: (0..rows).map(cell).collect(),
        })
    }

    /// Returns the cell as hexadecimal digits; `None` if it is null.
    pub(crate) fn raw(&self, row: usize) -> Option<String> {
        let cell = self.cells.get(row)?.as_ref()?;
        Some(cell.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Returns the cell as JSON lines should show it.
    fn json(&self, row: usize) -> Value {
        let Some(Some(cell)) = self.cells.get(row) else {
            return Value::Null;
        };
        match (self.datatype.as_str(), self.number) {
            ("string_ascii" | "string_utf8" | "geom_wkt", None) => {
                Value::String(String::from_utf8_lossy(cell).into_owned())
            }
            ("char" | "string_ascii" | "string_utf8", Some(_)) => unpadded(cell),
            ("char" | "geom_wkt", _) => text_or_hex(cell),
            ("blob" | "geom_wkb" | "any", _) => hex(cell),
            (datatype, _) if datatype.starts_with("string") => hex(cell),
            (datatype, Some(1)) => number(datatype, cell),
            (datatype, _) => {
                let size = size_of(datatype);
                Value::Array(
                    cell.chunks(size)
                        .map(|value| number(datatype, value))
                        .collect(),
                )
            }
        }
    }
}

/// Compares rows with the columns of a manifest, in order or as multisets.
pub(crate) fn compare(columns: &[Column], found: &[Value], unordered: bool) -> Result<(), String> {
    let wanted =
        (0..found.len()).map(|row| columns.iter().map(|c| c.json(row).to_string()).collect());
    let found = found.iter().map(|line| {
        let cell = |c: &Column| {
            normal(
                c,
                line.get(&c.name)
                    .cloned()
                    .unwrap_or(Value::String("missing".into())),
            )
            .to_string()
        };
        columns.iter().map(cell).collect()
    });
    let (mut wanted, mut found): (Vec<Vec<String>>, Vec<Vec<String>>) =
        (wanted.collect(), found.collect());
    if unordered {
        wanted.sort();
        found.sort();
    }
    for (row, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
        for ((column, wanted), found) in columns.iter().zip(wanted).zip(found) {
            if wanted != found {
                return Err(format!(
                    "{:?} row {row}: {found}, TileDB has {wanted}",
                    column.name
                ));
            }
        }
    }
    Ok(())
}

/// Normalizes floats: the shortest decimal text of a 32-bit float is not that of the same 64-bit float.
fn normal(column: &Column, value: Value) -> Value {
    let float = |value: &Value| match (column.datatype.as_str(), value.as_f64()) {
        ("float32", Some(_)) => value
            .to_string()
            .parse::<f32>()
            .map_or(Value::Null, |v| float(v.into())),
        ("float64", Some(v)) => float(v),
        _ => value.clone(),
    };
    match &value {
        Value::Array(values) => Value::Array(values.iter().map(float).collect()),
        other => float(other),
    }
}

fn number(datatype: &str, raw: &[u8]) -> Value {
    let mut wide = [0_u8; 8];
    for (place, byte) in wide.iter_mut().zip(raw) {
        *place = *byte;
    }
    let bits = u64::from_le_bytes(wide);
    let shift = 64 - 8 * u32::try_from(raw.len().clamp(1, 8)).unwrap_or(8);
    match datatype {
        "bool" => Value::Bool(bits != 0),
        "float32" => float(f32::from_bits(u32::try_from(bits).unwrap_or(0)).into()),
        "float64" => float(f64::from_bits(bits)),
        _ if datatype.starts_with("uint") => bits.into(),
        _ => ((bits << shift).cast_signed() >> shift).into(),
    }
}

fn float(value: f64) -> Value {
    if value.is_nan() {
        return Value::String("NaN".into());
    }
    match value {
        f64::INFINITY => Value::String("Infinity".into()),
        f64::NEG_INFINITY => Value::String("-Infinity".into()),
        // Text distinguishes -0 from 0 and 1e300 from 1e301, and does not depend on how the number was written.
        _ => Value::String(format!("{value:?}")),
    }
}

fn size_of(datatype: &str) -> usize {
    match datatype {
        "int8" | "uint8" | "bool" => 1,
        "int16" | "uint16" => 2,
        "int32" | "uint32" | "float32" => 4,
        _ => 8,
    }
}

/// Decodes text of fixed size, without trailing NUL bytes.
fn unpadded(raw: &[u8]) -> Value {
    let last = raw.iter().rposition(|byte| *byte != 0);
    let text = raw.get(..last.map_or(0, |last| last + 1)).unwrap_or(raw);
    std::str::from_utf8(text).map_or_else(|_| hex(raw), Value::from)
}

/// Decodes bytes that may or may not be text.
fn text_or_hex(raw: &[u8]) -> Value {
    std::str::from_utf8(raw).map_or_else(|_| hex(raw), Value::from)
}

fn hex(raw: &[u8]) -> Value {
    let text: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
    serde_json::json!({ "hex": text })
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|c| u8::try_from(c.to_digit(16)?).ok())
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect()
}
