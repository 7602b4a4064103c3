//! `IN (SELECT …)` within other conditions, if one of the compared values can be null.
//!
//! DataFusion 55.2 answers false there instead of null, so that `NOT (a IN (SELECT …)) OR …` is true for a null `a`.
//! The replacement here uses `EXISTS`, which is never null: one test for a match, and one for whether the answer is
//! unknown.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, Operator, Subquery,
    lit, not,
};
use datafusion::optimizer::AnalyzerRule;

/// Alias of the subquery.
const ROWS: &str = "__among";

/// Analyzer rule that makes `IN (SELECT …)` null where SQL demands it.
#[derive(Debug)]
pub(crate) struct Among;

impl AnalyzerRule for Among {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mended = plan.transform_down_with_subqueries(|plan| match plan {
            LogicalPlan::Filter(filter) if has_subquery(&filter.predicate) => {
                let schema = Arc::clone(filter.input.schema());
                let tests = split_conjunction_owned(filter.predicate)
                    .into_iter()
                    .map(|test| mended(test, &schema))
                    .collect::<Result<Vec<_>>>()?;
                let predicate = conjunction(tests).unwrap_or_else(|| lit(true));
                let filter = Filter::try_new(predicate, filter.input)?;
                Ok(Transformed::yes(LogicalPlan::Filter(filter)))
            }
            other => Ok(Transformed::no(other)),
        });
        Ok(mended?.data)
    }

    fn name(&self) -> &str {
        "among"
    }
}

fn has_subquery(predicate: &Expr) -> bool {
    let mut has = false;
    let _: Result<TreeNodeRecursion> = predicate.apply(|part| {
        has |= matches!(part, Expr::InSubquery(_));
        Ok(TreeNodeRecursion::Continue)
    });
    has
}

/// Rewrites one condition of a conjunction. `[NOT] IN` alone is a join that handles null; within OR and AND without
/// NOT, false and null have the same effect in the end.
fn mended(test: Expr, schema: &DFSchema) -> Result<Expr> {
    match test {
        Expr::InSubquery(_) => Ok(test),
        Expr::Not(of) if matches!(*of, Expr::InSubquery(_)) => Ok(Expr::Not(of)),
        test => mended_within(test, schema),
    }
}

fn mended_within(test: Expr, schema: &DFSchema) -> Result<Expr> {
    match test {
        Expr::InSubquery(InSubquery { negated: false, .. }) => Ok(test),
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::And | Operator::Or) =>
        {
            let left = Box::new(mended_within(*left, schema)?);
            let right = Box::new(mended_within(*right, schema)?);
            Ok(Expr::BinaryExpr(BinaryExpr { left, op, right }))
        }
        test => {
            let all = test.transform_up(|part| match part {
                Expr::InSubquery(among) => with_null(among, schema).map(Transformed::yes),
                other => Ok(Transformed::no(other)),
            });
            Ok(all?.data)
        }
    }
}

/// Rewrites `IN (SELECT …)` so that it is null where the answer is unknown.
fn with_null(among: InSubquery, schema: &DFSchema) -> Result<Expr> {
    let rows = Arc::clone(among.subquery.subquery.schema());
    let Some((_, field)) = rows.iter().next() else {
        return plan_err!("IN takes a query of one column");
    };
    let value_may_be_null = among.expr.nullable(schema)?;
    if !field.is_nullable() && !value_may_be_null {
        return Ok(Expr::InSubquery(among));
    }
    let InSubquery {
        expr,
        subquery,
        negated,
    } = among;
    if !subquery.outer_ref_columns.is_empty() {
        return plan_err!(
            "IN of a query that depends on the row, within other conditions, where one of both can be null\nask EXISTS, which is never null; or \
             leave nulls out: coalesce(x, …)"
        );
    }
    let column = Expr::Column(Column::new(Some(ROWS), field.name()));
    let (value, outer) = seen_from_within(&expr, schema)?;
    let is_there = exists(&subquery, Some(column.clone().eq(value)), &outer)?;
    let has_null = exists(&subquery, Some(column.is_null()), &[])?;
    let is_unknown = if value_may_be_null {
        has_null.or(expr.is_null().and(exists(&subquery, None, &[])?))
    } else {
        has_null
    };
    let null = lit(ScalarValue::Boolean(None));
    let is_among = is_there.or(null.and(is_unknown));
    Ok(if negated { not(is_among) } else { is_among })
}

/// Returns the test whether a query has rows for which a condition is true.
fn exists(subquery: &Subquery, condition: Option<Expr>, outer: &[Expr]) -> Result<Expr> {
    let rows = LogicalPlanBuilder::from(subquery.subquery.as_ref().clone()).alias(ROWS)?;
    let rows = match condition {
        Some(condition) => rows.filter(condition)?,
        None => rows,
    };
    Ok(Expr::Exists(Exists {
        subquery: Subquery {
            subquery: Arc::new(rows.build()?),
            outer_ref_columns: outer.to_vec(),
            spans: subquery.spans.clone(),
        },
        negated: false,
    }))
}

/// Returns an expression as seen from within a subquery, and its columns as outer references.
fn seen_from_within(expr: &Expr, schema: &DFSchema) -> Result<(Expr, Vec<Expr>)> {
    let mut outer = Vec::new();
    let seen = expr.clone().transform_up(|part| match part {
        Expr::Column(column) => {
            let field = Arc::clone(schema.field_from_column(&column)?);
            let column = Expr::OuterReferenceColumn(field, column);
            outer.push(column.clone());
            Ok(Transformed::yes(column))
        }
        Expr::InSubquery(_) | Expr::Exists(_) | Expr::ScalarSubquery(_) => {
            plan_err!(
                "a subquery on the left of IN (SELECT …) can be null here\njoin the tables, or ask EXISTS"
            )
        }
        other => Ok(Transformed::no(other)),
    });
    Ok((seen?.data, outer))
}
