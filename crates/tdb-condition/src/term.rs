//! Values that are computed from the fields of a cell: `a + 2 * b`, `year(day)`.

use std::fmt::{self, Write};
use std::ops::{Add, Div, Mul, Neg, Sub};

use tdb_schema::value::DatePart;

use crate::display::FieldName;
use crate::{CompareOp, Comparison, Condition, FieldCondition, Literal, Operation, Term, TermPart};

impl Operation {
    /// The operation in text form.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
        }
    }

    /// Binding strength of the operator.
    pub(crate) fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide => 2,
        }
    }
}

impl Term {
    /// Creates a term that is the cell's value of this field.
    pub fn field(name: impl Into<String>) -> Self {
        Self {
            parts: vec![TermPart::Field(name.into())],
        }
    }

    /// Creates a term that is a constant value.
    pub fn value(value: impl Into<Literal>) -> Self {
        Self {
            parts: vec![TermPart::Value(value.into())],
        }
    }

    /// Takes a part of a date: the year, the month or the day of the month.
    pub fn date_part(mut self, part: DatePart) -> Self {
        self.parts.push(TermPart::DatePart(part));
        self
    }

    /// The steps of the computation in postfix order: operations follow their operands.
    #[must_use]
    pub fn parts(&self) -> &[TermPart] {
        &self.parts
    }

    /// Names of the fields in the term, in order, with repetitions.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            TermPart::Field(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Tests whether this term is less than another term or a value.
    #[must_use]
    pub fn lt(self, other: impl Into<Self>) -> Condition {
        self.compare(CompareOp::Lt, other)
    }

    /// Tests whether this term is at most another term or a value.
    #[must_use]
    pub fn le(self, other: impl Into<Self>) -> Condition {
        self.compare(CompareOp::Le, other)
    }

    /// Tests whether this term is greater than another term or a value.
    #[must_use]
    pub fn gt(self, other: impl Into<Self>) -> Condition {
        self.compare(CompareOp::Gt, other)
    }

    /// Tests whether this term is at least another term or a value.
    #[must_use]
    pub fn ge(self, other: impl Into<Self>) -> Condition {
        self.compare(CompareOp::Ge, other)
    }

    /// Tests whether this term equals another term or a value.
    #[must_use]
    pub fn equals(self, other: impl Into<Self>) -> Condition {
        self.compare(CompareOp::Eq, other)
    }

    /// Compares this term with another term or a value. A field and a value give the same test as
    /// [`FieldCondition::compare`].
    #[must_use]
    pub fn compare(self, op: CompareOp, other: impl Into<Self>) -> Condition {
        let other = other.into();
        match (&self.parts[..], &other.parts[..]) {
            ([TermPart::Field(name)], [TermPart::Value(value)]) => {
                Condition::field(name).compare(op, value.clone())
            }
            ([TermPart::Value(value)], [TermPart::Field(name)]) => {
                Condition::field(name).compare(op.mirrored(), value.clone())
            }
            _ => Comparison {
                left: self,
                op,
                right: other,
            }
            .into(),
        }
    }

    /// Creates a term from steps that compute exactly one value.
    pub(crate) fn of_parts(parts: Vec<TermPart>) -> Self {
        Self { parts }
    }

    fn joined(mut self, operation: Operation, other: Self) -> Self {
        self.parts.extend(other.parts);
        self.parts.push(TermPart::Operation(operation));
        self
    }
}

impl<T: Into<Literal>> From<T> for Term {
    fn from(value: T) -> Self {
        Self::value(value)
    }
}

impl From<FieldCondition> for Term {
    fn from(field: FieldCondition) -> Self {
        Self::field(field.into_name())
    }
}

macro_rules! operations {
    ($($operator:ident, $method:ident, $operation:ident;)*) => {$(
        impl<T: Into<Term>> $operator<T> for Term {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                self.joined(Operation::$operation, other.into())
            }
        }
    )*};
}

operations! {
    Add, add, Add;
    Sub, sub, Subtract;
    Mul, mul, Multiply;
    Div, div, Divide;
}

impl Neg for Term {
    type Output = Self;

    fn neg(mut self) -> Self {
        self.parts.push(TermPart::Negate);
        self
    }
}

/// Prints the term as in a condition, with as few parentheses as possible.
impl fmt::Display for Term {
    #[expect(clippy::arithmetic_side_effects, reason = "strengths are at most 4")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut done: Vec<(String, u8)> = Vec::new();
        let within = |(text, strength): (String, u8), least: u8| {
            if strength < least {
                format!("({text})")
            } else {
                text
            }
        };
        for part in &self.parts {
            let written = match part {
                TermPart::Field(name) => (FieldName(name).to_string(), Self::ONE),
                TermPart::Value(value) => (value.to_string(), Self::ONE),
                TermPart::DatePart(part) => {
                    let (text, _) = done.pop().ok_or(fmt::Error)?;
                    (format!("{}({text})", part.name()), Self::ONE)
                }
                TermPart::Negate => {
                    let value = done.pop().ok_or(fmt::Error)?;
                    (format!("-({})", value.0), Self::SIGNED)
                }
                TermPart::Operation(operation) => {
                    let right = done.pop().ok_or(fmt::Error)?;
                    let left = done.pop().ok_or(fmt::Error)?;
                    let strength = operation.strength();
                    // Appends to the left side, where long sums grow, so that they take linear time.
                    let mut text = within(left, strength);
                    let right = within(right, strength + 1);
                    write!(text, " {} {right}", operation.symbol())?;
                    (text, strength)
                }
            };
            done.push(written);
        }
        let (text, _) = done.pop().ok_or(fmt::Error)?;
        f.write_str(&text)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.op.symbol(), self.right)
    }
}
