//! The text of one cell, before the type of its field is known.

use std::borrow::Cow;

use tdb_schema::value::shortened;

/// The text of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Null,
    /// A CSV field.
    Field(&'a str),
    /// A JSON string.
    Text(&'a str),
    /// A JSON number, `true` or `false`.
    Bare(&'a str),
    /// A JSON list.
    List(&'a str),
    /// A JSON object.
    Object(&'a str),
}

/// Classifies a JSON value; a string with escapes is unescaped into `text`.
pub(crate) fn token_of<'a>(json: &'a str, text: &'a mut Cow<'a, str>) -> Result<Token<'a>, String> {
    Ok(match json.as_bytes().first() {
        Some(b'n') => Token::Null,
        Some(b'[') => Token::List(json),
        Some(b'{') => Token::Object(json),
        Some(b'"') => {
            let plain = json
                .get(1..json.len() - 1)
                .ok_or("is a text without an end")?;
            if !plain.as_bytes().contains(&b'\\') {
                return Ok(Token::Text(plain));
            }
            let unescaped: String =
                serde_json::from_str(json).map_err(|error| error.to_string())?;
            *text = Cow::Owned(unescaped);
            Token::Text(text)
        }
        _ => Token::Bare(json),
    })
}

/// Formats a token for an error, shortened if necessary.
pub(super) fn shown(token: Token<'_>) -> String {
    let (text, quoted) = match token {
        Token::Null => ("null", false),
        Token::Field(text) | Token::Text(text) => (text, true),
        Token::Bare(text) | Token::List(text) | Token::Object(text) => (text, false),
    };
    let text = shortened(text);
    if quoted {
        format!("{text:?}")
    } else {
        text.into_owned()
    }
}
