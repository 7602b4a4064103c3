use tdb_schema::value::Moment;
use tdb_tile::Limits;

use crate::token::{Token, Tokens};
use crate::{CompareOp, Condition, ConditionError, FieldCondition, Literal, Test};

impl Condition {
    /// Reads a condition as `--where` takes it.
    ///
    /// Comparisons `= == != <> < <= > >=`, `in (…)`, `not in (…)`, `between a and b`, `is null`, `is not null`,
    /// joined by `not`, `and`, `or` (in this order of strength) and parentheses. Values are numbers, `'text'`,
    /// `true`, `false`, `date '…'`, `timestamp '…'` and `x'hex'`; names are bare or in double quotes; a quote
    /// within quotes is doubled.
    ///
    /// # Errors
    /// [`ConditionError::Text`] where the text breaks the grammar, [`ConditionError::Limit`] where it is too deep
    /// or too long.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, ConditionError> {
        let parsed = Parser::new(text, limits).and_then(Parser::run);
        parsed.map_err(|error| error.in_text(text))
    }
}

impl Condition {
    /// Where a text that [`Condition::parse`] reads first names this field, counted in characters from 1.
    #[must_use]
    pub fn place_of(text: &str, field: &str) -> Option<usize> {
        let mut tokens = Tokens::new(text).ok()?;
        while *tokens.current() != Token::End {
            if tokens.current().name() == Some(field) {
                let before = text.get(..tokens.at())?.chars().count();
                return Some(before.saturating_add(1));
            }
            tokens.advance().ok()?;
        }
        None
    }
}

/// What is wrong with a text, and where, in bytes.
#[derive(Debug)]
pub(crate) struct TextError {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// Why a text is refused.
#[derive(Debug)]
enum Refusal {
    Text(TextError),
    Limit(tdb_tile::LimitError),
}

impl Refusal {
    fn in_text(self, text: &str) -> ConditionError {
        match self {
            Self::Text(TextError { at, what }) => {
                let before = text.get(..at).unwrap_or(text).chars().count();
                ConditionError::Text {
                    at: before.saturating_add(1),
                    what,
                }
            }
            Self::Limit(error) => error.into(),
        }
    }
}

impl From<TextError> for Refusal {
    fn from(error: TextError) -> Self {
        Self::Text(error)
    }
}

impl From<tdb_tile::LimitError> for Refusal {
    fn from(error: tdb_tile::LimitError) -> Self {
        Self::Limit(error)
    }
}

/// What waits for the condition to its right.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pending {
    Or,
    And,
    Not,
    /// A parenthesis, and where it stands.
    Open(usize),
}

/// Reads by precedence with two stacks, so that depth costs no recursion.
#[derive(Debug)]
struct Parser<'a> {
    tokens: Tokens<'a>,
    limits: &'a Limits,
    pending: Vec<Pending>,
    done: Vec<Condition>,
    nodes: u64,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, limits: &'a Limits) -> Result<Self, Refusal> {
        let tokens = Tokens::new(text)?;
        Ok(Self {
            tokens,
            limits,
            pending: Vec::new(),
            done: Vec::new(),
            nodes: 0,
        })
    }

    fn run(mut self) -> Result<Condition, Refusal> {
        loop {
            self.open()?;
            let test = self.test()?;
            self.push(test)?;
            self.close()?;
            if self.tokens.take_word("and")? {
                self.reduce(Pending::And);
                self.wait(Pending::And)?;
            } else if self.tokens.take_word("or")? {
                self.reduce(Pending::Or);
                self.wait(Pending::Or)?;
            } else {
                return self.finish();
            }
        }
    }

    /// Takes what may stand before a test.
    fn open(&mut self) -> Result<(), Refusal> {
        loop {
            let at = self.tokens.at();
            if self.tokens.take_word("not")? {
                self.wait(Pending::Not)?;
            } else if self.tokens.take_symbol("(")? {
                self.wait(Pending::Open(at))?;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes the closing parentheses after a test.
    fn close(&mut self) -> Result<(), Refusal> {
        loop {
            let at = self.tokens.at();
            if !self.tokens.take_symbol(")")? {
                return Ok(());
            }
            self.reduce(Pending::Or);
            if !matches!(self.pending.pop(), Some(Pending::Open(_))) {
                return Err(TextError {
                    at,
                    what: "this `)` closes nothing".to_owned(),
                }
                .into());
            }
        }
    }

    /// What stands between parentheses, or the whole, is complete.
    fn finish(mut self) -> Result<Condition, Refusal> {
        if *self.tokens.current() != Token::End {
            return Err(self.wanted("`and`, `or` or the end"));
        }
        self.reduce(Pending::Or);
        match (self.pending.pop(), self.done.pop()) {
            (None, Some(condition)) => Ok(condition),
            (Some(Pending::Open(at)), _) => Err(TextError {
                at,
                what: "this `(` is never closed".to_owned(),
            }
            .into()),
            _ => Err(self.wanted("a condition")),
        }
    }

    fn wait(&mut self, what: Pending) -> Result<(), Refusal> {
        let depth = (self.pending.len() as u64).saturating_add(1);
        Limits::check(
            "depth of a condition",
            "condition_depth",
            depth,
            self.limits.condition_depth,
        )?;
        self.pending.push(what);
        Ok(())
    }

    fn push(&mut self, test: Condition) -> Result<(), Refusal> {
        self.count(test.nodes().len())?;
        self.done.push(test);
        Ok(())
    }

    fn count(&mut self, nodes: usize) -> Result<(), Refusal> {
        self.nodes = self.nodes.saturating_add(nodes as u64);
        Limits::check(
            "nodes of a condition",
            "condition_nodes",
            self.nodes,
            self.limits.condition_nodes,
        )?;
        Ok(())
    }

    /// Does what waits and binds at least as strongly as `weakest`.
    fn reduce(&mut self, weakest: Pending) {
        while let Some(&pending) = self.pending.last() {
            let binds = match pending {
                Pending::Not => true,
                Pending::And => weakest == Pending::And || weakest == Pending::Or,
                Pending::Or => weakest == Pending::Or,
                Pending::Open(_) => false,
            };
            if !binds {
                return;
            }
            self.pending.pop();
            let Some(right) = self.done.pop() else { return };
            let joined = match (pending, self.done.pop_if(|_| pending != Pending::Not)) {
                (Pending::And, Some(left)) => left.and(right),
                (Pending::Or, Some(left)) => left.or(right),
                _ => !right,
            };
            self.done.push(joined);
        }
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

    /// A test of one field.
    fn test(&mut self) -> Result<Condition, Refusal> {
        let quoted = matches!(self.tokens.current(), Token::Name(_));
        let Some(name) = self.tokens.current().name() else {
            if !self.tokens.current().is_value() {
                return Err(self.wanted("the name of a field"));
            }
            let value = self.value()?;
            return self.mirrored_test(value);
        };
        let name = name.to_owned();
        self.tokens.advance()?;
        if !quoted && is_time_word(&name) && matches!(self.tokens.current(), Token::Text(_)) {
            let value = self.time(&name)?;
            return self.mirrored_test(value);
        }
        self.test_of(Condition::field(name))
    }

    /// What is asked of a field, after its name.
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
        if negated {
            return Err(self.wanted("`in` or `between`"));
        }
        let op = self.operator()?;
        Ok(field.compare(op, self.value()?))
    }

    /// What follows the value of a test that begins with it, as in `3 < a`.
    fn mirrored_test(&mut self, value: Literal) -> Result<Condition, Refusal> {
        let op = self.operator()?.mirrored();
        let Some(name) = self.tokens.current().name() else {
            return Err(self.wanted("the name of a field"));
        };
        let field = Condition::field(name);
        self.tokens.advance()?;
        Ok(field.compare(op, value))
    }

    fn operator(&mut self) -> Result<CompareOp, Refusal> {
        let op = match self.tokens.current() {
            Token::Symbol("=" | "==") => CompareOp::Eq,
            Token::Symbol("!=" | "<>") => CompareOp::Ne,
            Token::Symbol("<") => CompareOp::Lt,
            Token::Symbol("<=") => CompareOp::Le,
            Token::Symbol(">") => CompareOp::Gt,
            Token::Symbol(">=") => CompareOp::Ge,
            _ => return Err(self.wanted("an operator such as `=` or `in`")),
        };
        self.tokens.advance()?;
        Ok(op)
    }

    /// The list after `in`.
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

    fn value(&mut self) -> Result<Literal, Refusal> {
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
        Ok(match self.tokens.advance()? {
            Token::Number(number) => number_literal(&number),
            Token::Text(text) => Literal::Text(text),
            Token::Bytes(bytes) => Literal::Bytes(bytes),
            token => Literal::Bool(token.is_word("true")),
        })
    }

    /// The text after `date` or `timestamp`.
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
        self.tokens.advance()?;
        Ok(Literal::Moment(moment))
    }
}

fn is_time_word(word: &str) -> bool {
    word.eq_ignore_ascii_case("date") || word.eq_ignore_ascii_case("timestamp")
}

/// Whole numbers beyond 128 bits are beyond every type of field, so their last digits matter no more.
fn number_literal(number: &str) -> Literal {
    match number.parse() {
        Ok(integer) => Literal::Integer(integer),
        Err(_) => Literal::Float(number.parse().unwrap_or(f64::NAN)),
    }
}
