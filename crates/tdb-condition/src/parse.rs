//! Parses conditions: tests, and the operators that join them.

mod term;
mod test;

use std::collections::HashSet;

use tdb_cells::FieldInfo;
use tdb_tile::{Bug, LimitError, Limits};

use crate::parentheses::term_parentheses;
use crate::refusal::{Refusal, TextError};
use crate::token::{Token, Tokens};
use crate::{Condition, ConditionError, ConditionNode, Term};

impl Condition {
    /// Parses a condition in the syntax of `--where`.
    ///
    /// Comparisons are `= == != <> < <= > >=`, `in (…)`, `not in (…)`, `between a and b`, `like 'a%'`,
    /// `starts with 'a'`, `is null` and `is not null`. They are joined by `not`, `and`, `or` (from strongest to weakest)
    /// and parentheses. Values are numbers, `'text'`, `true`, `false`, `date '…'`, `timestamp '…'` and `x'hex'`. Names
    /// are bare or in double quotes; quotes within quotes are doubled. Both sides of a comparison can be computed with
    /// `+ - * /`, `year(d)`, `month(d)` and `day(d)`.
    ///
    /// # Errors
    /// [`ConditionError::Text`] for a syntax error, [`ConditionError::TooLarge`] if the text is nested too deeply or
    /// has too many parts.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ConditionError> {
        Self::parse_with_places(text, limits).map(|(condition, _)| condition)
    }

    /// Returns the condition and the position of each of its tests in the text, in bytes.
    fn parse_with_places(
        text: &str,
        limits: &Limits,
    ) -> Result<(Self, Vec<usize>), ConditionError> {
        let mut parser = Parser::new(text, limits).map_err(|error| error.in_text(text, 0))?;
        let parsed = parser.run();
        let at = parser.tokens.at();
        let parsed = parsed.map_err(|error| error.in_text(text, at))?;
        check_depth(parsed.written_depth(), limits)
            .map_err(|error| Refusal::from(error).in_text(text, at))?;
        Ok((parsed, parser.places))
    }

    /// Returns the position in the text, in characters from 1, of the first test that does not suit its field; `None`
    /// if there is none, or the text cannot be parsed.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a text has fewer characters than the largest number"
    )]
    pub fn place_of_unfit(text: &str, fields: &[FieldInfo], limits: &Limits) -> Option<usize> {
        let (condition, places) = Self::parse_with_places(text, limits).ok()?;
        let mut tests = condition
            .nodes()
            .iter()
            .filter_map(|node| match node {
                ConditionNode::Test(test) => Some(Self::from(test.clone())),
                ConditionNode::Comparison(comparison) => Some(Self::from(comparison.clone())),
                ConditionNode::And(_) | ConditionNode::Or(_) | ConditionNode::Not => None,
            })
            .zip(places);
        let (_, at) = tests.find(|(test, _)| test.resolve(fields, limits).is_err())?;
        let before = text.get(..at)?.chars().count();
        Some(before + 1)
    }
}

impl Condition {
    /// Returns the position in the text, in characters from 1, where this field is first named.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a text has fewer characters than the largest number"
    )]
    pub fn place_of(text: &str, field: &str) -> Option<usize> {
        let mut tokens = Tokens::new(text).ok()?;
        while *tokens.current() != Token::End {
            if tokens.current().name() == Some(field) {
                let before = text.get(..tokens.at())?.chars().count();
                return Some(before + 1);
            }
            tokens.advance().ok()?;
        }
        None
    }
}

impl Term {
    /// Parses a term, which is computed from fields and values: `a`, `2 * (a + b)`, `"order id" / 10`, `year(day)`.
    ///
    /// ```
    /// use tdb_condition::Term;
    ///
    /// let term = Term::parse("(price - 1) * 1.1", &tdb_tile::Limits::default())?;
    /// assert_eq!(term.fields().collect::<Vec<_>>(), ["price"]);
    /// # Ok::<(), tdb_condition::ConditionError>(())
    /// ```
    ///
    /// # Errors
    /// See [`Condition::parse`].
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ConditionError> {
        let mut parser = Parser::new(text, limits).map_err(|error| error.in_text(text, 0))?;
        let parsed = parser.whole_term();
        let at = parser.tokens.at();
        parsed.map_err(|error| error.in_text(text, at))
    }
}

fn check_depth(depth: u64, limits: &Limits) -> Result<(), LimitError> {
    let limit = limits.condition_depth;
    Limits::check("depth of a condition", "condition_depth", depth, limit)
}

/// An operator or parenthesis that waits for its right operand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Or,
    And,
    Not,
    /// An open parenthesis, with its position in bytes.
    Open(usize),
}

/// Operator-precedence parser with two explicit stacks, so that nesting needs no recursion.
#[derive(Debug)]
struct Parser<'a> {
    tokens: Tokens<'a>,
    /// Positions of the parentheses that enclose terms.
    terms: HashSet<usize>,
    limits: &'a Limits,
    pending: Vec<Pending>,
    done: Vec<Condition>,
    nodes: u64,
    /// Positions of the tests.
    places: Vec<usize>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits) -> Result<Self, Refusal> {
        let tokens = Tokens::new(text)?;
        Ok(Self {
            terms: term_parentheses(tokens.clone(), limits),
            tokens,
            limits,
            pending: Vec::new(),
            done: Vec::new(),
            nodes: 0,
            places: Vec::new(),
        })
    }

    /// Parses a term up to the end of the text.
    fn whole_term(&mut self) -> Result<Term, Refusal> {
        let term = self.term("a field or a value")?;
        if *self.tokens.current() != Token::End {
            return Err(self.wanted("`+`, `-`, `*`, `/` or the end"));
        }
        Ok(term)
    }

    fn run(&mut self) -> Result<Condition, Refusal> {
        loop {
            self.open()?;
            let at = self.tokens.at();
            let test = self.test()?;
            self.push(test, at)?;
            self.close()?;
            if self.tokens.take_word("and")? {
                self.reduce(Pending::And)?;
                self.wait(Pending::And)?;
            } else if self.tokens.take_word("or")? {
                self.reduce(Pending::Or)?;
                self.wait(Pending::Or)?;
            } else {
                return self.finish();
            }
        }
    }

    /// Consumes `not` and opening parentheses before a test.
    fn open(&mut self) -> Result<(), Refusal> {
        loop {
            let at = self.tokens.at();
            if self.tokens.take_word("not")? {
                self.wait(Pending::Not)?;
            } else if matches!(self.tokens.current(), Token::Symbol("("))
                && !self.terms.contains(&at)
            {
                self.tokens.advance()?;
                self.wait(Pending::Open(at))?;
            } else {
                return Ok(());
            }
        }
    }

    /// Consumes the closing parentheses after a test.
    fn close(&mut self) -> Result<(), Refusal> {
        loop {
            let at = self.tokens.at();
            if !self.tokens.take_symbol(")")? {
                return Ok(());
            }
            self.reduce(Pending::Or)?;
            if !matches!(self.pending.pop(), Some(Pending::Open(_))) {
                return Err(TextError {
                    at,
                    what: "this `)` closes nothing".to_owned(),
                }
                .into());
            }
        }
    }

    /// Checks that the text is complete, and returns the condition.
    fn finish(&mut self) -> Result<Condition, Refusal> {
        if *self.tokens.current() != Token::End {
            return Err(self.wanted("`and`, `or` or the end"));
        }
        self.reduce(Pending::Or)?;
        match (self.pending.pop(), self.done.pop()) {
            (None, Some(condition)) if self.done.is_empty() => Ok(condition),
            (Some(Pending::Open(at)), _) => Err(TextError {
                at,
                what: "this `(` is never closed".to_owned(),
            }
            .into()),
            _ => Err(Bug::new("a condition whose tests are not all joined").into()),
        }
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "as many as tokens of a text"
    )]
    fn wait(&mut self, what: Pending) -> Result<(), Refusal> {
        check_depth(self.pending.len() as u64 + 1, self.limits)?;
        self.pending.push(what);
        Ok(())
    }

    fn push(&mut self, test: Condition, at: usize) -> Result<(), Refusal> {
        self.count(test.nodes().len())?;
        let is_test = |node: &&ConditionNode| {
            matches!(node, ConditionNode::Test(_) | ConditionNode::Comparison(_))
        };
        let tests = test.nodes().iter().filter(is_test).count();
        self.places.extend(std::iter::repeat_n(at, tests));
        self.done.push(test);
        Ok(())
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are no more nodes than memory holds"
    )]
    fn count(&mut self, nodes: usize) -> Result<(), Refusal> {
        self.nodes += nodes as u64;
        Limits::check(
            "nodes of a condition",
            "condition_nodes",
            self.nodes,
            self.limits.condition_nodes,
        )?;
        Ok(())
    }

    /// Applies waiting operators that bind at least as strongly as `weakest`.
    fn reduce(&mut self, weakest: Pending) -> Result<(), Bug> {
        while let Some(&pending) = self.pending.last() {
            let binds = match pending {
                Pending::Not => true,
                Pending::And => weakest == Pending::And || weakest == Pending::Or,
                Pending::Or => weakest == Pending::Or,
                Pending::Open(_) => false,
            };
            if !binds {
                return Ok(());
            }
            self.pending.pop();
            let right = self.done.pop();
            let left = self.done.pop_if(|_| pending != Pending::Not);
            let joined = match (pending, left, right) {
                (Pending::And, Some(left), Some(right)) => left.and(right),
                (Pending::Or, Some(left), Some(right)) => left.or(right),
                (Pending::Not, None, Some(right)) => !right,
                _ => return Err(Bug::new("a condition with a joint too many")),
            };
            self.done.push(joined);
        }
        Ok(())
    }

    fn wanted(&self, what: &str) -> Refusal {
        self.wanted_but(what, "")
    }

    fn wanted_but(&self, what: &str, advice: &str) -> Refusal {
        let found = self.tokens.current();
        self.error(format!("wanted {what}, found {found}{advice}"))
            .into()
    }

    fn error(&self, what: impl Into<String>) -> TextError {
        TextError {
            at: self.tokens.at(),
            what: what.into(),
        }
    }
}
