//! Names on the command line: bare or in double quotes, alone or in a comma-separated list.

/// Names of one list. If an option is repeated, its lists are concatenated.
pub(crate) type Names = Vec<String>;

/// Parses `a,b`, `"b,c",d` or `-"order id"`. A name that contains a comma is enclosed in double quotes; a quote
/// inside is doubled.
pub(crate) fn names(text: &str) -> Result<Names, String> {
    let parts = parts(text)?;
    parts.into_iter().map(bare).collect()
}

/// Parses a single name, removing its quotes.
pub(crate) fn name(text: &str) -> Result<String, String> {
    if text.starts_with('"') {
        bare(text)
    } else {
        Ok(text.to_owned())
    }
}

/// Concatenates the lists; `None` if there are none.
pub(crate) fn joined(lists: &[Names]) -> Option<Names> {
    (!lists.is_empty()).then(|| lists.concat())
}

/// Splits at commas outside quotes. A quote opens only at the start of a part, or after a sign, a parenthesis or `=`.
pub(crate) fn parts(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let (mut begin, mut in_quotes) = (0, false);
    let mut before = ',';
    for (at, c) in text.char_indices() {
        match c {
            '"' if in_quotes => in_quotes = false,
            // A quote directly after a closing one is a doubled quote, which reopens the quoted text.
            '"' => {
                let begun = text.get(begin..at).unwrap_or("");
                in_quotes = matches!(begun, "" | "-") || matches!(before, '(' | '=' | '"');
            }
            ',' if !in_quotes => {
                parts.extend(text.get(begin..at));
                begin = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    if in_quotes {
        return Err("unclosed double quote".to_owned());
    }
    parts.extend(text.get(begin..));
    Ok(parts)
}

/// Removes the quotes of a name, before which a sign may stand.
fn bare(text: &str) -> Result<String, String> {
    let (sign, quoted) = match text.strip_prefix("-\"") {
        Some(quoted) => ("-", quoted),
        None => match text.strip_prefix('"') {
            Some(quoted) => ("", quoted),
            None => return Ok(text.to_owned()),
        },
    };
    match unquoted(quoted) {
        Some((name, "")) => Ok(format!("{sign}{name}")),
        Some(_) => Err(format!("more than a name in double quotes: {text}")),
        None => Err(format!("unclosed double quote: {text}")),
    }
}

/// Parses a quoted name after its opening quote. Returns the name and the text after the closing quote; `None` if
/// there is no closing quote.
pub(crate) fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (part, behind) = rest.split_once('"')?;
        name.push_str(part);
        // A doubled quote inside the name.
        match behind.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_holds_a_comma_stands_in_quotes() {
        let of = |text: &str| names(text).unwrap().join("|");
        assert_eq!(of("a,b"), "a|b");
        assert_eq!(of("a"), "a");
        assert_eq!(of(""), "");
        assert_eq!(of("a, b"), "a| b");
        assert_eq!(of("\"b,c\",d"), "b,c|d");
        assert_eq!(of("d,\"order id\""), "d|order id");
        assert_eq!(of("-\"b,c\",-d"), "-b,c|-d");
        assert_eq!(of("\"say \"\"a,b\"\"\",d"), "say \"a,b\"|d");
        assert_eq!(of("\"\"\"\""), "\"");
        assert_eq!(of("\"\""), "");
        // Functions of dates, such as `year(…)`, are parsed later, when the fields are known.
        assert_eq!(of("year(\"b,c\"),d"), "year(\"b,c\")|d");
        assert_eq!(of("5\",6\""), "5\"|6\"");
        assert!(
            names("\"b,c")
                .unwrap_err()
                .contains("unclosed double quote")
        );
        assert!(names("\"b\"c").unwrap_err().contains("more than a name"));
    }

    #[test]
    fn one_name_may_hold_commas() {
        assert_eq!(name("b,c").unwrap(), "b,c");
        assert_eq!(name("\"b,c\"").unwrap(), "b,c");
        assert_eq!(name("-x").unwrap(), "-x");
        assert!(name("\"b").is_err());
    }
}
