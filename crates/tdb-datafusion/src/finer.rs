//! Exact comparison of times with finer ones, such as seconds with half a second.
//!
//! DataFusion compares both in the finer unit. Its rule that removes the cast from the column truncates the value to
//! the coarser unit in 55.2, so that a second was equal to half a second later. Here the value is rounded in the
//! direction that leaves the answer unchanged, and the column has no cast, so that an array can answer.

use std::sync::Arc;

use arrow_schema::{DataType, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, Cast, InList, ScalarFunction};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, ScalarUDF, lit,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::utils::NamePreserver;

use crate::rounded::{Neighbour, TimeRounding, tick};

/// Analyzer rule that compares columns of times exactly with finer values. It runs after the rule that gives both
/// sides one type.
#[derive(Debug)]
pub(crate) struct FinerTimes;

impl AnalyzerRule for FinerTimes {
    fn name(&self) -> &'static str {
        "finer_times"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let of_plan = |plan| of_plan(plan, of_expr);
        Ok(plan.transform_up_with_subqueries(of_plan)?.data)
    }
}

/// Analyzer rule that compares dates with texts of a time within a day as that time; DataFusion truncates it. It runs
/// before the rule that gives both sides one type.
#[derive(Debug)]
pub(crate) struct TimesOfText;

impl AnalyzerRule for TimesOfText {
    fn name(&self) -> &'static str {
        "times_of_text"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let of_plan = |plan| of_plan(plan, of_text);
        Ok(plan.transform_up_with_subqueries(of_plan)?.data)
    }
}

/// Converts text of a time within a day to that time if it is compared with a date.
fn of_text(mut expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let is_date = |expr: &Expr| matches!(expr.get_type(schema), Ok(DataType::Date32));
    let mut is_changed = false;
    let mut change = |text: &mut Expr| {
        if let Expr::Literal(value, _) = text
            && let Some(time) = time_within_a_day(value)
        {
            *text = lit(time);
            is_changed = true;
        }
    };
    match &mut expr {
        Expr::BinaryExpr(binary) if is_date(&binary.left) => change(&mut binary.right),
        Expr::BinaryExpr(binary) if is_date(&binary.right) => change(&mut binary.left),
        Expr::Between(between) if is_date(&between.expr) => {
            change(&mut between.low);
            change(&mut between.high);
        }
        Expr::InList(list) if is_date(&list.expr) => list.list.iter_mut().for_each(change),
        _ => {}
    }
    Ok(Transformed::new_transformed(expr, is_changed))
}

fn time_within_a_day(value: &ScalarValue) -> Option<ScalarValue> {
    let text = value.try_as_str()??;
    let text = ScalarValue::Utf8(Some(text.to_owned()));
    let time = text
        .cast_to(&DataType::Timestamp(TimeUnit::Nanosecond, None))
        .ok()?;
    let day = |neighbour| {
        TimeRounding::new(DataType::Date32, neighbour)
            .of_scalar(&time)
            .ok()
    };
    (day(Neighbour::Before)? != day(Neighbour::After)?).then_some(time)
}

type Rewrite = fn(Expr, &DFSchema) -> Result<Transformed<Expr>>;

fn of_plan(plan: LogicalPlan, rewrite: Rewrite) -> Result<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        let columns = scan.source.schema();
        schema.merge(&DFSchema::try_from_qualified_schema(
            scan.table_name.clone(),
            &columns,
        )?);
    }
    let names = NamePreserver::new(&plan);
    plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let exact = expr.transform_up(|expr| rewrite(expr, &schema))?;
        Ok(exact.update_data(|expr| name.restore(expr)))
    })
}

fn of_expr(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let exact = match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => of_pair(left, *op, right, schema)?,
        Expr::Between(between) => of_between(between, schema)?,
        Expr::InList(list) => of_list(list, schema)?,
        _ => None,
    };
    Ok(match exact {
        Some(exact) => Transformed::yes(exact),
        None => Transformed::no(expr),
    })
}

/// Expression that is compared in a finer unit than its own: usually a column.
struct Coarse<'a> {
    expr: &'a Expr,
    data_type: DataType,
}

/// Returns the operand of a cast to a finer unit; `None` if the expression is not such a cast.
fn coarse<'a>(expr: &'a Expr, schema: &DFSchema) -> Result<Option<Coarse<'a>>> {
    let Expr::Cast(Cast { expr, field }) = expr else {
        return Ok(None);
    };
    let is_utc = |zone: &str| ["UTC", "+00:00"].contains(&zone);
    match field.data_type() {
        DataType::Timestamp(_, zone) if zone.as_deref().is_none_or(is_utc) => {}
        _ => return Ok(None),
    }
    let data_type = expr.get_type(schema)?;
    let is_naive = matches!(data_type, DataType::Date32 | DataType::Timestamp(_, None));
    let is_coarser = tick(&data_type) > tick(field.data_type());
    Ok((is_naive && is_coarser).then_some(Coarse { expr, data_type }))
}

/// True if an expression has the same value for all rows, known before the query runs.
fn is_constant(expr: &Expr) -> bool {
    let mut is_constant = !expr.is_volatile();
    // The closure never fails.
    let _ = expr.apply(|part| {
        let depends = matches!(
            part,
            Expr::Column(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::AggregateFunction(_)
                | Expr::WindowFunction(_)
        );
        is_constant &= !depends;
        Ok(if is_constant {
            TreeNodeRecursion::Continue
        } else {
            TreeNodeRecursion::Stop
        })
    });
    is_constant
}

/// Returns the value of a literal, also of one that is cast.
fn literal(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Cast(cast) => literal(&cast.expr)?.cast_to(cast.field.data_type()).ok(),
        _ => None,
    }
}

fn of_pair(left: &Expr, op: Operator, right: &Expr, schema: &DFSchema) -> Result<Option<Expr>> {
    if let Some(column) = coarse(left, schema)?.filter(|_| is_constant(right)) {
        return column.compared(op, right);
    }
    let Some(op) = op.swap() else {
        return Ok(None);
    };
    match coarse(right, schema)?.filter(|_| is_constant(left)) {
        Some(column) => column.compared(op, left),
        None => Ok(None),
    }
}

/// Rewrites `BETWEEN` as two comparisons if one of them is between two units.
fn of_between(between: &Between, schema: &DFSchema) -> Result<Option<Expr>> {
    if between.expr.is_volatile() {
        return Ok(None);
    }
    let least = of_pair(&between.expr, Operator::GtEq, &between.low, schema)?;
    let greatest = of_pair(&between.expr, Operator::LtEq, &between.high, schema)?;
    if least.is_none() && greatest.is_none() {
        return Ok(None);
    }
    let plain = |op, bound: &Expr| binary((*between.expr).clone(), op, bound.clone());
    let least = least.unwrap_or_else(|| plain(Operator::GtEq, &between.low));
    let greatest = greatest.unwrap_or_else(|| plain(Operator::LtEq, &between.high));
    let within = least.and(greatest);
    Ok(Some(if between.negated { !within } else { within }))
}

fn of_list(list: &InList, schema: &DFSchema) -> Result<Option<Expr>> {
    let Some(column) = coarse(&list.expr, schema)? else {
        return Ok(None);
    };
    if !list.list.iter().all(is_constant) {
        return Ok(None);
    }
    let values: Option<Vec<ScalarValue>> = list.list.iter().map(literal).collect();
    let within = match values {
        Some(values) => column.within(&values)?,
        None => {
            let equal = list
                .list
                .iter()
                .map(|value| column.equal(value))
                .collect::<Result<Vec<_>>>()?;
            let Some(equal) = equal.into_iter().reduce(Expr::or) else {
                return Ok(None);
            };
            equal
        }
    };
    Ok(Some(if list.negated { !within } else { within }))
}

impl Coarse<'_> {
    /// Rewrites the comparison with a finer value; `None` if it needs no change or has no exact form.
    fn compared(&self, op: Operator, value: &Expr) -> Result<Option<Expr>> {
        let value = match literal(value) {
            Some(value) if value.is_null() => return Ok(None),
            Some(value) => &lit(value),
            None => value,
        };
        Ok(Some(match op {
            Operator::Lt | Operator::GtEq => self.is(op, self.rounded(Neighbour::After, value)?),
            Operator::Gt | Operator::LtEq => self.is(op, self.rounded(Neighbour::Before, value)?),
            Operator::Eq => self.equal(value)?,
            Operator::NotEq => !self.equal(value)?,
            Operator::IsNotDistinctFrom => self.same(value)?,
            Operator::IsDistinctFrom => !self.same(value)?,
            _ => return Ok(None),
        }))
    }

    fn is(&self, op: Operator, value: Expr) -> Expr {
        binary(self.expr.clone(), op, value)
    }

    /// Rounds a value to the unit of the column; the result is a literal if the value is one.
    fn rounded(&self, neighbour: Neighbour, value: &Expr) -> Result<Expr> {
        let rounded = TimeRounding::new(self.data_type.clone(), neighbour);
        if let Expr::Literal(value, _) = value {
            return Ok(lit(rounded.of_scalar(value)?));
        }
        let function = Arc::new(ScalarUDF::from(rounded));
        let call = ScalarFunction::new_udf(function, vec![value.clone()]);
        Ok(Expr::ScalarFunction(call))
    }

    /// Rewrites `=`: no tick is equal to a value between two ticks.
    fn equal(&self, value: &Expr) -> Result<Expr> {
        let before = self.rounded(Neighbour::Before, value)?;
        let after = self.rounded(Neighbour::After, value)?;
        Ok(match (&before, &after) {
            (Expr::Literal(..), Expr::Literal(..)) if before == after => {
                self.is(Operator::Eq, before)
            }
            // For a value between two ticks this range is empty; for values known only when the query begins, it is
            // decided then.
            _ => {
                let least = self.is(Operator::GtEq, after);
                least.and(self.is(Operator::LtEq, before))
            }
        })
    }

    /// Rewrites `IS NOT DISTINCT FROM`.
    fn same(&self, value: &Expr) -> Result<Expr> {
        let both_null = self.expr.clone().is_null().and(value.clone().is_null());
        Ok(self.equal(value)?.is_true().or(both_null))
    }

    /// Rewrites `IN` a list of literals; those between two ticks are dropped.
    fn within(&self, values: &[ScalarValue]) -> Result<Expr> {
        let mut members = Vec::new();
        for value in values {
            let before =
                TimeRounding::new(self.data_type.clone(), Neighbour::Before).of_scalar(value)?;
            let after =
                TimeRounding::new(self.data_type.clone(), Neighbour::After).of_scalar(value)?;
            if before == after {
                members.push(lit(before));
            }
        }
        match values.first().filter(|_| members.is_empty()) {
            Some(value) => self.equal(&lit(value.clone())),
            None => Ok(self.expr.clone().in_list(members, false)),
        }
    }
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
}
