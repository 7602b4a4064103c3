//! The operator `||` on text and bytes as a function, so that memory is reserved for its results as for those of
//! other functions.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{BinaryExpr as Concatenation, Column};

/// Name of the function, by which workers find it.
pub(crate) const CONCAT_OPERATOR: &str = "concat_operator";

/// `||` of two values of the same type.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct ConcatOperator {
    signature: Signature,
}

impl Default for ConcatOperator {
    fn default() -> Self {
        Self {
            signature: Signature::any(2, Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for ConcatOperator {
    fn name(&self) -> &str {
        CONCAT_OPERATOR
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [left, right] if left == right => Ok(left.clone()),
            _ => plan_err!("{CONCAT_OPERATOR} takes two values of the same type"),
        }
    }

    /// Returns the name of the operator, which other parts of a plan may refer to.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let [left, right] = args else {
            return plan_err!("{CONCAT_OPERATOR} of {} values", args.len());
        };
        let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
        let operator = BinaryExpr::new(left, Operator::StringConcat, right);
        Ok(Expr::BinaryExpr(operator).schema_name().to_string())
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let are_scalars = args
            .args
            .iter()
            .all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if are_scalars { 1 } else { args.number_rows };
        let columns = (args.args.into_iter())
            .map(|value| value.into_array(rows))
            .collect::<Result<Vec<_>>>()?;
        let fields: Vec<Field> = (["left", "right"].iter().zip(&columns))
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let counted = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, columns, &counted)?;
        let (left, right) = (Column::new("left", 0), Column::new("right", 1));
        let operator = Concatenation::new(Arc::new(left), Operator::StringConcat, Arc::new(right));
        let joined = operator.evaluate(&batch)?.into_array(rows)?;
        if joined.len() != rows {
            return exec_err!("{CONCAT_OPERATOR} made {} rows of {rows}", joined.len());
        }
        if are_scalars {
            let value = datafusion::common::ScalarValue::try_from_array(&joined, 0)?;
            return Ok(ColumnarValue::Scalar(value));
        }
        Ok(ColumnarValue::Array(joined))
    }
}
