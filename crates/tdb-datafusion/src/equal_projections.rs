//! Optimizer rule by which a projection of a projection with the same expressions keeps its meaning.
//!
//! DataFusion 55.2 takes two such projections for one (`optimize_projections`), though the expressions of the upper one
//! are about the results of the lower one: `select a + a as a from (select a + a as a from t)` gave `a + a`.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{Optimizer, OptimizerConfig, OptimizerRule};

/// Gives the results of the lower projection other names, so that the expressions differ.
#[derive(Debug)]
struct EqualProjections;

/// Name of the rule of DataFusion that takes equal projections for one.
const MERGES: &str = "optimize_projections";

/// Returns the rules of DataFusion, with this one before each that merges projections.
pub(crate) fn optimizer_rules() -> Vec<Arc<dyn OptimizerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn OptimizerRule + Send + Sync>> = Vec::new();
    for rule in Optimizer::new().rules {
        if rule.name() == MERGES {
            rules.push(Arc::new(EqualProjections));
        }
        rules.push(rule);
    }
    rules
}

impl OptimizerRule for EqualProjections {
    fn name(&self) -> &str {
        "equal_projections"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Projection(upper) = &plan else {
            return Ok(Transformed::no(plan));
        };
        match &*upper.input {
            LogicalPlan::Projection(lower) if lower.expr == upper.expr && !is_same(upper) => {
                Ok(Transformed::yes(told_apart(upper, lower)?))
            }
            _ => Ok(Transformed::no(plan)),
        }
    }
}

/// Whether a projection leaves its rows as they are.
fn is_same(projection: &Projection) -> bool {
    let mut exprs = projection.expr.iter();
    exprs.all(|expr| matches!(expr, Expr::Column(_) | Expr::Literal(..)))
}

/// Returns the same projections, with names of their own for the results of the lower one.
fn told_apart(upper: &Projection, lower: &Projection) -> Result<LogicalPlan> {
    let name = |place: usize| format!("__lower_{place}");
    let columns: Vec<Column> = lower.schema.columns();
    let renamed = (lower.expr.iter().cloned().enumerate())
        .map(|(place, expr)| expr.unalias().alias(name(place)))
        .collect();
    let below = Projection::try_new(renamed, Arc::clone(&lower.input))?;
    let names = NamePreserver::new_for_projection();
    let about_below = |expr: &Expr| -> Result<Expr> {
        let shown = names.save(expr);
        let changed = expr.clone().transform_up(|part| {
            let Expr::Column(column) = &part else {
                return Ok(Transformed::no(part));
            };
            Ok(match columns.iter().position(|known| known == column) {
                Some(place) => Transformed::yes(Expr::Column(Column::from_name(name(place)))),
                None => Transformed::no(part),
            })
        })?;
        Ok(shown.restore(changed.data))
    };
    let exprs = (upper.expr.iter().map(about_below)).collect::<Result<Vec<Expr>>>()?;
    let above = Projection::try_new(exprs, Arc::new(LogicalPlan::Projection(below)))?;
    Ok(LogicalPlan::Projection(above))
}
