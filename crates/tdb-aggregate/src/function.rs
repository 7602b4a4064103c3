use std::fmt;
use std::str::FromStr;

use tdb_cells::FieldInfo;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::Datatype;

use crate::AggregateError;

/// What is worked out of the cells of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// How many cells are not null; without a field, how many there are.
    Count,
    /// How many cells are null.
    NullCount,
    /// The sum of the values.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The sum by the count.
    Mean,
}

/// The names, the usual one of each first.
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
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = NAMES.iter();
        names
            .find(|(_, function)| *function == self)
            .map_or("aggregate", |(name, _)| *name)
    }

    /// Fails where a field has no values that this is worked out of.
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

/// A function of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// What is worked out.
    pub function: Function,
    /// Of which field; `None` for the number of cells.
    pub field: Option<String>,
}

impl Aggregate {
    /// The number of cells.
    #[must_use]
    pub fn count() -> Self {
        Self {
            function: Function::Count,
            field: None,
        }
    }

    /// A function of the cells of a field.
    #[must_use]
    pub fn of(function: Function, field: &str) -> Self {
        Self {
            function,
            field: Some(field.to_owned()),
        }
    }

    /// The datatype of what it is, of a field that has values for it. Counts are `uint64`, means and sums of floats `float64`,
    /// sums of integers `int64` or `uint64`, and others of the field's datatype.
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

    /// The aggregates that a text names: `count(*), sum(a), min("long name")`.
    ///
    /// # Errors
    /// [`AggregateError::Text`] for a text that is none.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, AggregateError> {
        items(text).map(|(_, item)| item.trim().parse()).collect()
    }
}

/// The parts of a list between its commas, each with how many characters stand before it.
pub(crate) fn items(list: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(list);
    let mut before = 0_usize;
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let end = end_of_first(text).unwrap_or(text.len());
        let (first, behind) = text.split_at(end);
        rest = behind.strip_prefix(',');
        let place = before;
        before = before
            .saturating_add(first.chars().count())
            .saturating_add(1);
        Some((place, first))
    })
}

/// Where the comma behind the first aggregate of a list is: those within quotes belong to names.
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

    /// `sum(a)`, `count(*)`, `min("long name")`.
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

/// What an aggregate is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// There was no value.
    None,
    /// A count, or a sum of integers without a sign.
    Unsigned(u64),
    /// A sum of integers.
    Signed(i64),
    /// A mean, or a sum of floats.
    Float(f64),
    /// A value of the field, in its stored form: of this datatype.
    Value(Datatype, Vec<u8>),
}
