//! Computing numbers from the fields of a cell. Results are exact or refused: integers do not wrap, and fractions are
//! not truncated.

use tdb_cells::files::write_whole;
use tdb_cells::{Batch, Column};
use tdb_condition::{ConditionError, Literal, Operation, Term, TermPart};
use tdb_open::{Error, Result};
use tdb_schema::names::hint;
use tdb_schema::value::{Value as Stored, read};
use tdb_schema::{ArraySchema, Attribute, CellValNum};
use tdb_tile::{Bug, Datatype, Limits, Physical};

use crate::replace::place_text;

/// An expression for the new value of a numeric attribute.
#[derive(Clone, Debug)]
pub(super) struct ValueExpression {
    text: String,
    term: Term,
    datatype: Datatype,
    nullable: bool,
}

/// An intermediate result.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
}

/// True if cells of an attribute are single numbers, so that an expression can compute them.
fn is_number(attribute: &Attribute) -> bool {
    is_numeric(attribute.datatype)
        && attribute.cell_val_num == CellValNum::Fixed(1)
        && attribute.enumeration.is_none()
}

fn is_numeric(datatype: Datatype) -> bool {
    datatype.is_real() || datatype.is_integer() && datatype != Datatype::Bool
}

impl ValueExpression {
    /// Parses an expression for an attribute, and checks its fields.
    pub(super) fn new(
        text: &str,
        attribute: &Attribute,
        schema: &ArraySchema,
        limits: &Limits,
    ) -> Result<Self> {
        let name = &attribute.name;
        if !is_number(attribute) {
            let what = format!(
                "attribute {name:?}: {text} is arithmetic, but the cells are not single numbers"
            );
            return Err(Error::invalid(what));
        }
        let term = Term::parse(text, limits).map_err(|error| match error {
            ConditionError::Text { at, what } => {
                let what = format!("attribute {name:?}: {text:?} at character {at}: {what}");
                Error::invalid(what)
            }
            error => Error::from(error),
        })?;
        for part in term.parts() {
            check(part, schema, name)?;
        }
        Ok(Self {
            text: text.to_owned(),
            term,
            datatype: attribute.datatype,
            nullable: attribute.nullable,
        })
    }

    /// Computes the stored value of each chosen cell; `None` is null.
    pub(super) fn values(
        &self,
        attribute: &str,
        schema: &ArraySchema,
        batch: &Batch,
        meant: &[bool],
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let columns: Vec<Option<&Column>> = self
            .term
            .parts()
            .iter()
            .map(|part| match part {
                TermPart::Field(name) => batch.column(name),
                _ => None,
            })
            .collect();
        let rows = meant.iter().enumerate().map(|(row, meant)| {
            if !meant {
                return Ok(None);
            }
            let value = self.value(&columns, row);
            value.map_err(|error| match error {
                Problem::Bug(bug) => bug.into(),
                Problem::Wrong(what) => {
                    let place = place_text(schema, batch, row);
                    let text = &self.text;
                    Error::invalid(format!(
                        "attribute {attribute:?} of the cell at {place}: {text}: {what}"
                    ))
                }
            })
        });
        rows.collect()
    }

    fn value(
        &self,
        columns: &[Option<&Column>],
        row: usize,
    ) -> std::result::Result<Option<Vec<u8>>, Problem> {
        let mut numbers = Vec::new();
        for (part, column) in self.term.parts().iter().zip(columns) {
            let number = match part {
                TermPart::Field(_) => {
                    let column = column.ok_or_else(lost)?;
                    if !column.is_valid(row) {
                        return self.null().map(|()| None);
                    }
                    number_of(column, row)?
                }
                TermPart::Value(Literal::Integer(value)) => Number::Whole(*value),
                TermPart::Value(Literal::Float(value)) => Number::Float(*value),
                TermPart::Negate => negative(numbers.pop().ok_or_else(lost)?)?,
                TermPart::Operation(operation) => {
                    let right = numbers.pop().ok_or_else(lost)?;
                    let left = numbers.pop().ok_or_else(lost)?;
                    result(left, *operation, right)?
                }
                _ => return Err(lost().into()),
            };
            numbers.push(number);
        }
        stored(numbers.pop().ok_or_else(lost)?, self.datatype).map(Some)
    }

    /// Fails unless the attribute is nullable: an expression with a null field is null.
    fn null(&self) -> std::result::Result<(), Problem> {
        if self.nullable {
            return Ok(());
        }
        Err(Problem::Wrong(
            "a field in it is null, and the attribute cannot be".to_owned(),
        ))
    }
}

/// Why an expression has no result.
#[derive(Debug)]
enum Problem {
    Wrong(String),
    Bug(Bug),
}

impl From<Bug> for Problem {
    fn from(bug: Bug) -> Self {
        Self::Bug(bug)
    }
}

fn lost() -> Bug {
    Bug::new("a part of what is worked out is not there")
}

/// Fails if a part of an expression is not a number.
fn check(part: &TermPart, schema: &ArraySchema, attribute: &str) -> Result<()> {
    let wrong = |what: &str| {
        let what = format!("attribute {attribute:?}: {what}");
        let hint = "arithmetic may use numbers, numeric fields, + - * / and parentheses";
        Err(Error::invalid(what).with_hint(hint))
    };
    match part {
        TermPart::Field(name) => {
            let Some(field) = schema.field(name) else {
                let known = schema.fields().map(|field| field.name);
                let what =
                    format!("attribute {attribute:?}: {name:?} is neither a number nor a field");
                return Err(Error::invalid(what).with_hint(hint("field", name, known)));
            };
            let mut attributes = schema.attributes.iter();
            let has_labels = attributes.any(|a| a.name == *name && a.enumeration.is_some());
            let is_one = field.cell_val_num == CellValNum::Fixed(1);
            if !is_numeric(field.datatype) || !is_one || has_labels {
                return wrong(&format!("cells of {name:?} hold no single number"));
            }
            Ok(())
        }
        TermPart::Value(Literal::Integer(_) | Literal::Float(_))
        | TermPart::Operation(_)
        | TermPart::Negate => Ok(()),
        TermPart::Value(_) => wrong("a value in it is not a number"),
        TermPart::DatePart(_) => wrong("parts of dates cannot be used here"),
    }
}

fn number_of(column: &Column, row: usize) -> std::result::Result<Number, Problem> {
    let cell = column.cell(row).ok_or_else(lost)?;
    let value = read(column.datatype, cell).ok_or_else(lost)?;
    Ok(match value {
        Stored::Signed(value) => Number::Whole(value.into()),
        Stored::Unsigned(value) => Number::Whole(value.into()),
        Stored::Float32(value) => Number::Float(value.into()),
        Stored::Float64(value) => Number::Float(value),
        _ => return Err(lost().into()),
    })
}

fn negative(number: Number) -> std::result::Result<Number, Problem> {
    Ok(match number {
        Number::Whole(value) => Number::Whole(value.checked_neg().ok_or_else(too_large)?),
        Number::Float(value) => Number::Float(-value),
    })
}

fn too_large() -> Problem {
    Problem::Wrong("a number is too large".to_owned())
}

fn result(
    left: Number,
    operation: Operation,
    right: Number,
) -> std::result::Result<Number, Problem> {
    let is_zero = match right {
        Number::Whole(value) => value == 0,
        Number::Float(value) => value == 0.0,
    };
    if operation == Operation::Divide && is_zero {
        return Err(Problem::Wrong("a division by zero".to_owned()));
    }
    if let (Number::Whole(left), Number::Whole(right)) = (left, right) {
        let whole = match operation {
            Operation::Add => left.checked_add(right),
            Operation::Subtract => left.checked_sub(right),
            Operation::Multiply => left.checked_mul(right),
            Operation::Divide if left.checked_rem(right) == Some(0) => left.checked_div(right),
            // The quotient is not an integer.
            Operation::Divide => {
                let (left, right) = (float(Number::Whole(left))?, float(Number::Whole(right))?);
                return floats(left, operation, right);
            }
        };
        return whole.map(Number::Whole).ok_or_else(too_large);
    }
    floats(float(left)?, operation, float(right)?)
}

fn floats(left: f64, operation: Operation, right: f64) -> std::result::Result<Number, Problem> {
    let value = match operation {
        Operation::Add => left + right,
        Operation::Subtract => left - right,
        Operation::Multiply => left * right,
        Operation::Divide => left / right,
    };
    if value.is_infinite() && left.is_finite() && right.is_finite() {
        return Err(too_large());
    }
    Ok(Number::Float(value))
}

/// Converts to a float; fails if that is not exact.
fn float(number: Number) -> std::result::Result<f64, Problem> {
    match number {
        Number::Float(value) => Ok(value),
        Number::Whole(value) => {
            let float = value as f64;
            if whole(float) == Some(value) {
                return Ok(float);
            }
            let what = format!("{value} is beyond the whole numbers that a float64 holds exactly");
            Err(Problem::Wrong(what))
        }
    }
}

/// Returns a float as an integer, if it is one.
fn whole(float: f64) -> Option<i128> {
    if float.fract() != 0.0 || float.abs() >= 2_f64.powi(127) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
    let whole = float as i128;
    Some(whole)
}

fn stored(number: Number, datatype: Datatype) -> std::result::Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    match (number, datatype.physical()) {
        (Number::Float(value), Physical::F64) => bytes.extend(value.to_le_bytes()),
        (Number::Float(value), Physical::F32) => {
            #[expect(clippy::cast_possible_truncation, reason = "the nearest is meant")]
            let near = value as f32;
            if near.is_infinite() && value.is_finite() {
                return Err(Problem::Wrong(format!(
                    "{value:?} is too large for float32"
                )));
            }
            bytes.extend(near.to_le_bytes());
        }
        (Number::Float(value), _) => {
            let whole = whole(value).ok_or_else(|| not_held(value, datatype))?;
            write_whole(whole, datatype, &mut bytes).map_err(|_| not_held(whole, datatype))?;
        }
        (Number::Whole(value), _) => {
            write_whole(value, datatype, &mut bytes).map_err(|_| not_held(value, datatype))?;
        }
    }
    Ok(bytes)
}

fn not_held(value: impl std::fmt::Display, datatype: Datatype) -> Problem {
    Problem::Wrong(format!("{value} is no value of {datatype}"))
}
