//! Arithmetic of small integer columns in types that hold the result.
//!
//! DataFusion 55.2 computes in the type of the columns, modulo a power of two: the negative `nir - red` of two 16-bit
//! unsigned columns became about 65,000.

use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator, ScalarUDF};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use crate::checked::{CheckedArithmetic, Operation};

/// Depth to which operands are examined for their bounds; deeper ones count with the bounds of their type.
const MOST_DEPTH: u32 = 6;

/// Functions of the operations whose results may overflow.
static CHECKED: LazyLock<[Arc<ScalarUDF>; 3]> = LazyLock::new(|| {
    Operation::ALL.map(|operation| Arc::new(ScalarUDF::from(CheckedArithmetic::new(operation))))
});

/// Returns these functions.
pub(crate) fn checked_functions() -> impl Iterator<Item = Arc<ScalarUDF>> {
    CHECKED.iter().cloned()
}

/// Planner of `+`, `-`, `*`, `/` and `%` of integers.
#[derive(Debug)]
pub(crate) struct WideIntegers;

impl ExprPlanner for WideIntegers {
    fn plan_binary_op(
        &self,
        expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        let Some(op) = operator(&expr.op) else {
            return Ok(PlannerResult::Original(expr));
        };
        // An expression without a type yet, such as a placeholder, is left to DataFusion.
        let types = (expr.left.get_type(schema), expr.right.get_type(schema));
        let (Ok(left), Ok(right)) = types else {
            return Ok(PlannerResult::Original(expr));
        };
        let bounds = Bounds::of_operation(&expr, op, schema);
        let Some(wide) = wide_type(op, &left, &right, bounds) else {
            return Ok(PlannerResult::Original(expr));
        };
        let widened = |expr: Expr, from: DataType| {
            if from == wide {
                expr
            } else {
                Expr::Cast(Cast::new(Box::new(expr), wide.clone()))
            }
        };
        let (left, right) = (widened(expr.left, left), widened(expr.right, right));
        let planned = match checked(op).filter(|_| !bounds.fit(&wide)) {
            Some(function) => {
                let call = ScalarFunction::new_udf(function, vec![left, right]);
                Expr::ScalarFunction(call)
            }
            None => Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))),
        };
        Ok(PlannerResult::Planned(planned))
    }
}

/// Returns the function of an operation whose result may exceed its operands.
fn checked(op: Operator) -> Option<Arc<ScalarUDF>> {
    let wanted = match op {
        Operator::Plus => Operation::Plus,
        Operator::Minus => Operation::Minus,
        Operator::Multiply => Operation::Times,
        _ => return None,
    };
    let mut functions = checked_functions().zip(Operation::ALL);
    let (function, _) = functions.find(|(_, operation)| *operation == wanted)?;
    Some(function)
}

fn operator(op: &BinaryOperator) -> Option<Operator> {
    Some(match op {
        BinaryOperator::Plus => Operator::Plus,
        BinaryOperator::Minus => Operator::Minus,
        BinaryOperator::Multiply => Operator::Multiply,
        BinaryOperator::Divide => Operator::Divide,
        BinaryOperator::Modulo => Operator::Modulo,
        _ => return None,
    })
}

/// Returns the type in which integers are computed; `None` for what DataFusion computes correctly: floats, decimals,
/// and 64-bit unsigned integers with signed ones, which become decimals. The type is signed if it holds the result,
/// so that the result stays an integer when combined with literals, which are signed.
fn wide_type(op: Operator, left: &DataType, right: &DataType, bounds: Bounds) -> Option<DataType> {
    let (left, right) = (value_type(left), value_type(right));
    if !left.is_integer() || !right.is_integer() {
        return None;
    }
    let is_unsigned = left.is_unsigned_integer() && right.is_unsigned_integer();
    let is_large = [left, right].contains(&&DataType::UInt64);
    match is_unsigned {
        true if is_large => Some(DataType::UInt64),
        true if op == Operator::Multiply && !bounds.fit(&DataType::Int64) => Some(DataType::UInt64),
        false if is_large => None,
        _ => Some(DataType::Int64),
    }
}

/// Returns the type of the values; that of the labels for a dictionary.
fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value,
        other => other,
    }
}

/// Bounds of the integer values of an expression.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: i128,
    greatest: i128,
}

impl Bounds {
    /// Unknown bounds; they do not fit in a 64-bit integer.
    const ANY: Self = Self {
        least: i128::MIN,
        greatest: i128::MAX,
    };

    fn new(least: impl Into<i128>, greatest: impl Into<i128>) -> Self {
        Self {
            least: least.into(),
            greatest: greatest.into(),
        }
    }

    /// Returns the bounds of the result of `+`, `-` or `*`; unknown for other operations.
    fn of_operation(expr: &RawBinaryExpr, op: Operator, schema: &DFSchema) -> Self {
        let left = Self::of(&expr.left, schema, MOST_DEPTH);
        let right = Self::of(&expr.right, schema, MOST_DEPTH);
        left.then(op, right).unwrap_or(Self::ANY)
    }

    fn then(self, op: Operator, other: Self) -> Option<Self> {
        Some(match op {
            Operator::Plus => self.plus(other),
            Operator::Minus => self.minus(other),
            Operator::Multiply => self.times(other),
            _ => return None,
        })
    }

    fn of(expr: &Expr, schema: &DFSchema, depth: u32) -> Self {
        let Some(depth) = depth.checked_sub(1) else {
            return Self::of_type(expr, schema);
        };
        match expr {
            Expr::Literal(value, _) => of_scalar(value),
            Expr::Alias(alias) => Self::of(&alias.expr, schema, depth),
            Expr::Cast(cast) if cast.field.data_type().is_integer() => {
                Self::of(&cast.expr, schema, depth)
            }
            Expr::BinaryExpr(binary) => {
                let left = Self::of(&binary.left, schema, depth);
                let right = Self::of(&binary.right, schema, depth);
                let result = left.then(binary.op, right);
                result.unwrap_or_else(|| Self::of_type(expr, schema))
            }
            _ => Self::of_type(expr, schema),
        }
    }

    /// Returns the bounds of the expression's type.
    fn of_type(expr: &Expr, schema: &DFSchema) -> Self {
        let Ok(data_type) = expr.get_type(schema) else {
            return Self::ANY;
        };
        Self::of_integers(value_type(&data_type)).unwrap_or(Self::ANY)
    }

    fn of_integers(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Int8 => Self::new(i8::MIN, i8::MAX),
            DataType::Int16 => Self::new(i16::MIN, i16::MAX),
            DataType::Int32 => Self::new(i32::MIN, i32::MAX),
            DataType::Int64 => Self::new(i64::MIN, i64::MAX),
            DataType::UInt8 => Self::new(u8::MIN, u8::MAX),
            DataType::UInt16 => Self::new(u16::MIN, u16::MAX),
            DataType::UInt32 => Self::new(u32::MIN, u32::MAX),
            DataType::UInt64 => Self::new(u64::MIN, u64::MAX),
            _ => return None,
        })
    }

    fn fit(self, wide: &DataType) -> bool {
        let wide = Self::of_integers(wide);
        wide.is_some_and(|wide| wide.least <= self.least && self.greatest <= wide.greatest)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            greatest: self.greatest.saturating_add(other.greatest),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_sub(other.greatest),
            greatest: self.greatest.saturating_sub(other.least),
        }
    }

    fn times(self, other: Self) -> Self {
        let of =
            |least: i128| [other.least, other.greatest].map(|other| least.saturating_mul(other));
        let products = [of(self.least), of(self.greatest)].concat();
        let least = products.iter().min().copied();
        let greatest = products.iter().max().copied();
        match least.zip(greatest) {
            Some((least, greatest)) => Self { least, greatest },
            None => Self::ANY,
        }
    }
}

fn of_scalar(value: &ScalarValue) -> Bounds {
    use ScalarValue as S;
    let exact = match value {
        S::Int8(Some(value)) => i128::from(*value),
        S::Int16(Some(value)) => i128::from(*value),
        S::Int32(Some(value)) => i128::from(*value),
        S::Int64(Some(value)) => i128::from(*value),
        S::UInt8(Some(value)) => i128::from(*value),
        S::UInt16(Some(value)) => i128::from(*value),
        S::UInt32(Some(value)) => i128::from(*value),
        S::UInt64(Some(value)) => i128::from(*value),
        // Null stays null, so any bounds will do.
        _ if value.is_null() => 0,
        _ => return Bounds::ANY,
    };
    Bounds::new(exact, exact)
}
