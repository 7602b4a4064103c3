//! Fields in quotes, in which quotes are doubled.

use super::block::{Quotes, Span};

/// Returns the number of bytes before the closing quote, and whether there are no doubled quotes among them; `None` if
/// there is no closing quote.
pub(super) fn quoted_len(text: &[u8]) -> Option<(usize, bool)> {
    let (mut at, mut is_plain) = (0_usize, true);
    loop {
        let rest = text.get(at..)?;
        at += rest.iter().position(|&byte| byte == b'"')?;
        if text.get(at + 1) != Some(&b'"') {
            return Some((at, is_plain));
        }
        is_plain = false;
        at += 2;
    }
}

/// Appends a text, replacing doubled quotes by single ones.
pub(super) fn unquote(text: &[u8], out: &mut Vec<u8>) -> Span {
    let start = out.len();
    // Splitting at quotes gives an empty piece between the two quotes of each pair.
    let pieces = text.split(|&byte| byte == b'"').step_by(2);
    for (number, piece) in pieces.enumerate() {
        if number > 0 {
            out.push(b'"');
        }
        out.extend_from_slice(piece);
    }
    Span {
        start,
        end: out.len(),
        quotes: Quotes::Within,
    }
}
