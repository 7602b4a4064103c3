//! Resolves the terms of a comparison by the types of their fields.

use std::collections::HashMap;

use tdb_cells::FieldInfo;
use tdb_schema::CellValNum;
use tdb_tile::{Bug, Datatype, Scalar};

use super::value::shown_text;
use crate::ast::{Comparison, Operation, Term, TermPart};
use crate::literal_position::{LiteralPosition, is_number, is_text};
use crate::resolved::{ResolvedComparison, ResolvedTerm, TermStep};
use crate::walk::Joint;
use crate::{CompareOp, ConditionError, ConditionRules, Literal};

/// Maximum number of bits of a whole number in an intermediate result.
const MOST_BITS: u32 = 126;

/// Type of a term's value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Whole numbers of at most this many bits, without the sign.
    Whole(u32),
    Float,
    /// Ticks of a date or time.
    Time(Datatype),
    Text,
}

/// Fields by name.
type FieldsByName<'a> = HashMap<&'a str, &'a FieldInfo>;

/// Function that returns the number of a field among those of the condition.
type Number<'n, 'a> = &'n mut dyn FnMut(&'a FieldInfo) -> usize;

/// Returns the operators by which two terms are compared, and how the results are joined. There are two operators if
/// one side may name a period, because equality then compares with both its beginning and its end.
pub(super) fn parts(comparison: &Comparison, op: CompareOp) -> (Joint, &'static [CompareOp]) {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let is_date = |term: &Term| is_time(term).is_some();
    let names_period = is_date(&comparison.left) || is_date(&comparison.right);
    match op {
        Eq if names_period => (Joint::And, &[Ge, Le]),
        Ne if names_period => (Joint::Or, &[Lt, Gt]),
        Lt => (Joint::And, &[Lt]),
        Le => (Joint::And, &[Le]),
        Gt => (Joint::And, &[Gt]),
        Ge => (Joint::And, &[Ge]),
        Eq => (Joint::And, &[Eq]),
        Ne => (Joint::And, &[Ne]),
    }
}

/// Returns the value of a term that consists of a single date or time.
fn is_time(term: &Term) -> Option<&Literal> {
    match term.parts() {
        [TermPart::Value(value @ (Literal::Text(_) | Literal::Date(_) | Literal::Moment(_)))] => {
            Some(value)
        }
        _ => None,
    }
}

/// How two terms are compared.
#[derive(Clone, Copy)]
pub(super) struct By {
    /// The operator, which may be only a part of the requested comparison.
    pub(super) op: CompareOp,
    /// The requested operator.
    pub(super) asked: CompareOp,
    pub(super) rules: ConditionRules,
}

/// The term that another one is compared with, and the operator, with this term on its left.
#[derive(Clone, Copy)]
struct OtherSide<'t> {
    op: CompareOp,
    term: &'t Term,
}

pub(super) fn resolve<'a>(
    comparison: &Comparison,
    By { op, asked, rules }: By,
    known: &FieldsByName<'a>,
    fields: &'a [FieldInfo],
    number: Number<'_, 'a>,
) -> Result<ResolvedComparison, ConditionError> {
    let Comparison { left, right, .. } = comparison;
    let typing = Typing {
        comparison,
        known,
        fields,
    };
    let (mut left, mut right) = (
        typing.term(
            left,
            OtherSide {
                op: op.mirrored(),
                term: right,
            },
            number,
        )?,
        typing.term(right, OtherSide { op, term: left }, number)?,
    );
    let is_float = match (left.1, right.1) {
        (Kind::Text, Kind::Text) => {
            let [TermStep::Field { field: left, .. }] = left.0[..] else {
                return Err(typing.unfit("text can only be compared as it is"));
            };
            let [TermStep::Field { field: right, .. }] = right.0[..] else {
                return Err(typing.unfit("text can only be compared as it is"));
            };
            return Ok(ResolvedComparison::Texts {
                left,
                op,
                right,
                is_padded: rules.padded_text,
            });
        }
        (Kind::Time(a), Kind::Time(b)) if a != b => {
            return Err(typing.unfit(&format!("{a} and {b} count different ticks")));
        }
        (Kind::Time(_), Kind::Time(_) | Kind::Whole(_)) | (Kind::Whole(_), Kind::Time(_)) => false,
        (Kind::Whole(_), Kind::Whole(_)) => false,
        (Kind::Float | Kind::Whole(_), Kind::Float | Kind::Whole(_)) => true,
        (Kind::Text, _) | (_, Kind::Text) => {
            return Err(typing.unfit("text is compared with text alone"));
        }
        (Kind::Time(_), Kind::Float) | (Kind::Float, Kind::Time(_)) => {
            return Err(typing.unfit("dates and times count whole ticks"));
        }
    };
    if is_float {
        for (steps, kind) in [&mut left, &mut right] {
            if matches!(kind, Kind::Whole(_)) {
                steps.push(TermStep::ToFloat);
            }
        }
    }
    Ok(ResolvedComparison::Numbers {
        left: ResolvedTerm { steps: left.0 },
        op,
        right: ResolvedTerm { steps: right.0 },
        nat_differs: rules.unordered_nat && asked == CompareOp::Ne,
    })
}

struct Typing<'t, 'a> {
    comparison: &'t Comparison,
    known: &'t FieldsByName<'a>,
    fields: &'a [FieldInfo],
}

impl<'a> Typing<'_, 'a> {
    fn unfit(&self, problem: &str) -> ConditionError {
        ConditionError::Unfit {
            test: shown_text(&self.comparison.to_string()),
            problem: problem.to_owned(),
            hint: None,
        }
    }

    /// Returns the steps of a term and the type of its value. A date in text form gets its type from `other`: the term
    /// that it is compared with, and the operator for `other op term`.
    fn term(
        &self,
        term: &Term,
        other: OtherSide<'_>,
        number: Number<'_, 'a>,
    ) -> Result<(Vec<TermStep>, Kind), ConditionError> {
        if let Some(value) = is_time(term) {
            return self.time_of(value, other);
        }
        let (mut steps, mut kinds) = (Vec::new(), Vec::new());
        for part in term.parts() {
            let kind = match part {
                TermPart::Field(name) => self.field(name, number, &mut steps)?,
                TermPart::Value(value) => self.value(value, &mut steps)?,
                TermPart::DatePart(part) => match kinds.pop() {
                    Some(Kind::Time(datatype)) if datatype.is_datetime() => {
                        steps.push(TermStep::DatePart(*part, datatype));
                        // Years of the longest ticks need more than 64 bits.
                        Kind::Whole(80)
                    }
                    _ => return Err(self.unfit(&format!("{}(…) takes a date", part.name()))),
                },
                TermPart::Negate => {
                    let kind = kinds
                        .pop()
                        .ok_or_else(|| self.unfit("a sign before nothing"))?;
                    steps.push(match kind {
                        Kind::Whole(_) => TermStep::Negate,
                        Kind::Float => TermStep::NegateFloat,
                        Kind::Time(_) | Kind::Text => {
                            return Err(self.unfit("only numbers can be negated"));
                        }
                    });
                    kind
                }
                TermPart::Operation(operation) => {
                    let (right, left) = (kinds.pop(), kinds.pop());
                    let both = left.zip(right);
                    let (left, right) =
                        both.ok_or_else(|| self.unfit("an operation on nothing"))?;
                    self.operation(*operation, left, right, &mut steps)?
                }
            };
            kinds.push(kind);
        }
        match kinds[..] {
            [kind] => Ok((steps, kind)),
            _ => Err(self.unfit("values that no operation joins")),
        }
    }

    fn field(
        &self,
        name: &str,
        number: Number<'_, 'a>,
        steps: &mut Vec<TermStep>,
    ) -> Result<Kind, ConditionError> {
        let field = self.known.get(name).copied().ok_or_else(|| {
            let known = self.fields.iter().map(|field| field.name.as_str());
            ConditionError::UnknownField {
                test: shown_text(&self.comparison.to_string()),
                hint: tdb_schema::names::hint("field", name, known),
            }
        })?;
        let datatype = field.datatype;
        steps.push(TermStep::Field {
            field: number(field),
            datatype,
        });
        if field.enumeration.is_some() {
            return Err(self.unfit("labels are compared with values alone"));
        }
        if is_text(datatype) {
            return Ok(Kind::Text);
        }
        if !is_number(datatype) && datatype != Datatype::Bool
            || field.cell_val_num != CellValNum::Fixed(1)
        {
            return Err(self.unfit(&format!("the field {name:?} holds no single numbers")));
        }
        Ok(if datatype.is_datetime() || datatype.is_time() {
            Kind::Time(datatype)
        } else if datatype.is_real() {
            Kind::Float
        } else {
            Kind::Whole(64)
        })
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a number has at most as many leading zeros as bits"
    )]
    fn value(&self, value: &Literal, steps: &mut Vec<TermStep>) -> Result<Kind, ConditionError> {
        match value {
            Literal::Integer(value) => {
                steps.push(TermStep::Whole(*value));
                let bits = u128::BITS - value.unsigned_abs().leading_zeros();
                Ok(Kind::Whole(bits))
            }
            Literal::Float(value) => {
                steps.push(TermStep::Float(*value));
                Ok(Kind::Float)
            }
            Literal::Bool(value) => {
                steps.push(TermStep::Whole((*value).into()));
                Ok(Kind::Whole(1))
            }
            Literal::Text(_) | Literal::Bytes(_) | Literal::Date(_) | Literal::Moment(_) => {
                Err(self.unfit("text and dates cannot be calculated with"))
            }
        }
    }

    /// Resolves a date in text form that is compared with a term of dates.
    fn time_of(
        &self,
        value: &Literal,
        OtherSide { op, term: other }: OtherSide<'_>,
    ) -> Result<(Vec<TermStep>, Kind), ConditionError> {
        let (_, kind) = if matches!(other.parts(), [TermPart::Value(_)]) {
            return Err(self.unfit("a test of values alone"));
        } else {
            self.term(
                other,
                OtherSide {
                    op,
                    term: &Term::value(0),
                },
                &mut |_| 0,
            )?
        };
        let Kind::Time(datatype) = kind else {
            return Err(self.unfit("text is compared with text alone"));
        };
        let edge = match LiteralPosition::of(value, datatype) {
            Some(LiteralPosition::At(bytes)) => Some(bytes),
            Some(LiteralPosition::Period(first, last)) => match op {
                CompareOp::Lt | CompareOp::Ge => Some(first),
                CompareOp::Gt | CompareOp::Le => Some(last),
                CompareOp::Eq | CompareOp::Ne => {
                    return Err(Bug::new("a period that is compared as one").into());
                }
            },
            _ => None,
        };
        match edge {
            Some(bytes) => {
                let ticks = i64::read(&bytes)
                    .map(i128::from)
                    .ok_or_else(|| self.unfit("a date of another size"))?;
                Ok((vec![TermStep::Whole(ticks)], Kind::Time(datatype)))
            }
            _ => Err(self.unfit(&format!("{value} is no tick of {datatype}"))),
        }
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "numbers of bits, each at most 128"
    )]
    fn operation(
        &self,
        operation: Operation,
        left: Kind,
        right: Kind,
        steps: &mut Vec<TermStep>,
    ) -> Result<Kind, ConditionError> {
        let adds = matches!(operation, Operation::Add | Operation::Subtract);
        let whole = |bits: u32| {
            if bits > MOST_BITS {
                let problem = "the numbers can become larger than 128 bits hold; a factor of 1.0 makes them floats";
                return Err(self.unfit(problem));
            }
            Ok(Kind::Whole(bits))
        };
        let kind = match (left, right) {
            (Kind::Whole(a), Kind::Whole(b)) if operation != Operation::Divide => {
                steps.push(TermStep::Operation(operation));
                return whole(if adds { a.max(b) + 1 } else { a + b });
            }
            (Kind::Time(a), Kind::Time(b)) if a == b && operation == Operation::Subtract => {
                Kind::Whole(65)
            }
            // Ticks beyond 64 bits need no error: they compare as greater or less than all stored ones.
            (Kind::Time(a), Kind::Whole(bits)) if adds && bits <= MOST_BITS => Kind::Time(a),
            (Kind::Whole(bits), Kind::Time(b))
                if operation == Operation::Add && bits <= MOST_BITS =>
            {
                Kind::Time(b)
            }
            (Kind::Float | Kind::Whole(_), Kind::Float | Kind::Whole(_)) => {
                // The right operand is on top of the stack.
                if matches!(right, Kind::Whole(_)) {
                    steps.push(TermStep::ToFloat);
                }
                if matches!(left, Kind::Whole(_)) {
                    steps.push(TermStep::LowerToFloat);
                }
                steps.push(TermStep::FloatOperation(operation));
                return Ok(Kind::Float);
            }
            _ => {
                let problem = "numbers can be calculated with, and dates and times of one type subtracted, or moved by whole numbers";
                return Err(self.unfit(problem));
            }
        };
        steps.push(TermStep::Operation(operation));
        Ok(kind)
    }
}
