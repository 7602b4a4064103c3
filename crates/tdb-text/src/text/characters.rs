//! Cells that are text if their bytes are valid UTF-8: `char`, and strings of fixed size. Other bytes are marked, so
//! that reading them back gives the same bytes.
//!
//! | | text | other bytes |
//! |---|---|---|
//! | CSV | `DP=13` | `0x4450ff` |
//! | JSON | `"DP=13"` | `{"hex":"4450ff"}` |
//!
//! For fields of fixed size, trailing NUL bytes are not part of the text, and are added again when it is read. In CSV,
//! text with control characters, and text that looks like marked bytes, is also written as marked bytes.

use tdb_schema::CellValNum;
use tdb_schema::value::holds_text;
use tdb_tile::Datatype;

use super::quoting::{append_json_text, append_quoted};
use super::syntax::Syntax;

/// Prefix of hexadecimal digits in CSV and on the terminal.
const MARK: &str = "0x";

/// Whether cells of a field of this type are text if they are valid UTF-8.
pub(super) fn is_text_or_bytes(datatype: Datatype, values: CellValNum) -> bool {
    datatype == Datatype::Char || holds_text(datatype) && !values.is_var()
}

/// Appends a cell as text, or as marked bytes. `text` may be shorter than `bytes`, because it has no padding.
pub(super) fn append_text_or_bytes(text: &[u8], bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    let text = std::str::from_utf8(text).ok();
    match (syntax, text) {
        (Syntax::Json, Some(text)) => append_json_text(text, out),
        (Syntax::Json, None) => append_bytes(bytes, syntax, out),
        (Syntax::Csv, Some(text)) if is_readable(text) && marked(text).is_none() => {
            append_quoted(text.as_bytes(), out);
        }
        (Syntax::Plain, Some(text)) if !text.contains(char::is_control) => {
            out.extend_from_slice(text.as_bytes());
        }
        (Syntax::Csv | Syntax::Plain, _) => {
            out.extend_from_slice(MARK.as_bytes());
            append_digits(bytes, out);
        }
    }
}

/// Returns the hexadecimal digits of marked bytes in CSV; `None` for text.
pub(super) fn marked(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(MARK)?;
    let is_bytes = digits.len() % 2 == 0 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_bytes.then_some(digits)
}

/// Whether common CSV programs display this text and preserve it.
fn is_readable(text: &str) -> bool {
    !text.contains(|character: char| character.is_control() && !matches!(character, '\t' | '\n'))
}

/// Appends bytes as hexadecimal digits; in text for people, unchanged if they are valid text.
pub(super) fn append_bytes(bytes: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Plain => append_text_or_bytes(bytes, bytes, syntax, out),
        Syntax::Csv if bytes.is_empty() => out.extend_from_slice(b"\"\""),
        Syntax::Csv => append_digits(bytes, out),
        Syntax::Json => {
            out.extend_from_slice(b"{\"hex\":\"");
            append_digits(bytes, out);
            out.extend_from_slice(b"\"}");
        }
    }
}

/// Appends the hexadecimal digits of bytes.
fn append_digits(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |half: u8| half + if half < 10 { b'0' } else { b'a' - 10 };
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
    out.extend(bytes.iter().flat_map(digits));
}
