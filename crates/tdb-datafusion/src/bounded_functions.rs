//! Analyzer rule by which all functions whose results may be long reserve memory for them.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::execution::memory_pool::MemoryPool;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::optimizer::AnalyzerRule;

use crate::lengthy::with_lengthy;

/// Replaces functions that the planner does not take from the registry: those that are written as operators.
#[derive(Debug)]
pub(crate) struct BoundedFunctions {
    pub(crate) pool: Arc<dyn MemoryPool>,
}

impl AnalyzerRule for BoundedFunctions {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let bounded = plan.transform_up_with_subqueries(|plan| {
            let names = NamePreserver::new(&plan);
            plan.map_expressions(|expr| {
                let name = names.save(&expr);
                let bounded = with_lengthy(expr, &self.pool)?;
                Ok(bounded.update_data(|expr| name.restore(expr)))
            })
        });
        Ok(bounded?.data)
    }

    fn name(&self) -> &str {
        "bounded_functions"
    }
}
