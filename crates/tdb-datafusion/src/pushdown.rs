//! Converts SQL conditions to those of arrays: decides which an array can evaluate, and whether with the same result.
//!
//! DataFusion orders floats totally: NaN is greater than any number and equal to itself, and -0.0 is less than 0.0. A
//! condition of an array compares them as IEEE 754 does. NaT is null in SQL, and by [`rules`] different from every
//! value in an array. Conditions that differ are left to DataFusion, or passed to the array in a form that drops no
//! cell which DataFusion would keep.

use arrow_schema::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, DynamicFilterPhysicalExpr, InListExpr, IsNotNullExpr, IsNullExpr,
    LikeExpr, Literal as LiteralExpr, NotExpr,
};
use tdb_cells::FieldInfo;
use tdb_condition::{CompareOp, Condition, ConditionRules, FieldTest, Literal, Test};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::Limits;

use crate::literal::literal;
use crate::pushed_condition::{Inexactness, Negation, PushedCondition};
use crate::source::Source;

/// Returns the rules by which an array evaluates an SQL condition.
pub(crate) fn rules() -> ConditionRules {
    ConditionRules::default()
}

/// Returns the part of a condition that an array can evaluate; `None` if there is none.
pub(crate) fn pushed(
    expr: &dyn PhysicalExpr,
    source: &Source,
    may: Inexactness,
) -> Option<PushedCondition> {
    if let Some(dynamic) = expr.downcast_ref::<DynamicFilterPhysicalExpr>() {
        return pushed(dynamic.current().ok()?.as_ref(), source, may);
    }
    if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
        return of_binary(binary, source, may);
    }
    if let Some(not) = expr.downcast_ref::<NotExpr>() {
        // The negation of a condition that matches more cells matches fewer.
        let of = pushed(not.arg().as_ref(), source, may)?.negated();
        return of.filter(|pushed| pushed.fits(may));
    }
    if let Some(list) = expr.downcast_ref::<InListExpr>() {
        return of_list(list, source).filter(|pushed| pushed.fits(may));
    }
    if let Some(null) = expr.downcast_ref::<IsNullExpr>() {
        return of_null(null.arg().as_ref(), Test::Null, source);
    }
    if let Some(null) = expr.downcast_ref::<IsNotNullExpr>() {
        return of_null(null.arg().as_ref(), Test::NotNull, source);
    }
    if let Some(like) = expr.downcast_ref::<LikeExpr>() {
        return of_like(like, source);
    }
    let field = field_of(expr, source)?;
    compared(
        &field,
        CompareOp::Eq,
        &ScalarValue::Boolean(Some(true)),
        may,
    )
}

/// Column in a comparison: its field, and its Arrow type.
struct ComparedColumn<'a> {
    info: &'a FieldInfo,
    data_type: &'a DataType,
    is_nullable: bool,
    limits: &'a Limits,
}

impl ComparedColumn<'_> {
    /// Returns a test of the field; `None` if conditions do not support it for this datatype.
    fn pushed(&self, test: Test, is_exact: bool) -> Option<PushedCondition> {
        let condition = Condition::from(FieldTest {
            field: self.info.name.clone(),
            test: test.clone(),
        });
        let fields = std::slice::from_ref(self.info);
        let is_known = condition.resolve(fields, self.limits).is_ok();
        let orders =
            matches!(&test, Test::Compare(op, _) if !matches!(op, CompareOp::Eq | CompareOp::Ne));
        let negation = match (
            self.has_own_nulls(),
            self.is_float() && !self.is_dimension() && orders,
        ) {
            (_, true) => Negation::Fewer,
            (false, _) => Negation::More,
            (true, false) => Negation::Exact,
        };
        is_known.then_some(PushedCondition {
            condition,
            is_exact,
            negation,
        })
    }

    /// True if exactly those cells are null in SQL that are null in the array; not so for NaT and indexes without a
    /// label.
    fn has_own_nulls(&self) -> bool {
        self.info.enumeration.is_none() && !self.may_be_no_time()
    }

    /// True if cells may be NaT: times that are not coordinates.
    fn may_be_no_time(&self) -> bool {
        let is_time = matches!(
            self.data_type,
            DataType::Date32 | DataType::Timestamp(..) | DataType::Duration(_)
        );
        is_time && !self.is_dimension()
    }

    fn is_float(&self) -> bool {
        self.info.datatype.is_real()
    }

    fn is_dimension(&self) -> bool {
        matches!(self.info.field, FieldKind::Dimension(_))
    }

    /// True if cells are single values or text, which SQL and arrays compare alike.
    fn is_comparable(&self) -> bool {
        matches!(
            self.data_type,
            DataType::LargeUtf8 | DataType::LargeBinary | DataType::Dictionary(..)
        ) || self.info.cell_val_num == CellValNum::Fixed(1)
            && !matches!(self.data_type, DataType::FixedSizeBinary(_))
    }
}

fn field_of<'a>(expr: &dyn PhysicalExpr, source: &'a Source) -> Option<ComparedColumn<'a>> {
    let column = expr.downcast_ref::<Column>()?;
    let (info, field) = source.column(column.name())?;
    if !source.is_everywhere(info.field) {
        return None;
    }
    Some(ComparedColumn {
        info,
        data_type: field.data_type(),
        is_nullable: field.is_nullable(),
        limits: source.session.limits(),
    })
}

fn of_binary(binary: &BinaryExpr, source: &Source, may: Inexactness) -> Option<PushedCondition> {
    let (left, right) = (binary.left().as_ref(), binary.right().as_ref());
    let op = match binary.op() {
        Operator::And => {
            return match (pushed(left, source, may), pushed(right, source, may)) {
                (Some(a), Some(b)) => Some(a.joined(b, Condition::and)),
                // Both sides must hold, so one of them alone drops no wanted cell.
                (Some(one), None) | (None, Some(one)) if may == Inexactness::BeMore => {
                    Some(PushedCondition {
                        is_exact: false,
                        ..one
                    })
                }
                _ => None,
            };
        }
        // `ORDER BY … DESC` puts nulls first, also for columns without nulls.
        Operator::Or if is_never(left, source) => return pushed(right, source, may),
        Operator::Or if is_never(right, source) => return pushed(left, source, may),
        Operator::Or => {
            let (a, b) = (pushed(left, source, may)?, pushed(right, source, may)?);
            return Some(a.joined(b, Condition::or));
        }
        Operator::Lt => CompareOp::Lt,
        Operator::LtEq => CompareOp::Le,
        Operator::Gt => CompareOp::Gt,
        Operator::GtEq => CompareOp::Ge,
        Operator::Eq => CompareOp::Eq,
        Operator::NotEq => CompareOp::Ne,
        _ => return None,
    };
    match (value_of(left), value_of(right)) {
        (None, Some(value)) => compared_expr(left, op, value, source, may),
        (Some(value), None) => compared_expr(right, op.mirrored(), value, source, may),
        _ => None,
    }
}

/// True if the expression tests whether a column is null that never is.
fn is_never(expr: &dyn PhysicalExpr, source: &Source) -> bool {
    let column = expr.downcast_ref::<IsNullExpr>();
    let field = column.and_then(|null| field_of(null.arg().as_ref(), source));
    field.is_some_and(|field| !field.is_nullable)
}

/// Converts the comparison of a column with a value. DataFusion may have cast a column of narrower numbers to 64-bit
/// floats because the value is one.
fn compared_expr(
    expr: &dyn PhysicalExpr,
    op: CompareOp,
    value: &ScalarValue,
    source: &Source,
    may: Inexactness,
) -> Option<PushedCondition> {
    let Some(cast) = expr.downcast_ref::<CastExpr>() else {
        return compared(&field_of(expr, source)?, op, value, may);
    };
    let field = field_of(cast.expr().as_ref(), source)?;
    let value = match value {
        ScalarValue::Float64(Some(value)) if !value.is_nan() => *value,
        _ => return None,
    };
    match field.data_type {
        DataType::Float32 => {
            let (op, value) = narrowed(op, value)?;
            compared_float(&field, op, value.into(), may)
        }
        // All of these convert to 64-bit floats exactly and in the same order.
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32
            if !(value == 0.0 && value.is_sign_negative()) =>
        {
            field.pushed(Test::Compare(op, value.into()), true)
        }
        _ => None,
    }
}

/// Converts a comparison of 32-bit floats with a 64-bit value to one with a 32-bit value; `None` for equality with a
/// value that no 32-bit float has.
fn narrowed(op: CompareOp, value: f64) -> Option<(CompareOp, f32)> {
    #[expect(clippy::cast_possible_truncation, reason = "it rounds to the nearest")]
    let nearest = value as f32;
    if f64::from(nearest) == value {
        return Some((op, nearest));
    }
    let below = if f64::from(nearest) > value {
        nearest.next_down()
    } else {
        nearest
    };
    match op {
        CompareOp::Lt | CompareOp::Le => Some((CompareOp::Le, below)),
        CompareOp::Gt | CompareOp::Ge => Some((CompareOp::Ge, below.next_up())),
        CompareOp::Eq | CompareOp::Ne => None,
    }
}

fn value_of(expr: &dyn PhysicalExpr) -> Option<&ScalarValue> {
    expr.downcast_ref::<LiteralExpr>().map(LiteralExpr::value)
}

/// Converts the comparison of a field with a value in the cases in which both orders agree, or can be reconciled.
fn compared(
    field: &ComparedColumn<'_>,
    op: CompareOp,
    value: &ScalarValue,
    may: Inexactness,
) -> Option<PushedCondition> {
    if !field.is_comparable() {
        return None;
    }
    let value = literal(value)?;
    let compare = |op, value, is_exact| {
        let pushed = field.pushed(Test::Compare(op, value), is_exact);
        pushed.filter(|pushed| pushed.fits(may))
    };
    if field.info.enumeration.is_some() {
        // Labels have the order of text in SQL. An index without a label is null there, and a distinct value here.
        return match op {
            CompareOp::Eq => compare(op, value, true),
            CompareOp::Ne => compare(op, value, false),
            _ => None,
        };
    }
    if field.is_float() {
        return compared_float(field, op, value, may);
    }
    match (field.data_type, &value) {
        // Any value other than 0 is true.
        (DataType::Boolean, Literal::Bool(wanted)) => match (op, wanted) {
            (CompareOp::Eq, true) | (CompareOp::Ne, false) => {
                compare(CompareOp::Ne, false.into(), true)
            }
            (CompareOp::Eq, false) | (CompareOp::Ne, true) => {
                compare(CompareOp::Eq, false.into(), true)
            }
            _ => None,
        },
        (DataType::Boolean, _) => None,
        // NaT differs from every time here.
        _ if field.may_be_no_time() => compare(op, value, op != CompareOp::Ne),
        _ => compare(op, value, true),
    }
}

/// Converts the comparison of a float field with a number. In SQL, -0.0 is less than 0.0 and NaN is greater than all
/// numbers; here the zeros are equal, and NaN passes no comparison but `!=`.
fn compared_float(
    field: &ComparedColumn<'_>,
    op: CompareOp,
    value: Literal,
    may: Inexactness,
) -> Option<PushedCondition> {
    use CompareOp as Op;
    let is_zero = matches!(value, Literal::Float(value) if value == 0.0);
    // Coordinates are never NaN.
    let takes_nan = !field.is_dimension() && matches!(op, Op::Gt | Op::Ge);
    let op = match (may, op) {
        (Inexactness::BeMore, _) if takes_nan => return None,
        (Inexactness::BeMore, Op::Lt) if is_zero => Op::Le,
        (Inexactness::BeMore, Op::Gt) if is_zero => Op::Ge,
        (Inexactness::BeMore, Op::Ne) if is_zero => return None,
        (Inexactness::BeFewer, Op::Le | Op::Ge | Op::Eq) if is_zero => return None,
        (_, op) => op,
    };
    let is_exact = !is_zero && !takes_nan;
    field.pushed(Test::Compare(op, value), is_exact)
}

fn of_list(list: &InListExpr, source: &Source) -> Option<PushedCondition> {
    let field = field_of(list.expr().as_ref(), source)?;
    if !field.is_comparable() || field.data_type == &DataType::Boolean {
        return None;
    }
    let mut members = Vec::new();
    let (mut has_null, mut has_zero) = (false, false);
    for member in list.list() {
        let value = value_of(member.as_ref())?;
        if value.is_null() {
            has_null = true;
            continue;
        }
        let value = literal(value)?;
        has_zero |= field.is_float() && value == Literal::Float(0.0);
        members.push(value);
    }
    if !list.negated() {
        // Compared with null, the answer is unknown; it must not become true under `not`.
        let is_exact = !has_null && !has_zero;
        return field.pushed(Test::In(members), is_exact);
    }
    if has_null || has_zero {
        return None;
    }
    field.pushed(Test::NotIn(members), field.has_own_nulls())
}

fn of_null(expr: &dyn PhysicalExpr, test: Test, source: &Source) -> Option<PushedCondition> {
    let field = field_of(expr, source)?;
    if !field.is_nullable || !field.has_own_nulls() {
        return None;
    }
    field.pushed(test, true)
}

/// Converts patterns that are a prefix followed by `%`.
fn of_like(like: &LikeExpr, source: &Source) -> Option<PushedCondition> {
    let field = field_of(like.expr().as_ref(), source)?;
    let is_text = field.data_type == &DataType::LargeUtf8;
    if !is_text || like.case_insensitive() {
        return None;
    }
    let pattern = value_of(like.pattern().as_ref())?.try_as_str()??;
    let prefix = pattern.strip_suffix('%')?;
    if prefix.contains(['%', '_', '\\']) {
        return None;
    }
    let prefix = Literal::from(prefix);
    let test = if like.negated() {
        Test::NotStartsWith(prefix)
    } else {
        Test::StartsWith(prefix)
    };
    field.pushed(test, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_floats_are_compared_as_if_they_were_wide() {
        let wide = [
            0.1,
            -0.1,
            1.5,
            1e300,
            -1e300,
            1e-60,
            16_777_217.0,
            f64::INFINITY,
        ];
        let narrow = [
            0.1_f32,
            -0.1,
            1.5,
            f32::MAX,
            f32::MIN,
            f32::INFINITY,
            16_777_216.0,
            16_777_218.0,
        ];
        let near = narrow
            .map(f32::next_up)
            .into_iter()
            .chain(narrow.map(f32::next_down));
        for cell in near.chain(narrow) {
            for value in wide {
                let holds = [
                    (CompareOp::Lt, f64::from(cell) < value),
                    (CompareOp::Le, f64::from(cell) <= value),
                    (CompareOp::Gt, f64::from(cell) > value),
                    (CompareOp::Ge, f64::from(cell) >= value),
                ];
                for (op, expected) in holds {
                    let (narrow, bound) = narrowed(op, value).unwrap();
                    let found = match narrow {
                        CompareOp::Lt => cell < bound,
                        CompareOp::Le => cell <= bound,
                        CompareOp::Gt => cell > bound,
                        _ => cell >= bound,
                    };
                    assert_eq!(found, expected, "{cell} {op:?} {value}");
                }
            }
        }
    }
}
