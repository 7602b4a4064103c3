//! Makes joins that produce many rows from few yield to other tasks, so that a cancelled statement ends.
//!
//! In DataFusion 55.2, only sources yield. The rows that a join makes of one batch, without equality conditions or
//! with few distinct keys, can occupy a thread for minutes.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, internal_err};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};

use crate::short_batches::ShortBatches;

/// Optimizer rule that puts a yielding node above each such join, and one that passes on few rows at a time below the
/// second input of joins without equality conditions.
#[derive(Debug)]
pub(crate) struct JoinsGiveWay;

impl PhysicalOptimizerRule for JoinsGiveWay {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let given_way = plan.transform_up(|node| {
            let is_join = node.is::<CrossJoinExec>()
                || node.is::<NestedLoopJoinExec>()
                || node.is::<HashJoinExec>()
                || node.is::<SortMergeJoinExec>();
            if !is_join {
                return Ok(Transformed::no(node));
            }
            let node = if node.is::<NestedLoopJoinExec>() {
                with_short_batches(node)?
            } else {
                node
            };
            Ok(Transformed::yes(Arc::new(CooperativeExec::new(node)) as _))
        });
        Ok(given_way?.data)
    }

    fn name(&self) -> &'static str {
        "joins_give_way"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the join with a second input in short batches.
fn with_short_batches(join: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let [left, right] = join.children()[..] else {
        return internal_err!("a join with {} inputs", join.children().len());
    };
    let right = Arc::new(ShortBatches::new(Arc::clone(right)));
    let children = vec![Arc::clone(left), right as _];
    replace_children_if_necessary(join, children)
}
