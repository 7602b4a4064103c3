use std::fmt;
use std::str::FromStr;

use tdb_cells::FieldInfo;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Datatype;

use crate::AggregateError;

/// An aggregate function of the cells of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// The number of cells that are not null; without a field, the number of all cells.
    Count,
    /// The number of null cells.
    NullCount,
    /// The sum of the values.
    Sum,
    /// The smallest value.
    Min,
    /// The greatest value.
    Max,
    /// The sum divided by the count.
    Mean,
}

/// The names of the functions; the preferred name comes first.
const NAMES: [(&str, Function); 7] = [
    ("count", Function::Count),
    ("null_count", Function::NullCount),
    ("sum", Function::Sum),
    ("min", Function::Min),
    ("max", Function::Max),
    ("mean", Function::Mean),
    ("avg", Function::Mean),
];

impl Function {
    /// Returns the name of the function.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = NAMES.iter();
        names
            .find(|(_, function)| *function == self)
            .map_or("aggregate", |(name, _)| *name)
    }

    /// Fails if the field does not support this function.
    pub(crate) fn check(self, field: &FieldInfo) -> Result<(), AggregateError> {
        if matches!(self, Self::Count | Self::NullCount) {
            return Ok(());
        }
        let is_text = holds_bytes(field.datatype);
        let is_list = !is_text && field.cell_val_num != CellValNum::Fixed(1);
        let is_time = field.datatype.is_datetime() || field.datatype.is_time();
        let adds = matches!(self, Self::Sum | Self::Mean);
        if let Some(labels) = &field.enumeration {
            if labels.is_ordered() && !adds {
                return Ok(());
            }
            return Err(AggregateError::Labels {
                function: self.name(),
                field: field.name.clone(),
            });
        }
        if is_list || (adds && (is_text || is_time)) {
            return Err(AggregateError::Unfit {
                function: self.name(),
                field: field.name.clone(),
                datatype: field.datatype,
                is_list,
            });
        }
        Ok(())
    }
}

/// An aggregate function, applied to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The function.
    pub function: Function,
    /// The name of the field; `None` for the number of all cells.
    pub field: Option<String>,
}

impl Aggregate {
    /// Creates the aggregate that counts all cells.
    #[must_use]
    pub fn count() -> Self {
        Self {
            function: Function::Count,
            field: None,
        }
    }

    /// Creates an aggregate of a field.
    #[must_use]
    pub fn of(function: Function, field: &str) -> Self {
        Self {
            function,
            field: Some(field.to_owned()),
        }
    }

    /// Returns the datatype of the result, if the field supports the aggregate. Counts are `uint64`, means and sums of
    /// floats `float64`, sums of integers `int64` or `uint64`; minimum and maximum have the field's datatype.
    #[must_use]
    pub fn datatype(&self, schema: &ArraySchema) -> Datatype {
        let field = self.field.as_deref().and_then(|name| schema.field(name));
        match (self.function, field.map(|field| field.datatype)) {
            (Function::Count | Function::NullCount, _) | (_, None) => Datatype::UInt64,
            (Function::Mean, Some(_)) => Datatype::Float64,
            (Function::Min | Function::Max, Some(datatype)) => datatype,
            (Function::Sum, Some(datatype)) if datatype.is_real() => Datatype::Float64,
            (Function::Sum, Some(datatype)) if datatype.is_signed() => Datatype::Int64,
            (Function::Sum, Some(_)) => Datatype::UInt64,
        }
    }

    /// Parses a list of aggregates: `count(*), sum(a), min("long name")`.
    ///
    /// # Errors
    /// [`AggregateError::Text`] with the first invalid aggregate.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, AggregateError> {
        items(text).map(|(_, item)| item.trim().parse()).collect()
    }
}

/// Splits a list at its commas; returns each part with the number of characters before it.
#[expect(clippy::arithmetic_side_effects, reason = "positions in a text")]
pub(crate) fn items(list: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(list);
    let mut before = 0_usize;
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let end = end_of_first(text).unwrap_or(text.len());
        let (first, behind) = text.split_at(end);
        rest = behind.strip_prefix(',');
        let place = before;
        before = before + first.chars().count() + 1;
        Some((place, first))
    })
}

/// Returns the position of the first comma in a list that is not in quotes, which belong to names.
fn end_of_first(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(place, c)| {
        if c == '"' {
            is_quoted = !is_quoted;
        }
        (c == ',' && !is_quoted).then_some(place)
    })
}

impl FromStr for Aggregate {
    type Err = AggregateError;

    /// Parses an aggregate: `sum(a)`, `count(*)`, `min("long name")`.
    fn from_str(text: &str) -> Result<Self, AggregateError> {
        let wrong = || AggregateError::Text {
            text: text.to_owned(),
        };
        let (name, rest) = text.split_once('(').ok_or_else(wrong)?;
        let field = rest.strip_suffix(')').ok_or_else(wrong)?.trim();
        let name = name.trim().to_ascii_lowercase();
        let function = NAMES.iter().find(|(known, _)| *known == name);
        let (_, function) = *function.ok_or_else(wrong)?;
        let quoted = field
            .strip_prefix('"')
            .and_then(|field| field.strip_suffix('"'));
        match (quoted, field, function) {
            (Some(field), ..) => Ok(Self::of(function, &field.replace("\"\"", "\""))),
            (None, "*", Function::Count) => Ok(Self::count()),
            (None, "" | "*", _) => Err(wrong()),
            (None, field, _) => Ok(Self::of(function, field)),
        }
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field.as_deref().unwrap_or("*");
        write!(f, "{}({field})", self.function.name())
    }
}

/// The result of an aggregate.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// There were no values.
    None,
    /// A count, or a sum of unsigned integers.
    Unsigned(u64),
    /// A sum of signed integers.
    Signed(i64),
    /// A mean, or a sum of floats.
    Float(f64),
    /// A value of the field in stored form, with its datatype.
    Value(Datatype, Vec<u8>),
}
