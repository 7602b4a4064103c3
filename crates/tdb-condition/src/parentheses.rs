//! Tells parentheses around terms from those around conditions.

use std::collections::HashSet;

use tdb_tile::Limits;

use crate::token::{Token, Tokens};

/// Words that stand in conditions, and in no term.
const WORDS: [&str; 8] = ["and", "or", "not", "in", "between", "is", "like", "starts"];

/// Where the parentheses that hold terms begin, and not conditions: those without a comparison within them. Once for all of
/// the text, up to what is deeper than a condition may be.
pub(crate) fn term_parentheses(mut tokens: Tokens<'_>, limits: &Limits) -> HashSet<usize> {
    let (mut found, mut open) = (HashSet::new(), Vec::new());
    // So many of the open ones hold a condition.
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
        // What is wrong is told where it is read.
        if tokens.advance().is_err() {
            return found;
        }
    }
}
