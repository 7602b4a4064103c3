//! Distinguishes parentheses around terms from those around conditions.

use std::collections::HashSet;

use tdb_tile::Limits;

use crate::token::{Token, Tokens};

/// Words that occur only in conditions, never in terms.
const WORDS: [&str; 8] = ["and", "or", "not", "in", "between", "is", "like", "starts"];

/// Returns the positions, in bytes, of opening parentheses that enclose terms rather than conditions: those without a
/// comparison inside. One pass over the whole text, so that the parser need not look ahead at each parenthesis; it
/// stops where parentheses are nested too deeply.
pub(crate) fn term_parentheses(mut tokens: Tokens<'_>, limits: &Limits) -> HashSet<usize> {
    let (mut found, mut open) = (HashSet::new(), Vec::new());
    // Number of open parentheses, outermost first, that are known to contain a condition.
    let mut conditions = 0_usize;
    loop {
        match tokens.current() {
            Token::End => return found,
            Token::Symbol("(") if open.len() as u64 > limits.condition_depth => return found,
            Token::Symbol("(") => open.push(tokens.at()),
            Token::Symbol(")") => {
                let begun = open.pop();
                found.extend(begun.filter(|_| open.len() >= conditions));
                conditions = conditions.min(open.len());
            }
            Token::Symbol("+" | "-" | "*" | "/") => {}
            Token::Symbol(_) => conditions = open.len(),
            word if WORDS.iter().any(|known| word.is_word(known)) => conditions = open.len(),
            _ => {}
        }
        // The parser reports the error.
        if tokens.advance().is_err() {
            return found;
        }
    }
}
