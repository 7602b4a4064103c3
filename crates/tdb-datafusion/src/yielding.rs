//! Joins that make many rows of few give way to others, so that a statement that was given up ends.
//!
//! In DataFusion 55.2 what reads does so; what a join makes of one batch, without equal columns or with few different values of them, can
//! keep a thread for minutes.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};

/// Puts a node that gives way above each such join.
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
            Ok(if is_join {
                Transformed::yes(Arc::new(CooperativeExec::new(node)) as _)
            } else {
                Transformed::no(node)
            })
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
