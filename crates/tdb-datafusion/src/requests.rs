//! Tells a scan that only the minima and maxima of columns are needed, so that the array can take them from its
//! statistics.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::statistics::StatisticsRequest;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, TableScan};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};

/// Optimizer rule that requests minima and maxima in scans below ungrouped aggregates with `min` and `max`.
#[derive(Debug)]
pub(crate) struct AskForExtremes;

impl OptimizerRule for AskForExtremes {
    fn name(&self) -> &'static str {
        "ask_arrays_for_extremes"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Aggregate(aggregate) = &plan else {
            return Ok(Transformed::no(plan));
        };
        let LogicalPlan::TableScan(scan) = aggregate.input.as_ref() else {
            return Ok(Transformed::no(plan));
        };
        let wanted = wanted(aggregate);
        if wanted.is_empty() || !scan.filters.is_empty() || scan.statistics_requests == wanted {
            return Ok(Transformed::no(plan));
        }
        let scan = LogicalPlan::TableScan(TableScan {
            statistics_requests: wanted,
            ..scan.clone()
        });
        let inputs = vec![scan];
        let told = plan.with_new_exprs(plan.expressions(), inputs)?;
        Ok(Transformed::yes(told))
    }
}

fn wanted(aggregate: &Aggregate) -> BTreeSet<StatisticsRequest> {
    if !aggregate.group_expr.is_empty() {
        return BTreeSet::new();
    }
    let functions = aggregate.aggr_expr.iter().filter_map(|expr| {
        let Expr::AggregateFunction(function) = expr.clone().unalias() else {
            return None;
        };
        let Some(Expr::Column(column)) = function.params.args.first().cloned() else {
            return None;
        };
        match function.func.name() {
            "min" => Some(StatisticsRequest::Min(Arc::new(column))),
            "max" => Some(StatisticsRequest::Max(Arc::new(column))),
            _ => None,
        }
    });
    functions.collect()
}
