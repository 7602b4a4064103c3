//! Descriptions of schemas in TileDB's layout: programs print them, and some look into them.

use std::fmt::Write as _;

use tdb::engine::filters::{FilterList, FilterRecord, OptionValue, Registry, describe};
use tdb::engine::schema::value::holds_bytes;
use tdb::engine::schema::{
    ArraySchema, Attribute, CellValNum, DataOrder, Dimension, DimensionLabel, Enumeration,
};
use tdb::engine::tile::{Code as _, Datatype, FormatVersion, Range, Scalar, with_scalar};

use crate::constants::*;
use crate::datatypes::title;
use crate::names::filter_name;

/// Describes the fields of a schema; enumerations, labels and the current domain follow.
pub(crate) fn schema(schema: &ArraySchema) -> String {
    let mut out = String::new();
    line(&mut out, "Array type", schema.array_type.name());
    line(&mut out, "Cell order", schema.cell_order.name());
    line(&mut out, "Tile order", schema.tile_order.name());
    line(&mut out, "Capacity", schema.capacity.to_string());
    line(
        &mut out,
        "Allows duplicates",
        flag(schema.allows_duplicates),
    );
    line(
        &mut out,
        "Coordinates filters",
        filters(&schema.coords_filters),
    );
    line(
        &mut out,
        "Offsets filters",
        filters(&schema.offsets_filters),
    );
    let validity = filters(&schema.validity_filters);
    // Without dimensions there is no line's end here, and no empty line before the current domain.
    let _ = write!(out, "- Validity filters: {validity}");
    if !schema.dimensions.is_empty() {
        out.push('\n');
        out.push_str(&dimensions(&schema.dimensions));
    }
    for one in &schema.attributes {
        out.push('\n');
        out.push_str(&attribute(one));
    }
    out
}

/// Describes an attribute.
pub(crate) fn attribute(attribute: &Attribute) -> String {
    let mut out = head("Attribute", &attribute.name, attribute.datatype);
    line(&mut out, "Nullable", flag(attribute.nullable));
    line(&mut out, "Cell val num", values(attribute.cell_val_num));
    line(&mut out, "Filters", filters(&attribute.filters));
    let fill = elements(attribute.datatype, &attribute.fill).join(", ");
    line(&mut out, "Fill value", fill);
    if attribute.nullable {
        let valid = u8::from(attribute.fill_valid).to_string();
        line(&mut out, "Fill value validity", valid);
    }
    if attribute.order != DataOrder::Unordered {
        line(&mut out, "Data ordering", attribute.order.name());
    }
    if let Some(name) = &attribute.enumeration {
        line(&mut out, "Enumeration name", name);
    }
    out
}

/// Describes a dimension.
pub(crate) fn dimension(dimension: &Dimension) -> String {
    let mut out = head("Dimension", &dimension.name, dimension.datatype);
    line(&mut out, "Cell val num", values(dimension.cell_val_num));
    let (domain, extent) = domain_and_extent(dimension);
    line(&mut out, "Domain", domain);
    line(&mut out, "Tile extent", extent);
    line(&mut out, "Filters", filters(&dimension.filters));
    out
}

/// Returns the domain and the tile extent of a dimension as texts.
pub(crate) fn domain_and_extent(dimension: &Dimension) -> (String, String) {
    let datatype = dimension.datatype;
    let domain = range(datatype, dimension.domain.as_ref());
    let extent = match &dimension.extent {
        Some(extent) => elements(datatype, extent).join(", "),
        None => NULL.to_owned(),
    };
    (domain, extent)
}

/// Describes dimensions.
pub(crate) fn dimensions(all: &[Dimension]) -> String {
    all.iter()
        .map(|one| format!("\n{}", dimension(one)))
        .collect()
}

/// Describes an enumeration with its values.
pub(crate) fn enumeration(enumeration: &Enumeration) -> String {
    let mut out = head("Enumeration", enumeration.name(), enumeration.datatype());
    let number = u32::from(enumeration.cell_val_num()).to_string();
    line(&mut out, "Cell Val Num", number);
    line(&mut out, "Ordered", flag(enumeration.is_ordered()));
    line(&mut out, "Element Count", enumeration.len().to_string());
    out
}

/// Describes an enumeration whose values were not read.
pub(crate) fn unread_enumeration(name: &str) -> String {
    let mut out = "### Enumeration ###\n".to_owned();
    line(&mut out, "Name", name);
    line(&mut out, "Loaded", "false");
    out
}

/// Describes a dimension label.
pub(crate) fn label(label: &DimensionLabel) -> String {
    let mut out = "### Dimension Label ###\n".to_owned();
    line(&mut out, "Dimension Index", label.dimension.to_string());
    line(&mut out, "Dimension Label Name", &label.name);
    line(&mut out, "URI", &label.uri);
    line(&mut out, "Label Attribute Name", &label.name);
    line(&mut out, "Label Type", title(label.datatype));
    line(&mut out, "Label cell val num", values(label.cell_val_num));
    out
}

/// Describes a current domain, with the description of its rectangle.
pub(crate) fn current_domain(rectangle: Option<String>) -> String {
    let mut out = "### Current domain ###\n".to_owned();
    line(&mut out, "Version", "0");
    line(
        &mut out,
        "Empty",
        if rectangle.is_some() { "0" } else { "1" },
    );
    if let Some(rectangle) = rectangle {
        line(&mut out, "Type", "NDRECTANGLE");
        out.push_str(&rectangle);
    }
    out
}

/// Describes the ranges of a rectangle.
pub(crate) fn ranges<'a>(ranges: impl Iterator<Item = (Datatype, Option<&'a Range>)>) -> String {
    let mut out = " - NDRectangle ###\n".to_owned();
    for (datatype, one) in ranges {
        let _ = writeln!(out, "  - {}", range(datatype, one));
    }
    out
}

const NULL: &str = "null";

fn head(what: &str, name: &str, datatype: Datatype) -> String {
    let mut out = format!("### {what} ###\n");
    line(&mut out, "Name", name);
    line(&mut out, "Type", title(datatype));
    out
}

fn line(out: &mut String, what: &str, value: impl AsRef<str>) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "- {what}: {}", value.as_ref());
}

fn flag(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

fn values(number: CellValNum) -> String {
    number.fixed().map_or("var".to_owned(), |n| n.to_string())
}

/// Returns the number of filters, and the filters, each in a line of its own.
pub(crate) fn filters(list: &FilterList) -> String {
    let all = list
        .filters
        .iter()
        .map(|record| format!("\n  > {}", filter(record)));
    format!("{}{}", list.filters.len(), all.collect::<String>())
}

fn filter(record: &FilterRecord) -> String {
    let description = describe(record, FormatVersion::WRITTEN, Registry::builtin());
    let options = description.map_or_else(|_| Vec::new(), |description| description.options);
    let option = |name: &str| {
        let found = options.iter().find(|(known, _)| known == name);
        found.map_or_else(String::new, |(_, value)| option_text(value))
    };
    match tiledb_filter_type_t::from(record.code) {
        TILEDB_FILTER_NONE => "NoOp".to_owned(),
        TILEDB_FILTER_BIT_WIDTH_REDUCTION => {
            format!(
                "BitWidthReduction: BIT_WIDTH_MAX_WINDOW={}",
                option("window")
            )
        }
        TILEDB_FILTER_POSITIVE_DELTA => {
            format!(
                "PositiveDelta: POSITIVE_DELTA_MAX_WINDOW={}",
                option("window")
            )
        }
        TILEDB_FILTER_BITSHUFFLE => "BitShuffle".to_owned(),
        TILEDB_FILTER_BYTESHUFFLE => "ByteShuffle".to_owned(),
        TILEDB_FILTER_CHECKSUM_MD5 => "ChecksumMD5".to_owned(),
        TILEDB_FILTER_CHECKSUM_SHA256 => "ChecksumSHA256".to_owned(),
        TILEDB_FILTER_XOR => "XORFilter".to_owned(),
        TILEDB_FILTER_WEBP => "WebpFilter".to_owned(),
        TILEDB_FILTER_SCALE_FLOAT => format!(
            "FloatScalingFilter: BYTE_WIDTH={}, SCALE={}, OFFSET={}",
            option("byte_width"),
            option("scale"),
            option("offset")
        ),
        TILEDB_FILTER_DELTA | TILEDB_FILTER_DOUBLE_DELTA => format!(
            "{}: COMPRESSION_LEVEL={}, REINTERPRET_DATATYPE={}",
            filter_name(record.code),
            option("level"),
            option("reinterpret").to_uppercase()
        ),
        TILEDB_FILTER_GZIP
        | TILEDB_FILTER_ZSTD
        | TILEDB_FILTER_LZ4
        | TILEDB_FILTER_RLE
        | TILEDB_FILTER_BZIP2
        | TILEDB_FILTER_DICTIONARY => {
            let name = filter_name(record.code);
            format!("{name}: COMPRESSION_LEVEL={}", option("level"))
        }
        _ => "EncryptionAES256GCM".to_owned(),
    }
}

fn option_text(value: &OptionValue) -> String {
    match value {
        OptionValue::Real(value) => real(*value),
        other => other.to_string(),
    }
}

fn range(datatype: Datatype, range: Option<&Range>) -> String {
    let Some(range) = range else {
        return NULL.to_owned();
    };
    if datatype == Datatype::StringAscii {
        let text = String::from_utf8_lossy;
        return format!("[{}, {}]", text(&range.lo), text(&range.hi));
    }
    let end = |bytes| elements(datatype, bytes).join(", ");
    format!("[{}, {}]", end(&range.lo), end(&range.hi))
}

/// Returns the values of a cell as texts.
fn elements(datatype: Datatype, bytes: &[u8]) -> Vec<String> {
    let size = datatype.size();
    bytes
        .chunks_exact(size)
        .map(|value| element(datatype, value))
        .collect()
}

fn element(datatype: Datatype, bytes: &[u8]) -> String {
    if datatype.is_real() {
        let value = if datatype == Datatype::Float32 {
            f32::read(bytes).map(f64::from)
        } else {
            f64::read(bytes)
        };
        return value.map_or_else(String::new, real);
    }
    if holds_bytes(datatype) {
        return character(datatype, bytes);
    }
    with_scalar!(datatype, T => T::read(bytes).map_or_else(String::new, |value| value.to_string()))
}

/// Returns a character if it can be printed, else its number.
fn character(datatype: Datatype, bytes: &[u8]) -> String {
    let number = bytes
        .iter()
        .rev()
        .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let printed = u8::try_from(number)
        .ok()
        .filter(|byte| (b' '..=b'~').contains(byte));
    match printed {
        Some(byte) => char::from(byte).to_string(),
        None if datatype.is_byte_like() => {
            char::from_u32(number).map_or_else(String::new, String::from)
        }
        None => format!("\\x{number:0width$x}", width = bytes.len() * 2),
    }
}

/// Returns a number with six digits, as C's `%g` prints it.
fn real(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() {
            "-nan"
        } else {
            "nan"
        }
        .to_owned();
    }
    if !value.is_finite() {
        return if value < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let rounded = format!("{value:.5e}");
    let Some((digits, power)) = rounded.split_once('e') else {
        return rounded;
    };
    let Ok(power) = power.parse::<i32>() else {
        return rounded;
    };
    let short = |digits: &str| {
        if !digits.contains('.') {
            return digits.to_owned();
        }
        digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    };
    // From 0.0001 to 999999, six digits take as many decimals.
    let mut decimals = (0_usize..10).rev().zip(-4..6);
    if let Some((decimals, _)) = decimals.find(|(_, known)| *known == power) {
        return short(&format!("{value:.decimals$}"));
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", short(digits), power.unsigned_abs())
}
