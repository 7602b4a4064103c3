//! Guesses the type of a text column: the narrowest type that loses nothing.

#[cfg(feature = "csv")]
mod join;

use std::borrow::Cow;

use serde_json::value::RawValue;
use tdb_cells::files::ColumnGuess;
use tdb_schema::CellValNum;
use tdb_tile::{Bug, Datatype, Range};

use super::guess_times::Times;
use super::missing::{Missing, NOT_A_NUMBER};
use super::numeral::{
    EXACT, decimal, float, float_of, greatest, is_64_bit, is_flag, is_no_number, is_one_type,
    least, short_whole, whole,
};
use super::token::{Token, shown, token_of};

/// Inspects the cells of a column.
#[derive(Debug)]
pub(crate) struct TextGuess {
    name: String,
    kind: Kind,
    cells: u64,
    has_null: bool,
    /// Whether a cell was `""`: an empty text, or null.
    has_empty: bool,
    /// Whether a cell was one of the usual texts for missing cells, which are text if the column is.
    has_usual: bool,
    /// Whether a cell was NaN, which is missing unless the column is of floats or text.
    has_no_number: bool,
    is_ascii: bool,
    missing: Missing,
}

#[derive(Debug)]
enum Kind {
    Unknown,
    Bool,
    /// Only texts that JSON uses for floats without a number: NaN and infinity. Floats or text.
    NoNumber,
    Int {
        lo: i128,
        hi: i128,
    },
    Float {
        lo: f64,
        hi: f64,
    },
    Time(Times),
    Text,
    /// JSON numbers that no single number type can hold, kept as text.
    Digits,
    Bytes,
    /// Texts, and bytes that are not valid text.
    TextAndBytes,
    List(Box<List>),
}

#[derive(Debug)]
struct List {
    values: TextGuess,
    /// Common length of all lists; `None` if they differ.
    len: Option<usize>,
}

/// The error for values in lists that cannot be stored.
const OF_LISTS: &str = "lists hold numbers, dates and times alone; --exclude leaves a column out";

impl TextGuess {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: Kind::Unknown,
            cells: 0,
            has_null: false,
            has_empty: false,
            has_usual: false,
            has_no_number: false,
            is_ascii: true,
            missing: Missing::None,
        }
    }

    /// Sets the CSV texts that represent missing cells.
    pub(crate) fn with_missing(self, missing: Missing) -> Self {
        Self { missing, ..self }
    }

    /// Takes the next cell into account; fails if no field could store it.
    pub(crate) fn see(&mut self, token: Token<'_>) -> Result<(), String> {
        self.cells += 1;
        match token {
            Token::Null => self.has_null = true,
            Token::Field(text) if self.missing.is_named(text) => self.has_null = true,
            Token::Field("") => self.has_empty = true,
            Token::Field(NOT_A_NUMBER) if self.missing.is_usual(NOT_A_NUMBER) => {
                self.has_no_number = true;
            }
            Token::Field(text) if self.missing.is_usual(text) => self.has_usual = true,
            Token::Field(text) => {
                self.is_ascii &= text.is_ascii();
                self.kind.widen_by_field(text);
            }
            Token::Text(text) => {
                self.is_ascii &= text.is_ascii();
                self.kind.widen_by_text(text)?;
            }
            Token::Bare(text) => self.kind.widen_by_bare(text)?,
            Token::List(text) => self.kind.widen_by_list(text)?,
            Token::Object(text) => self.kind.widen_by_object(text)?,
        }
        Ok(())
    }

    /// Returns the field for all cells of a file with `rows` rows.
    pub(crate) fn finish(mut self, rows: u64) -> Result<ColumnGuess, Bug> {
        if self.has_no_number && matches!(self.kind, Kind::Unknown) {
            self.kind = Kind::NoNumber;
        }
        let one = CellValNum::Fixed(1);
        let mut guess = ColumnGuess {
            name: self.name,
            datatype: Datatype::StringUtf8,
            cell_val_num: CellValNum::Var,
            nullable: self.has_null || self.cells < rows,
            is_ascii: self.is_ascii,
            range: None,
            labels: None,
            cells: rows,
        };
        // If all cells are texts for missing cells, they are kept as texts.
        let is_text = match self.kind {
            Kind::Text => true,
            Kind::Unknown => self.has_usual,
            _ => false,
        };
        let is_float = matches!(self.kind, Kind::NoNumber | Kind::Float { .. });
        let has_missing = self.has_usual || (self.has_no_number && !is_float);
        guess.nullable |= (self.has_empty || has_missing) && !is_text;
        match self.kind {
            Kind::Unknown | Kind::Text | Kind::Digits => {}
            Kind::NoNumber => (guess.datatype, guess.cell_val_num) = (Datatype::Float64, one),
            Kind::Bool => (guess.datatype, guess.cell_val_num) = (Datatype::Bool, one),
            Kind::Int { lo, hi } => {
                let is_wide = i64::try_from(hi).is_err();
                guess.datatype = if is_wide {
                    Datatype::UInt64
                } else {
                    Datatype::Int64
                };
                (guess.cell_val_num, guess.range) = (one, Some(range(lo, hi)?));
            }
            Kind::Float { lo, hi } => {
                (guess.datatype, guess.cell_val_num) = (Datatype::Float64, one);
                let ends = (lo.to_le_bytes().to_vec(), hi.to_le_bytes().to_vec());
                guess.range = (lo <= hi).then(|| Range::new(ends.0, ends.1));
            }
            Kind::Time(times) => {
                if let Some((datatype, lo, hi)) = times.finest() {
                    (guess.datatype, guess.cell_val_num) = (datatype, one);
                    guess.range = Some(range(lo.into(), hi.into())?);
                }
            }
            Kind::Bytes => guess.datatype = Datatype::Blob,
            Kind::TextAndBytes => guess.datatype = Datatype::Char,
            Kind::List(list) => {
                let values = list.values.finish(0)?;
                // Nothing is known if all lists are empty.
                let known = (values.cell_val_num == one).then_some(values.datatype);
                guess.datatype = known.unwrap_or(Datatype::Float64);
                if let Some(len @ 2..) = list.len.and_then(|len| u32::try_from(len).ok()) {
                    guess.cell_val_num = CellValNum::Fixed(len);
                }
            }
        }
        Ok(guess)
    }
}

/// Returns the range between two whole numbers, stored as eight bytes each.
fn range(lo: i128, hi: i128) -> Result<Range, Bug> {
    let bytes = |value: i128| match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => Ok(value.to_le_bytes().to_vec()),
        (_, Ok(value)) => Ok(value.to_le_bytes().to_vec()),
        _ => Err(Bug::new(
            "a column of integers has one that no type of them holds",
        )),
    };
    Ok(Range::new(bytes(lo)?, bytes(hi)?))
}

impl Kind {
    /// Widens the kind to include a CSV field, which may be anything.
    fn widen_by_field(&mut self, text: &str) {
        match self {
            Self::Text => {}
            // Fast paths, because most cells are like those before: they determine how long a file takes.
            Self::Int { lo, hi }
                if is_64_bit(*hi)
                    && let Some(n) = short_whole(text) =>
            {
                (*lo, *hi) = (n.min(*lo), n.max(*hi));
            }
            Self::Float { lo, hi } if let Some(float) = decimal(text) => {
                (*lo, *hi) = (least(*lo, float), greatest(*hi, float));
            }
            Self::Time(times) => {
                if !times.widen(text) {
                    *self = Self::Text;
                }
            }
            Self::Unknown if Times::of(text).is_some() => {
                *self = Times::of(text).map_or(Self::Text, Self::Time);
            }
            Self::Unknown | Self::Bool if is_flag(text) => *self = Self::Bool,
            _ => {
                if !self.widen_by_number(text) {
                    *self = Self::Text;
                }
            }
        }
    }

    /// Widens a kind of numbers to include a text; returns false if the text is not a number, or no type holds both.
    fn widen_by_number(&mut self, text: &str) -> bool {
        let whole = whole(text);
        let next = match (&*self, whole) {
            (Self::Unknown, Some(n)) => Self::Int { lo: n, hi: n },
            (Self::Int { lo, hi }, Some(n)) => Self::Int {
                lo: n.min(*lo),
                hi: n.max(*hi),
            },
            (Self::Unknown | Self::NoNumber | Self::Int { .. } | Self::Float { .. }, _) => {
                let Some(float) = float(text) else {
                    return false;
                };
                let is_exact = |n: &i128| n.unsigned_abs() <= EXACT.unsigned_abs();
                if whole.is_some_and(|n| !is_exact(&n)) {
                    return false;
                }
                let (lo, hi) = match self {
                    Self::Float { lo, hi } => (*lo, *hi),
                    Self::Int { lo, hi } if is_exact(lo) && is_exact(hi) => {
                        (float_of(*lo), float_of(*hi))
                    }
                    Self::Int { .. } => return false,
                    _ => (f64::INFINITY, f64::NEG_INFINITY),
                };
                // `least` and `greatest` ignore NaN.
                Self::Float {
                    lo: least(lo, float),
                    hi: greatest(hi, float),
                }
            }
            _ => return false,
        };
        let fits = match next {
            Self::Int { lo, hi } => is_one_type(lo, hi),
            _ => true,
        };
        if fits {
            *self = next;
        }
        fits
    }

    fn widen_by_text(&mut self, text: &str) -> Result<(), String> {
        match self {
            Self::Text | Self::TextAndBytes => {}
            Self::Bytes => *self = Self::TextAndBytes,
            Self::Digits if is_no_number(text) => {}
            Self::Unknown | Self::NoNumber if is_no_number(text) => *self = Self::NoNumber,
            Self::NoNumber => *self = Self::Text,
            Self::Unknown => *self = Times::of(text).map_or(Self::Text, Self::Time),
            Self::Time(times) => {
                if !times.widen(text) {
                    *self = Self::Text;
                }
            }
            Self::Int { .. } | Self::Float { .. } if is_no_number(text) => {
                if !self.widen_by_number(text) {
                    let text = shown(Token::Text(text));
                    return Err(format!("{text}, and other cells are large whole numbers"));
                }
            }
            _ => {
                let text = shown(Token::Text(text));
                return Err(format!("{text} is text, and other cells are not"));
            }
        }
        Ok(())
    }

    fn widen_by_bare(&mut self, text: &str) -> Result<(), String> {
        let fits = match (&*self, text) {
            (Self::Unknown | Self::Bool, "true" | "false") => {
                *self = Self::Bool;
                true
            }
            (_, "true" | "false") => false,
            _ => self.widen_by_number(text) || self.widen_to_digits(),
        };
        let wrong = || {
            let text = shown(Token::Bare(text));
            format!("{text} is of another type than other cells")
        };
        fits.then_some(()).ok_or_else(wrong)
    }

    /// Falls back to text if no type holds all numbers, so that no digits are lost; returns whether all cells are
    /// numbers.
    fn widen_to_digits(&mut self) -> bool {
        let are_numbers = matches!(
            self,
            Self::Unknown | Self::NoNumber | Self::Int { .. } | Self::Float { .. } | Self::Digits
        );
        if are_numbers {
            *self = Self::Digits;
        }
        are_numbers
    }

    fn widen_by_list(&mut self, text: &str) -> Result<(), String> {
        let values: Vec<&RawValue> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        if matches!(self, Self::Unknown) {
            *self = Self::List(Box::new(List {
                values: TextGuess::new(""),
                len: Some(values.len()),
            }));
        }
        let Self::List(list) = self else {
            return Err("is a list, and other cells are not".to_owned());
        };
        list.len = list.len.filter(|len| *len == values.len());
        for value in values {
            let mut text = Cow::default();
            let token = token_of(value.get(), &mut text)?;
            // Nested lists are not parsed, because they could be deeper than the stack.
            if matches!(token, Token::List(_)) {
                return Err(OF_LISTS.to_owned());
            }
            list.values.see(token)?;
        }
        match list.values.kind {
            Kind::Text | Kind::Digits | Kind::Bytes | Kind::TextAndBytes | Kind::List(_) => {
                Err(OF_LISTS.to_owned())
            }
            _ => Ok(()),
        }
    }

    fn widen_by_object(&mut self, text: &str) -> Result<(), String> {
        let is_bytes = |text: &str| {
            let object: Result<serde_json::Map<String, serde_json::Value>, _> =
                serde_json::from_str(text);
            object.is_ok_and(|object| object.len() == 1 && object.contains_key("hex"))
        };
        match self {
            Self::Unknown | Self::Bytes if is_bytes(text) => {
                *self = Self::Bytes;
                Ok(())
            }
            // tdb writes a column of characters like this: invalid text as hexadecimal digits.
            Self::Text | Self::Time(_) | Self::TextAndBytes if is_bytes(text) => {
                *self = Self::TextAndBytes;
                Ok(())
            }
            _ => Err(
                "an object: cells are numbers, text, lists of numbers or {\"hex\": …}; --exclude leaves a column out"
                    .to_owned(),
            ),
        }
    }
}
