//! Quotes texts for CSV and JSON.

use std::io::Write;

/// Appends a text for CSV, in quotes if necessary; quotes inside are doubled. NUL must be in quotes to be read back.
pub(crate) fn append_quoted(text: &[u8], out: &mut Vec<u8>) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r' | 0);
    let spaced = text.first() == Some(&b' ') || text.last() == Some(&b' ');
    if !text.is_empty() && !spaced && !any(text, special) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for (number, piece) in text.split(|&byte| byte == b'"').enumerate() {
        out.extend_from_slice(if number == 0 { b"" } else { b"\"\"" });
        out.extend_from_slice(piece);
    }
    out.push(b'"');
}

/// Appends a JSON string; control characters are escaped.
pub(crate) fn append_json_text(text: &str, out: &mut Vec<u8>) {
    let (bytes, escaped) = (text.as_bytes(), |byte: &u8| {
        *byte < b' ' || matches!(byte, b'"' | b'\\' | 0x7f)
    });
    out.push(b'"');
    if !any(bytes, escaped) {
        out.extend_from_slice(bytes);
        out.push(b'"');
        return;
    }
    for piece in bytes.split_inclusive(escaped) {
        let (last, plain) = match piece.split_last() {
            Some((last, plain)) if escaped(last) => (Some(*last), plain),
            _ => (None, piece),
        };
        out.extend_from_slice(plain);
        // Writing to memory cannot fail.
        let _ = match last {
            None => Ok(()),
            Some(b'"') => out.write_all(b"\\\""),
            Some(b'\\') => out.write_all(b"\\\\"),
            Some(b'\n') => out.write_all(b"\\n"),
            Some(b'\r') => out.write_all(b"\\r"),
            Some(b'\t') => out.write_all(b"\\t"),
            Some(byte) => write!(out, "\\u{byte:04x}"),
        };
    }
    out.push(b'"');
}

/// Whether the test holds for any byte. Without an early exit, so that the compiler can vectorize it.
fn any(bytes: &[u8], test: impl Fn(&u8) -> bool) -> bool {
    bytes.iter().fold(false, |found, byte| found | test(byte))
}
