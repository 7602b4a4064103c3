use std::fmt;

use tdb_tile::Bug;

use crate::ast::Operation;
use crate::refusal::{Refusal, TextError};

/// A token of a condition in text form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A bare name; also a keyword or the start of a date, depending on the context.
    Word(String),
    /// A name in double quotes.
    Name(String),
    /// A number, as it was written.
    Number(String),
    /// Text in single quotes.
    Text(String),
    /// Bytes, written as `x'hex'`.
    Bytes(Vec<u8>),
    /// An operator, parenthesis or comma.
    Symbol(&'static str),
    /// The end of the text.
    End,
}

/// All symbols; longer ones come before their prefixes.
const SYMBOLS: [&str; 15] = [
    "==", "!=", "<>", "<=", ">=", "=", "<", ">", "(", ")", ",", "+", "-", "*", "/",
];

/// Words that cannot be names without quotes.
const RESERVED: [&str; 9] = [
    "and", "or", "not", "in", "between", "is", "null", "true", "false",
];

/// Whether a name needs no quotes.
pub(crate) fn is_bare_name(name: &str) -> bool {
    name.starts_with(begins_word)
        && name.chars().all(continues_word)
        && !RESERVED.iter().any(|word| name.eq_ignore_ascii_case(word))
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn begins_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$')
}

impl Token {
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(found) if found.eq_ignore_ascii_case(word))
    }

    /// The name, if the token can be one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) if !self.is_reserved() => Some(name),
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Whether this token alone is a value.
    pub(crate) fn is_value(&self) -> bool {
        let quoted = matches!(self, Self::Number(_) | Self::Text(_) | Self::Bytes(_));
        quoted || self.is_word("true") || self.is_word("false")
    }

    fn is_reserved(&self) -> bool {
        RESERVED.iter().any(|word| self.is_word(word))
    }
}

/// Describes the token in errors.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) if self.is_reserved() => write!(f, "`{word}`"),
            Self::Word(name) | Self::Name(name) => write!(f, "the name `{name}`"),
            Self::Number(number) => write!(f, "the number {number}"),
            Self::Text(text) => write!(f, "the text '{text}'"),
            Self::Bytes(_) => f.write_str("bytes"),
            Self::Symbol(symbol) => write!(f, "`{symbol}`"),
            Self::End => f.write_str("the end"),
        }
    }
}

/// Splits text into tokens, one ahead of the parser.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    text: &'a str,
    /// Position after the current token, in bytes.
    position: usize,
    /// Position of [`Tokens::current`], in bytes.
    at: usize,
    current: Token,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, Refusal> {
        let mut tokens = Self {
            text,
            position: 0,
            at: 0,
            current: Token::End,
        };
        tokens.advance()?;
        Ok(tokens)
    }

    pub(crate) fn current(&self) -> &Token {
        &self.current
    }

    /// Position of the current token, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// If the current token starts a date without quotes, returns the date and everything attached to it.
    pub(crate) fn bare_date(&self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let date = rest.get(..end)?;
        let mut parts = date.splitn(3, '-');
        let is_number = |part: &str, digits| {
            part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        (is_number(parts.next()?, 4) && is_number(parts.next()?, 2)).then_some(date)
    }

    /// Goes to the next token; returns the current one.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "positions in a text, which are at most its length"
    )]
    pub(crate) fn advance(&mut self) -> Result<Token, Refusal> {
        let rest = self.rest(self.position)?;
        self.at = self.text.len() - rest.trim_start().len();
        self.position = self.at;
        let next = self.scan()?;
        Ok(std::mem::replace(&mut self.current, next))
    }

    /// Consumes the current token if it is this word; returns whether it was.
    pub(crate) fn take_word(&mut self, word: &str) -> Result<bool, Refusal> {
        let found = self.current.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes the current token if it is this symbol; returns whether it was.
    pub(crate) fn take_symbol(&mut self, symbol: &str) -> Result<bool, Refusal> {
        let found = matches!(self.current, Token::Symbol(found) if found == symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Consumes the current token if it is an arithmetic operator. After a value, the sign of a number is an operator,
    /// too.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "positions in a text, which are at most its length"
    )]
    pub(crate) fn take_operation(&mut self) -> Result<Option<Operation>, Refusal> {
        let operation = match &self.current {
            Token::Symbol("+") => Operation::Add,
            Token::Symbol("-") => Operation::Subtract,
            Token::Symbol("*") => Operation::Multiply,
            Token::Symbol("/") => Operation::Divide,
            Token::Number(number) => {
                let operation = match number.as_bytes().first() {
                    Some(b'+') => Operation::Add,
                    Some(b'-') => Operation::Subtract,
                    _ => return Ok(None),
                };
                self.current = Token::Number(number.chars().skip(1).collect());
                self.at += 1;
                return Ok(Some(operation));
            }
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(operation))
    }

    /// Whether an opening parenthesis follows the current token, as after the name of a function.
    pub(crate) fn is_called(&self) -> bool {
        let rest = self.text.get(self.position..);
        rest.is_some_and(|rest| rest.trim_start().starts_with('('))
    }

    /// Whether a quoted text or a number follows the current token.
    pub(crate) fn is_before_value(&self) -> bool {
        let rest = self.text.get(self.position..);
        let begins = |c: char| c == '\'' || c.is_ascii_digit();
        rest.is_some_and(|rest| rest.trim_start().starts_with(begins))
    }

    fn rest(&self, from: usize) -> Result<&'a str, Bug> {
        let rest = self.text.get(from..);
        rest.ok_or_else(|| Bug::new("a token ends within a character"))
    }

    fn scan(&mut self) -> Result<Token, Refusal> {
        let rest = self.rest(self.at)?;
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        match first {
            '\'' => Ok(Token::Text(self.quoted('\'')?)),
            '"' => Ok(Token::Name(self.quoted('"')?)),
            'x' | 'X' if rest.get(1..).is_some_and(|r| r.starts_with('\'')) => self.bytes(),
            '0'..='9' | '.' => self.number(),
            '+' | '-' if rest.get(1..).is_some_and(begins_number) => self.number(),
            c if begins_word(c) => {
                let word: String = rest.chars().take_while(|c| continues_word(*c)).collect();
                self.skip(word.len());
                Ok(Token::Word(word))
            }
            c => {
                let symbol = SYMBOLS
                    .iter()
                    .find(|symbol| rest.starts_with(**symbol))
                    .ok_or_else(|| self.error(format!("`{c}` means nothing here")))?;
                self.skip(symbol.len());
                Ok(Token::Symbol(symbol))
            }
        }
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "positions in a text, which are at most its length"
    )]
    fn skip(&mut self, bytes: usize) {
        self.position += bytes;
    }

    fn error(&self, what: impl Into<String>) -> TextError {
        TextError {
            at: self.at,
            what: what.into(),
        }
    }

    /// Scans a quoted text and returns its contents, in which doubled quotes represent one.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "positions in a text, which are at most its length"
    )]
    fn quoted(&mut self, quote: char) -> Result<String, Refusal> {
        self.skip(1);
        let mut content = String::new();
        loop {
            let rest = self.rest(self.position)?;
            let (inside, _) = rest
                .split_once(quote)
                .ok_or_else(|| self.error(format!("the {quote} is never closed")))?;
            content.push_str(inside);
            self.skip(inside.len() + 1);
            if !self.rest(self.position)?.starts_with(quote) {
                return Ok(content);
            }
            content.push(quote);
            self.skip(1);
        }
    }

    fn bytes(&mut self) -> Result<Token, Refusal> {
        self.skip(1);
        let hex = self.quoted('\'')?;
        let digits = hex
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| digit.try_into().ok()))
            .collect::<Option<Vec<u8>>>()
            .filter(|digits| digits.len() % 2 == 0)
            .ok_or_else(|| {
                self.error("wanted pairs of hexadecimal digits in x'', as in x'00ff'")
            })?;
        let (pairs, _) = digits.as_chunks::<2>();
        Ok(Token::Bytes(
            pairs.iter().map(|[high, low]| high << 4 | low).collect(),
        ))
    }

    /// Scans a number: an optional sign, digits with at most one decimal point, and an optional exponent.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "positions in a text, which are at most its length"
    )]
    fn number(&mut self) -> Result<Token, Refusal> {
        let rest = self.rest(self.at)?;
        let mut end = usize::from(rest.starts_with(['+', '-']));
        let digits = |from: usize| {
            let rest = rest.bytes().skip(from);
            rest.take_while(u8::is_ascii_digit).count()
        };
        let whole = digits(end);
        end += whole;
        let mut any = whole > 0;
        if rest.get(end..).is_some_and(|r| r.starts_with('.')) {
            let fraction = digits(end + 1);
            any |= fraction > 0;
            end += 1 + fraction;
        }
        if rest.get(end..).is_some_and(|r| r.starts_with(['e', 'E'])) {
            let sign = rest
                .get(end + 1..)
                .is_some_and(|r| r.starts_with(['+', '-']));
            let exponent = end + 1 + usize::from(sign);
            let count = digits(exponent);
            any &= count > 0;
            end = exponent + count;
        }
        // Everything before `end` is ASCII, so `end` is at a character boundary.
        let number = rest
            .split_at_checked(end)
            .filter(|_| any)
            .filter(|(_, rest)| !rest.starts_with(continues_word));
        let Some((number, _)) = number else {
            let is_part = |c: &char| continues_word(*c) || matches!(c, '+' | '-');
            let found: String = rest.chars().take_while(is_part).collect();
            return Err(self.error(format!("`{found}` is not a number")).into());
        };
        self.skip(end);
        Ok(Token::Number(number.to_owned()))
    }
}
