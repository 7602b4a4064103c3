//! Reads cells of bytes, which are written as hexadecimal digits or, if possible, as text.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::value::RawValue;

use super::characters::marked;
use super::token::{Token, shown};

/// Appends bytes that are written as text, or marked as hexadecimal digits.
pub(super) fn append_text_or_bytes(
    size: Option<usize>,
    token: Token<'_>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let text = match token {
        Token::Field(text) => match marked(text) {
            Some(digits) => return append_bytes(size, Token::Field(digits), out),
            None => text,
        },
        Token::Text(text) => text,
        Token::Object(_) => return append_bytes(size, token, out),
        token => {
            let shown = shown(token);
            return Err(format!("{shown} is neither text nor {{\"hex\": …}}"));
        }
    };
    check_size(size, text.len())?;
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn check_size(size: Option<usize>, bytes: usize) -> Result<(), String> {
    match size {
        Some(size) if size != bytes => Err(format!("{bytes} bytes, and a cell has {size}")),
        _ => Ok(()),
    }
}

/// Whether a text is a JSON object with the single key `hex`.
pub(super) fn names_digits(text: &str) -> bool {
    let object: Result<HashMap<Cow<'_, str>, &RawValue>, _> = serde_json::from_str(text);
    object.is_ok_and(|object| object.len() == 1 && object.contains_key("hex"))
}

/// Appends bytes that are written as hexadecimal digits.
pub(super) fn append_bytes(
    size: Option<usize>,
    token: Token<'_>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let wrong = || format!("{} is not bytes in hexadecimal digits", shown(token));
    let object: HashMap<Cow<'_, str>, Cow<'_, str>>;
    let digits = match token {
        Token::Field(text) => text,
        Token::Object(text) => {
            object = serde_json::from_str(text).map_err(|_| wrong())?;
            let digits = object.get("hex").filter(|_| object.len() == 1);
            digits.ok_or_else(wrong)?
        }
        _ => {
            return Err(format!(
                "{} is not of the form {{\"hex\": …}}",
                shown(token)
            ));
        }
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    check_size(size, pairs.len())?;
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16)?).ok();
    let start = out.len();
    out.extend(
        pairs
            .iter()
            .map_while(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)),
    );
    if rest.is_empty() && out.len() - start == pairs.len() {
        Ok(())
    } else {
        Err(wrong())
    }
}
