//! Joins that make many rows of few give way to others, so that a statement that was given up ends.
//!
//! In DataFusion 55.2 what reads does so; what a join makes of one batch, without equal columns or with few different values of them, can
//! keep a thread for minutes.

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

/// Puts a node that gives way above each such join, and before those without equal columns one that hands them few rows at a time.
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

/// The join, whose second input comes in short batches.
fn with_short_batches(join: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let [left, right] = join.children()[..] else {
        return internal_err!("a join with {} inputs", join.children().len());
    };
    let right = Arc::new(ShortBatches::new(Arc::clone(right)));
    let children = vec![Arc::clone(left), right as _];
    replace_children_if_necessary(join, children)
}
