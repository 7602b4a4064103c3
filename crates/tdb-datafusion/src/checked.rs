//! Integer arithmetic that fails on overflow, where DataFusion 55.2 wraps around: `+`, `-`, `*` and the sign of
//! 64-bit integers, and `abs`.

use arrow_schema::{ArrowError, DataType};
use datafusion::arrow::compute::kernels::numeric::{add, mul, neg, sub};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, internal_err};
use datafusion::functions::math::abs::AbsFunc;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr_common::datum::apply;

/// Operation on two 64-bit integers of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Plus,
    Minus,
    Times,
}

impl Operation {
    pub(crate) const ALL: [Self; 3] = [Self::Plus, Self::Minus, Self::Times];

    /// Returns the name of the function, by which workers find it.
    fn function(self) -> &'static str {
        match self {
            Self::Plus => "exact_plus",
            Self::Minus => "exact_minus",
            Self::Times => "exact_times",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
        }
    }
}

/// Operation as a function that fails if the result overflows.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct CheckedArithmetic {
    pub(crate) operation: Operation,
    signature: Signature,
}

impl CheckedArithmetic {
    pub(crate) fn new(operation: Operation) -> Self {
        let types = vec![DataType::Int64, DataType::UInt64];
        Self {
            operation,
            signature: Signature::uniform(2, types, Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for CheckedArithmetic {
    fn name(&self) -> &str {
        self.operation.function()
    }

    /// Formats the operation as it was written, which names its column.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let [left, right] = args else {
            return internal_err!("{} of other than two", self.name());
        };
        let (left, right) = (left.schema_name(), right.schema_name());
        Ok(format!("{left} {} {right}", self.operation.sign()))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [left, right] if left == right => Ok(left.clone()),
            _ => internal_err!("{} of other than two of a type", self.name()),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else {
            return internal_err!("{} of other than two", self.name());
        };
        let operation = match self.operation {
            Operation::Plus => add,
            Operation::Minus => sub,
            Operation::Times => mul,
        };
        apply(left, right, operation).map_err(too_large)
    }
}

/// Sign `-`: integers of up to 32 bits become signed 64-bit ones; a 64-bit integer without an opposite is an error.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Negative {
    signature: Signature,
}

impl Default for Negative {
    fn default() -> Self {
        Self {
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

/// Name of the function for the sign.
pub(crate) const NEGATIVE: &str = "exact_negative";

impl ScalarUDFImpl for Negative {
    fn name(&self) -> &'static str {
        NEGATIVE
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        match args {
            [of] => Ok(format!("(- {})", of.schema_name())),
            _ => internal_err!("a sign of other than one"),
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [of] => negative_type(of),
            _ => internal_err!("a sign of other than one"),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [of] = &args.args[..] else {
            return internal_err!("a sign of other than one");
        };
        let wide = of.cast_to(args.return_field.data_type(), None)?;
        match wide {
            ColumnarValue::Array(array) => {
                let negative = neg(&array).map_err(|error| too_large(error.into()))?;
                Ok(ColumnarValue::Array(negative))
            }
            ColumnarValue::Scalar(scalar) => Ok(ColumnarValue::Scalar(
                scalar.arithmetic_negate().map_err(too_large)?,
            )),
        }
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        let unordered = SortProperties::Unordered;
        Ok(inputs.first().map_or(unordered, |of| -of.sort_properties))
    }
}

fn negative_type(of: &DataType) -> Result<DataType> {
    use DataType as D;
    Ok(match of {
        D::Int8 | D::Int16 | D::Int32 | D::UInt8 | D::UInt16 | D::UInt32 => D::Int64,
        D::UInt64 => D::Decimal128(20, 0),
        D::Dictionary(_, value) => negative_type(value)?,
        D::Null | D::Int64 | D::Interval(_) | D::Duration(_) => of.clone(),
        _ if of.is_floating() || of.is_decimal() => of.clone(),
        _ => {
            return datafusion::common::plan_err!(
                "the sign - is one of numbers and spans of time, and this is of type {of}"
            );
        }
    })
}

/// `abs` with a 64-bit result for integers of up to 32 bits: -128 has no opposite in 8 bits.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Abs(AbsFunc);

impl ScalarUDFImpl for Abs {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Int8 | DataType::Int16 | DataType::Int32] => Ok(DataType::Int64),
            types => self.0.return_type(types),
        }
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        for argument in &mut args.args {
            *argument = argument.cast_to(args.return_field.data_type(), None)?;
        }
        self.0.invoke_with_args(args).map_err(too_large)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.0.output_ordering(inputs)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }
}

/// Rewrites an overflow error to name a way around it.
fn too_large(error: DataFusionError) -> DataFusionError {
    match error {
        DataFusionError::ArrowError(error, _) if is_overflow(&error) => {
            let text = error.to_string();
            // "Arithmetic overflow: Overflow happened on: 1 + 2", "Compute error: Int64Array overflow on abs(-1)".
            let what = text
                .rsplit_once(" on: ")
                .or_else(|| text.rsplit_once(" on "))
                .map_or(&*text, |(_, what)| what);
            exec_datafusion_err!(
                "{what} does not fit into an integer of 64 bits\nx::double is about right, and x::decimal(38,0) is exact"
            )
        }
        error => error,
    }
}

fn is_overflow(error: &ArrowError) -> bool {
    match error {
        ArrowError::ArithmeticOverflow(_) => true,
        ArrowError::ComputeError(what) => what.contains("overflow"),
        _ => false,
    }
}
