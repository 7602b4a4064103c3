//! `date_part` and `extract`, correct for years beyond the range of a column.

use std::sync::Arc;

use arrow_schema::{DataType, FieldRef};
use datafusion::common::Result;
use datafusion::functions::datetime::date_part::DatePartFunc;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult};
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature,
};

/// DataFusion's `date_part` without its rewrite of a year to a time range in one case: in DataFusion 55.2, the range
/// of a year beyond the unit of the column, such as 2263 in nanoseconds, ends with null, so that no row matches.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct DatePart(DatePartFunc);

/// Planner that makes `EXTRACT` call this function; DataFusion would use its own, whatever is registered.
#[derive(Debug)]
pub(crate) struct Extract;

impl ExprPlanner for Extract {
    fn plan_extract(&self, args: Vec<Expr>) -> Result<PlannerResult<Vec<Expr>>> {
        let function = Arc::new(ScalarUDF::from(DatePart::default()));
        let call = ScalarFunction::new_udf(function, args);
        Ok(PlannerResult::Planned(Expr::ScalarFunction(call)))
    }
}

impl ScalarUDFImpl for DatePart {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.0.return_field_from_args(args)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.0.invoke_with_args(args)
    }

    fn preimage(
        &self,
        args: &[Expr],
        value: &Expr,
        info: &SimplifyContext,
    ) -> Result<PreimageResult> {
        Ok(match self.0.preimage(args, value, info)? {
            PreimageResult::Range { interval, .. }
                if interval.lower().is_null() || interval.upper().is_null() =>
            {
                PreimageResult::None
            }
            preimage => preimage,
        })
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }
}
