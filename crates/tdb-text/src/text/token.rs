//! What a text has for a cell.

use std::borrow::Cow;

/// What stands in a text for one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Null,
    /// What stands between the commas of CSV.
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

/// What a JSON value is; `text` holds a string that had to be put together.
pub(crate) fn token_of<'a>(json: &'a str, text: &'a mut Cow<'a, str>) -> Result<Token<'a>, String> {
    Ok(match json.as_bytes().first() {
        Some(b'n') => Token::Null,
        Some(b'[') => Token::List(json),
        Some(b'{') => Token::Object(json),
        Some(b'"') => {
            let plain = json.get(1..json.len().saturating_sub(1));
            let plain = plain.ok_or("is a text without an end")?;
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

/// A token in an error, cut where it is long.
pub(super) fn shown(token: Token<'_>) -> String {
    const MOST: usize = 40;
    let (text, quoted) = match token {
        Token::Null => ("null", false),
        Token::Field(text) | Token::Text(text) => (text, true),
        Token::Bare(text) | Token::List(text) | Token::Object(text) => (text, false),
    };
    let cut: String = text.chars().take(MOST).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    if quoted {
        format!("{:?}", format!("{cut}{more}"))
    } else {
        format!("{cut}{more}")
    }
}
