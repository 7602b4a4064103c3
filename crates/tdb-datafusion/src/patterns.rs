//! `LIKE` on bytes that may not be valid text: `char` of an array, or the fill value of a dense array.
//!
//! DataFusion 55.2 converts them to text, and fails at the first invalid one. Here such a value is null, so it
//! matches neither `LIKE` nor `NOT LIKE`.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Cast, Like, TryCast};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use datafusion::optimizer::AnalyzerRule;

/// Analyzer rule that makes bytes which are not text null in `LIKE`.
#[derive(Debug)]
pub(crate) struct Patterns;

impl AnalyzerRule for Patterns {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let mended = plan.transform_up_with_subqueries(|plan| {
            let schema = merge_schema(&plan.inputs());
            let names = NamePreserver::new(&plan);
            plan.map_expressions(|expr| {
                let name = names.save(&expr);
                let mended = expr.transform_up(|part| match part {
                    Expr::Like(like) => Ok(mended(like, &schema)),
                    other => Ok(Transformed::no(other)),
                });
                Ok(mended?.update_data(|expr| name.restore(expr)))
            })
        });
        Ok(mended?.data)
    }

    fn name(&self) -> &str {
        "patterns"
    }
}

fn mended(like: Like, schema: &DFSchema) -> Transformed<Expr> {
    let Expr::Cast(Cast { expr, field }) = &*like.expr else {
        return Transformed::no(Expr::Like(like));
    };
    let are_bytes = matches!(
        expr.get_type(schema),
        Ok(DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
    );
    if !are_bytes {
        return Transformed::no(Expr::Like(like));
    }
    let text = TryCast::new_from_field(expr.clone(), Arc::clone(field));
    Transformed::yes(Expr::Like(Like {
        expr: Box::new(Expr::TryCast(text)),
        ..like
    }))
}
