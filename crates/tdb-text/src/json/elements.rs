//! Reads the elements of a JSON array one by one, so that a file with one array is read like JSON lines.

use std::io::{self, BufRead};

/// Position of the reader in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// After the opening bracket.
    Start,
    /// After an element.
    Between,
    /// After the closing bracket.
    End,
}

/// Result of searching the next element.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ElementSearch {
    Element,
    None,
    /// The element is larger than allowed.
    TooLarge,
    /// The text between elements is invalid.
    Wrong(&'static str),
}

/// Reads the next element of an array into `text`, without parsing its contents. Stops once it is larger than `most`
/// bytes.
pub(super) fn next_element(
    input: &mut impl BufRead,
    at: &mut At,
    text: &mut Vec<u8>,
    most: usize,
) -> io::Result<ElementSearch> {
    let mut is_due = *at == At::Start;
    loop {
        let Some(byte) = peek(input)? else {
            return Ok(match at {
                At::End => ElementSearch::None,
                _ => ElementSearch::Wrong("the array has no end"),
            });
        };
        match byte {
            _ if byte.is_ascii_whitespace() => input.consume(1),
            _ if *at == At::End => {
                return Ok(ElementSearch::Wrong("something stands behind the array"));
            }
            b',' if !is_due => {
                input.consume(1);
                is_due = true;
            }
            b']' if *at == At::Start || !is_due => {
                input.consume(1);
                *at = At::End;
            }
            b',' | b']' => return Ok(ElementSearch::Wrong("an element of the array is missing")),
            _ if !is_due => {
                return Ok(ElementSearch::Wrong(
                    "a comma is missing between elements of the array",
                ));
            }
            _ => break,
        }
    }
    *at = At::Between;
    Ok(if copy_element(input, text, most)? {
        ElementSearch::Element
    } else {
        ElementSearch::TooLarge
    })
}

/// Returns the next byte without consuming it.
pub(super) fn peek(input: &mut impl BufRead) -> io::Result<Option<u8>> {
    Ok(input.fill_buf()?.first().copied())
}

/// Copies up to the comma or bracket that ends the element, which is not nested in other brackets or quotes; returns
/// whether the element is at most `most` bytes.
fn copy_element(input: &mut impl BufRead, text: &mut Vec<u8>, most: usize) -> io::Result<bool> {
    let (mut depth, mut in_quotes, mut is_escaped) = (0_u64, false, false);
    loop {
        let part = input.fill_buf()?;
        if part.is_empty() {
            return Ok(true);
        }
        let mut end = None;
        for (place, byte) in part.iter().enumerate() {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if in_quotes => is_escaped = true,
                b'"' => in_quotes = !in_quotes,
                _ if in_quotes => {}
                b'{' | b'[' => depth += 1,
                b',' | b']' if depth == 0 => {
                    end = Some(place);
                    break;
                }
                b'}' | b']' if depth > 0 => depth -= 1,
                _ => {}
            }
        }
        let len = end.unwrap_or(part.len());
        text.extend(part.iter().take(len));
        input.consume(len);
        if text.len() > most {
            return Ok(false);
        }
        if end.is_some() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str) -> Result<Vec<String>, ElementSearch> {
        let (mut input, mut at) = (
            std::io::BufReader::with_capacity(3, text.as_bytes()),
            At::Start,
        );
        let mut found = Vec::new();
        loop {
            let mut text = Vec::new();
            let next = next_element(&mut input, &mut at, &mut text, 100);
            match next.expect("memory does not fail") {
                ElementSearch::Element => found.push(String::from_utf8(text).expect("text")),
                ElementSearch::None => return Ok(found),
                wrong => return Err(wrong),
            }
        }
    }

    #[test]
    fn elements_end_at_the_commas_of_the_array_itself() {
        let found = elements(r#" {"a":[1,2],"b":"],{\""} , 7,[]]  "#).expect("an array");
        assert_eq!(found, [r#"{"a":[1,2],"b":"],{\""} "#, "7", "[]"]);
        assert!(elements(" ]").expect("nothing").is_empty());
    }

    #[test]
    fn what_is_no_array_is_told() {
        for text in ["1", "1,", "1,]", ",1]", "1] 2"] {
            assert!(
                matches!(elements(text), Err(ElementSearch::Wrong(_))),
                "{text}"
            );
        }
        let long = format!("{:?}]", "x".repeat(200));
        assert_eq!(elements(&long), Err(ElementSearch::TooLarge));
    }
}
