//! Parses one test of a field, and the values in it.

use tdb_schema::value::Moment;
use tdb_tile::Bug;

use super::Parser;
use crate::ast::{Term, TermPart};
use crate::refusal::{Refusal, TextError};
use crate::token::Token;
use crate::{CompareOp, Condition, FieldCondition, Literal, Pattern, Test};

/// Description of the token after the left side of a test, for errors.
const OPERATOR: &str = "an operator such as `=` or `in`";

impl Parser<'_> {
    /// Parses a test of one field, or a comparison of terms.
    pub(super) fn test(&mut self) -> Result<Condition, Refusal> {
        let left = self.term("the name of a field")?;
        match left.parts() {
            [TermPart::Field(name)] => {
                let field = Condition::field(name);
                self.test_of(field)
            }
            parts => {
                let is_value = matches!(parts, [TermPart::Value(_)]);
                let op = self.operator()?;
                let right = self.right_term()?;
                if is_value && right.fields().next().is_none() {
                    let what = "a test of values alone: one side names a field".to_owned();
                    return Err(self.error(what).into());
                }
                Ok(left.compare(op, right))
            }
        }
    }

    /// Parses the term after an operator.
    fn right_term(&mut self) -> Result<Term, Refusal> {
        self.check_date()?;
        self.term("a value")
    }

    /// Parses the test after the name of a field.
    fn test_of(&mut self, field: FieldCondition) -> Result<Condition, Refusal> {
        if self.tokens.take_word("is")? {
            let negated = self.tokens.take_word("not")?;
            if !self.tokens.take_word("null")? {
                return Err(self.wanted("`null`"));
            }
            return Ok(if negated {
                field.is_not_null()
            } else {
                field.is_null()
            });
        }
        let negated = self.tokens.take_word("not")?;
        if self.tokens.take_word("in")? {
            let members = self.members()?;
            return Ok(field.ask(if negated {
                Test::NotIn(members)
            } else {
                Test::In(members)
            }));
        }
        if self.tokens.take_word("between")? {
            let lo = self.value()?;
            if !self.tokens.take_word("and")? {
                return Err(self.wanted("`and`"));
            }
            let between = field.between(lo, self.value()?);
            return Ok(if negated { !between } else { between });
        }
        if self.tokens.take_word("like")? {
            let pattern = self.pattern()?;
            return Ok(field.ask(if negated {
                Test::NotLike(pattern)
            } else {
                Test::Like(pattern)
            }));
        }
        if self.tokens.take_word("starts")? {
            let prefix = self.prefix()?;
            return Ok(field.ask(if negated {
                Test::NotStartsWith(prefix)
            } else {
                Test::StartsWith(prefix)
            }));
        }
        if negated {
            return Err(self.wanted("`in`, `between`, `like` or `starts with`"));
        }
        if self.tokens.current().name().is_some() {
            let advice = "; a name with spaces stands in \"double quotes\"";
            return Err(self.wanted_but(OPERATOR, advice));
        }
        let op = self.operator()?;
        let right = self.right_term()?;
        Ok(Term::from(field).compare(op, right))
    }

    /// Parses the pattern after `like`.
    fn pattern(&mut self) -> Result<Pattern, Refusal> {
        let at = self.tokens.at();
        let text = self.text("a pattern such as 'a%'")?;
        let mut pattern = Pattern::new(text);
        if self.tokens.take_word("escape")? {
            let at_escape = self.tokens.at();
            let escape = self.text("a character such as '\\'")?;
            let mut characters = escape.chars();
            let (Some(escape), None) = (characters.next(), characters.next()) else {
                let what = "wanted one character behind `escape`".to_owned();
                return Err(TextError {
                    at: at_escape,
                    what,
                }
                .into());
            };
            pattern = pattern.escaped_by(escape);
        }
        if pattern.compile(true, false).is_none() {
            let what = "the escape character stands before something else than `%`, `_` or itself"
                .to_owned();
            return Err(TextError { at, what }.into());
        }
        Ok(pattern)
    }

    /// Parses the prefix after `starts`.
    fn prefix(&mut self) -> Result<Literal, Refusal> {
        if !self.tokens.take_word("with")? {
            return Err(self.wanted("`with`, as in starts with 'a'"));
        }
        if let Token::Bytes(bytes) = self.tokens.current() {
            let bytes = bytes.clone();
            self.tokens.advance()?;
            return Ok(Literal::Bytes(bytes));
        }
        self.text("text such as 'a'").map(Literal::Text)
    }

    fn text(&mut self, wanted: &str) -> Result<String, Refusal> {
        let Token::Text(text) = self.tokens.current() else {
            return Err(self.wanted(wanted));
        };
        let text = text.clone();
        self.tokens.advance()?;
        Ok(text)
    }

    fn operator(&mut self) -> Result<CompareOp, Refusal> {
        let op = match self.tokens.current() {
            Token::Symbol("=" | "==") => CompareOp::Eq,
            Token::Symbol("!=" | "<>") => CompareOp::Ne,
            Token::Symbol("<") => CompareOp::Lt,
            Token::Symbol("<=") => CompareOp::Le,
            Token::Symbol(">") => CompareOp::Gt,
            Token::Symbol(">=") => CompareOp::Ge,
            _ => return Err(self.wanted(OPERATOR)),
        };
        self.tokens.advance()?;
        Ok(op)
    }

    /// Parses the list after `in`.
    fn members(&mut self) -> Result<Vec<Literal>, Refusal> {
        if !self.tokens.take_symbol("(")? {
            return Err(self.wanted("`(`"));
        }
        let mut members = Vec::new();
        if self.tokens.take_symbol(")")? {
            return Ok(members);
        }
        loop {
            self.count(1)?;
            members.push(self.value()?);
            if self.tokens.take_symbol(")")? {
                return Ok(members);
            }
            if !self.tokens.take_symbol(",")? {
                return Err(self.wanted("`,` or `)`"));
            }
        }
    }

    /// Fails if the next tokens are a date without quotes.
    fn check_date(&self) -> Result<(), Refusal> {
        if let Some(date) = self.tokens.bare_date() {
            let what = format!("a date stands in 'single quotes': '{date}'");
            return Err(self.error(what).into());
        }
        Ok(())
    }

    pub(super) fn value(&mut self) -> Result<Literal, Refusal> {
        let current = self.tokens.current();
        if current.is_word("null") {
            return Err(self
                .error("no value equals null; ask `is null` or `is not null`")
                .into());
        }
        match current {
            Token::Word(word) if is_time_word(word) => {
                let word = word.clone();
                self.tokens.advance()?;
                return self.time(&word);
            }
            _ if current.is_value() => {}
            _ if current.name().is_some() => {
                return Err(self.wanted_but("a value", "; text stands in 'single quotes'"));
            }
            _ => return Err(self.wanted("a value")),
        }
        self.check_date()?;
        Ok(match self.tokens.advance()? {
            Token::Number(number) => number_literal(&number)?,
            Token::Text(text) => Literal::Text(text),
            Token::Bytes(bytes) => Literal::Bytes(bytes),
            token if token.is_word("true") => Literal::Bool(true),
            token if token.is_word("false") => Literal::Bool(false),
            _ => return Err(Bug::new("a value in a condition that is none").into()),
        })
    }

    /// Parses the text after `date` or `timestamp`.
    fn time(&mut self, word: &str) -> Result<Literal, Refusal> {
        let date = word.eq_ignore_ascii_case("date");
        let Token::Text(text) = self.tokens.current() else {
            return Err(self.wanted(&format!("text after `{word}`, as in {word} '2024-02-29'")));
        };
        let moment = if date && text.contains(['T', 't', ' ']) {
            None
        } else {
            Moment::parse(text)
        };
        let Some(moment) = moment else {
            let form = if date {
                "2024-02-29"
            } else {
                "2024-02-29T12:30:00.5"
            };
            return Err(self
                .error(format!("'{text}' is not a {word}; write it like {form}"))
                .into());
        };
        let literal = if date {
            Literal::Date(text.clone())
        } else {
            Literal::Moment(moment)
        };
        self.tokens.advance()?;
        Ok(literal)
    }
}

pub(super) fn is_time_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("date") || word.eq_ignore_ascii_case("timestamp")
}

/// Parses a number. Whole numbers beyond 128 bits become floats, which is exact enough: they exceed every type of
/// field.
fn number_literal(number: &str) -> Result<Literal, Bug> {
    if let Ok(integer) = number.parse() {
        return Ok(Literal::Integer(integer));
    }
    let float = number.parse().map(Literal::Float);
    float.map_err(|_| Bug::new("a number in a condition that is none"))
}
