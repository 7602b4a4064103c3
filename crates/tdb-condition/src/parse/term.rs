//! Parses terms, which are computed from fields and values.

use tdb_schema::value::DatePart;
use tdb_tile::Bug;

use super::Parser;
use crate::ast::{Operation, Term, TermPart};
use crate::refusal::{Refusal, TextError};
use crate::token::Token;

/// An operator or parenthesis that waits for its right operand.
#[derive(Clone, Copy, Debug)]
enum Pending {
    Operation(Operation),
    Negate,
    /// An open parenthesis, with its position in bytes and the date part to take of its contents, if any.
    Open(usize, Option<DatePart>),
}

impl Parser<'_> {
    /// Parses by operator precedence with two explicit stacks, so that nesting needs no recursion. `wanted` describes
    /// what is missing if no term begins here.
    pub(super) fn term(&mut self, wanted: &str) -> Result<Term, Refusal> {
        let (mut waiting, mut parts) = (Vec::new(), Vec::new());
        loop {
            self.before_operand(&mut waiting)?;
            let is_first = waiting.is_empty() && parts.is_empty();
            let wanted = if is_first {
                wanted
            } else {
                "a field or a value"
            };
            parts.push(self.operand(wanted)?);
            self.count(1)?;
            while let Token::Symbol(")") = self.tokens.current() {
                let opened = waiting.iter().any(|w| matches!(w, Pending::Open(..)));
                if !opened {
                    break;
                }
                self.tokens.advance()?;
                close(&mut waiting, &mut parts)?;
            }
            let Some(operation) = self.tokens.take_operation()? else {
                break;
            };
            reduce(&mut waiting, &mut parts, operation.strength());
            self.push_waiting(&mut waiting, Pending::Operation(operation))?;
        }
        reduce(&mut waiting, &mut parts, 0);
        match waiting.pop() {
            Some(Pending::Open(at, _)) => Err(TextError {
                at,
                what: "this `(` is never closed".to_owned(),
            }
            .into()),
            Some(_) => Err(Bug::new("a term with an operation too many").into()),
            None => Ok(Term::of_parts(parts)),
        }
    }

    /// Consumes signs, opening parentheses and names of date parts before a value.
    fn before_operand(&mut self, waiting: &mut Vec<Pending>) -> Result<(), Refusal> {
        loop {
            let at = self.tokens.at();
            let part = match self.tokens.current() {
                Token::Word(word) => DatePart::from_name(word),
                _ => None,
            };
            let pending = if self.tokens.take_symbol("-")? {
                Pending::Negate
            } else if self.tokens.take_symbol("(")? {
                Pending::Open(at, None)
            } else if let (Some(part), true) = (part, self.tokens.is_called()) {
                self.tokens.advance()?;
                self.tokens.advance()?;
                Pending::Open(at, Some(part))
            } else {
                return Ok(());
            };
            self.push_waiting(waiting, pending)?;
        }
    }

    /// Parses a field or a value.
    fn operand(&mut self, wanted: &str) -> Result<TermPart, Refusal> {
        let quoted = matches!(self.tokens.current(), Token::Name(_));
        let Some(name) = self.tokens.current().name() else {
            if !self.tokens.current().is_value() && !self.tokens.current().is_word("null") {
                return Err(self.wanted(wanted));
            }
            return self.value().map(TermPart::Value);
        };
        let name = name.to_owned();
        if !quoted && super::test::is_time_word(&name) && self.tokens.is_before_value() {
            return self.value().map(TermPart::Value);
        }
        self.tokens.advance()?;
        Ok(TermPart::Field(name))
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "as many as tokens of a text"
    )]
    fn push_waiting(&self, waiting: &mut Vec<Pending>, what: Pending) -> Result<(), Refusal> {
        let depth = self.pending.len() as u64 + waiting.len() as u64;
        super::check_depth(depth + 1, self.limits)?;
        waiting.push(what);
        Ok(())
    }
}

/// Applies waiting operators, up to the last parenthesis, whose strength is at least `least`.
fn reduce(waiting: &mut Vec<Pending>, parts: &mut Vec<TermPart>, least: u8) {
    loop {
        let binds = |pending: &mut Pending| match pending {
            Pending::Operation(operation) => operation.strength() >= least,
            Pending::Negate => true,
            Pending::Open(..) => false,
        };
        match waiting.pop_if(binds) {
            Some(Pending::Operation(operation)) => parts.push(TermPart::Operation(operation)),
            Some(Pending::Negate) => parts.push(TermPart::Negate),
            Some(Pending::Open(..)) | None => return,
        }
    }
}

/// Completes the contents of the last open parenthesis.
fn close(waiting: &mut Vec<Pending>, parts: &mut Vec<TermPart>) -> Result<(), Bug> {
    reduce(waiting, parts, 0);
    match waiting.pop() {
        Some(Pending::Open(_, part)) => {
            parts.extend(part.map(TermPart::DatePart));
            Ok(())
        }
        _ => Err(Bug::new("a parenthesis of a term that closes nothing")),
    }
}
