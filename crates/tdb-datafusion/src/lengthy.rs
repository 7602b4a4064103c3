//! Functions whose results may be longer than their arguments, such as `lpad('x', 2000000000)` or `concat(a, a)`: they
//! reserve memory of the session first. DataFusion 55.2 counts the memory that operators keep, but not that of
//! functions.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};
use datafusion::arrow::compute::concat;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue, exec_datafusion_err};
use datafusion::execution::SessionStateDefaults;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::preimage::PreimageResult;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Documentation, Expr, ExpressionPlacement, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, StructFieldMapping,
};

use crate::concat_operator::ConcatOperator;
use crate::growth::{Growth, growth};
use crate::held::held;
use crate::sizes::{Argument, bytes_of};

/// Part of the memory that a result may take without being counted: operators that keep rows until memory is full
/// leave nothing for small ones.
const PART_UNCOUNTED: usize = 16;

/// Bytes that a result may take without being counted, at least.
const UNCOUNTED: usize = 1 << 20;

/// Part of the memory by which results may exceed it, for the same reason.
const PART_BEYOND: usize = 4;

/// Function that reserves memory before it runs.
#[derive(Debug)]
pub(crate) struct Lengthy {
    function: Arc<ScalarUDF>,
    growth: Growth,
    pool: Arc<dyn MemoryPool>,
}

impl PartialEq for Lengthy {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Lengthy {}

impl Hash for Lengthy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

/// Returns the functions of DataFusion that reserve memory, and `||`, with the pool that they reserve it from.
pub(crate) fn lengthy_functions(
    pool: &Arc<dyn MemoryPool>,
) -> impl Iterator<Item = Arc<ScalarUDF>> {
    let operator = Arc::new(ScalarUDF::from(ConcatOperator::default()));
    SessionStateDefaults::default_scalar_functions()
        .into_iter()
        .chain([operator])
        .filter_map(|function| lengthy(&function, pool))
}

/// Returns a function that reserves memory, if the function is one whose results may be long.
fn lengthy(function: &Arc<ScalarUDF>, pool: &Arc<dyn MemoryPool>) -> Option<Arc<ScalarUDF>> {
    let growth = growth(function.name());
    let inner: &dyn Any = &**function.inner();
    if growth == Growth::None || inner.is::<Lengthy>() {
        return None;
    }
    Some(Arc::new(ScalarUDF::from(Lengthy {
        function: Arc::clone(function),
        growth,
        pool: Arc::clone(pool),
    })))
}

/// Replaces calls of such functions, which DataFusion makes of operators and of other calls without asking the
/// registry.
pub(crate) fn with_lengthy(expr: Expr, pool: &Arc<dyn MemoryPool>) -> Result<Transformed<Expr>> {
    expr.transform_up(|part| match part {
        Expr::ScalarFunction(ScalarFunction { func, args }) => Ok(match lengthy(&func, pool) {
            Some(func) => Transformed::yes(call(func, args)),
            None => Transformed::no(call(func, args)),
        }),
        Expr::BinaryExpr(BinaryExpr {
            left,
            op: Operator::StringConcat,
            right,
        }) => {
            let operator = Arc::new(ScalarUDF::from(ConcatOperator::default()));
            let function = lengthy(&operator, pool).unwrap_or(operator);
            Ok(Transformed::yes(call(function, vec![*left, *right])))
        }
        other => Ok(Transformed::no(other)),
    })
}

fn call(function: Arc<ScalarUDF>, args: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
}

impl Lengthy {
    /// Returns the same for another function.
    fn with(&self, function: ScalarUDF) -> ScalarUDF {
        ScalarUDF::from(Self {
            function: Arc::new(function),
            growth: self.growth,
            pool: Arc::clone(&self.pool),
        })
    }

    /// Returns the most bytes that a call makes.
    fn bytes(&self, args: &ScalarFunctionArgs) -> Result<usize> {
        let arguments = (args.args.iter().map(Argument::new)).collect::<Result<Vec<_>>>()?;
        let bytes = self.growth.bytes(&arguments, args.number_rows)?;
        usize::try_from(bytes)
            .map_err(|_| exec_datafusion_err!("{} makes more than any memory", self.name()))
    }

    fn memory(&self) -> usize {
        match self.pool.memory_limit() {
            MemoryLimit::Finite(most) => most,
            _ => usize::MAX,
        }
    }

    fn uncounted(&self) -> usize {
        (self.memory() / PART_UNCOUNTED).max(UNCOUNTED)
    }

    fn reservation(&self) -> MemoryReservation {
        MemoryConsumer::new(self.name()).register(&self.pool)
    }

    fn reserve(&self, memory: &MemoryReservation, bytes: usize) -> Result<()> {
        let Err(refused) = memory.try_grow(bytes) else {
            return Ok(());
        };
        let most = self.memory();
        let used = self.pool.reserved() as u128 + bytes as u128;
        if used > most as u128 + (most / PART_BEYOND) as u128 {
            return Err(refused);
        }
        memory.grow(bytes);
        Ok(())
    }

    /// Returns a result that holds the memory that it takes.
    fn kept(&self, made: ColumnarValue, memory: MemoryReservation) -> Result<ColumnarValue> {
        let ColumnarValue::Array(array) = made else {
            return Ok(made);
        };
        let beyond = |_| exec_datafusion_err!("more than any memory");
        let bytes = usize::try_from(bytes_of(&array)?).map_err(beyond)?;
        if bytes <= self.uncounted() {
            return Ok(ColumnarValue::Array(array));
        }
        memory.shrink(memory.size().saturating_sub(bytes));
        Ok(ColumnarValue::Array(held(&array, memory)?))
    }

    /// Calls the function for so few rows at a time that the bound of each result is small.
    fn in_pieces(&self, args: &ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (memory, uncounted) = (self.reservation(), self.uncounted());
        let mut made: Vec<ArrayRef> = Vec::new();
        let mut sum = 0;
        let all = 0..args.number_rows;
        let mut todo = Vec::from([all]);
        while let Some(rows) = todo.pop() {
            let piece = piece(args, &rows);
            let bytes = self.bytes(&piece)?;
            if bytes > uncounted && rows.len() > 1 {
                let middle = rows.start + rows.len() / 2;
                todo.push(middle..rows.end);
                todo.push(rows.start..middle);
                continue;
            }
            let meanwhile = self.reservation();
            if bytes > uncounted {
                self.reserve(&meanwhile, bytes)?;
            }
            let made_here = self.function.invoke_with_args(piece)?;
            let mut result = made_here.into_array(rows.len())?;
            // Some functions allocate as much for some rows of a column as for all.
            result.shrink_to_fit();
            drop(meanwhile);
            sum += result.get_array_memory_size();
            if sum > uncounted {
                self.reserve(&memory, sum - memory.size())?;
            }
            made.push(result);
        }
        if sum > uncounted {
            // The pieces are copied to one column.
            for piece in &made {
                let beyond = |_| exec_datafusion_err!("more than any memory");
                let bytes = usize::try_from(bytes_of(piece)?).map_err(beyond)?;
                self.reserve(&memory, bytes)?;
            }
        }
        let pieces: Vec<&dyn Array> = made.iter().map(|piece| &**piece).collect();
        let whole = concat(&pieces)?;
        drop(made);
        self.kept(ColumnarValue::Array(whole), memory)
    }
}

/// Returns a call for some of the rows.
fn piece(args: &ScalarFunctionArgs, rows: &Range<usize>) -> ScalarFunctionArgs {
    let values = args.args.iter().map(|value| match value {
        ColumnarValue::Array(array) => ColumnarValue::Array(array.slice(rows.start, rows.len())),
        ColumnarValue::Scalar(value) => ColumnarValue::Scalar(value.clone()),
    });
    ScalarFunctionArgs {
        args: values.collect(),
        number_rows: rows.len(),
        ..args.clone()
    }
}

impl ScalarUDFImpl for Lengthy {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.function.schema_name(args)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.function.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.function.return_field_from_args(args)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let updated = self.function.inner().with_updated_config(config)?;
        Some(self.with(updated))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(types)
    }

    fn is_strict(&self) -> bool {
        self.function.inner().is_strict()
    }

    fn simplify(&self, args: Vec<Expr>, context: &SimplifyContext) -> Result<ExprSimplifyResult> {
        // Literals are joined there without a call. Long ones are left to one, which reserves memory.
        let literals = args.iter().filter_map(|arg| match arg {
            Expr::Literal(value, _) => Some(value.size() as u128),
            _ => None,
        });
        let joined = literals.sum::<u128>() * args.len() as u128;
        if joined > self.uncounted() as u128 {
            return Ok(ExprSimplifyResult::Original(args));
        }
        Ok(match self.function.simplify(args, context)? {
            ExprSimplifyResult::Simplified(expr) => {
                ExprSimplifyResult::Simplified(with_lengthy(expr, &self.pool)?.data)
            }
            original @ ExprSimplifyResult::Original(_) => original,
        })
    }

    fn preimage(
        &self,
        args: &[Expr],
        literal: &Expr,
        context: &SimplifyContext,
    ) -> Result<PreimageResult> {
        self.function.preimage(args, literal, context)
    }

    fn short_circuits(&self) -> bool {
        self.function.short_circuits()
    }

    fn conditional_arguments<'a>(
        &self,
        args: &'a [Expr],
    ) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        self.function.conditional_arguments(args)
    }

    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        self.function.evaluate_bounds(inputs)
    }

    fn propagate_constraints(
        &self,
        interval: &Interval,
        inputs: &[&Interval],
    ) -> Result<Option<Vec<Interval>>> {
        self.function.propagate_constraints(interval, inputs)
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        self.function.output_ordering(inputs)
    }

    fn preserves_lex_ordering(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.function.inner().preserves_lex_ordering(inputs)
    }

    fn strictly_order_preserving(&self, inputs: &[ExprProperties]) -> Result<bool> {
        self.function.inner().strictly_order_preserving(inputs)
    }

    fn struct_field_mapping(&self, literals: &[Option<ScalarValue>]) -> Option<StructFieldMapping> {
        self.function.inner().struct_field_mapping(literals)
    }

    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        self.function.inner().placement(args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let bytes = self.bytes(&args)?;
        if bytes <= self.uncounted() {
            return self.function.invoke_with_args(args);
        }
        let is_array = |value: &ColumnarValue| matches!(value, ColumnarValue::Array(_));
        if self.growth.is_loose() && args.number_rows > 1 && args.args.iter().any(is_array) {
            return self.in_pieces(&args);
        }
        let memory = self.reservation();
        self.reserve(&memory, bytes)?;
        self.kept(self.function.invoke_with_args(args)?, memory)
    }
}
