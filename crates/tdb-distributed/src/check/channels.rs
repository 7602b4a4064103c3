//! Limit on the number of channels between the partitions of a plan, checked after decoding and before the plan runs.

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, resources_err};
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};

use crate::WorkerLimits;

/// Fails if a plan needs more channels than `limits.channels`. A repartition of N inputs into M outputs has N × M
/// channels, all of which the engine allocates when the first output is requested. The head that a request puts on
/// top of the plan reads all partitions of the plan, so they count once more, times the largest number of partitions
/// a request may have.
pub(crate) fn check_channels(plan: &Arc<dyn ExecutionPlan>, limits: &WorkerLimits) -> Result<()> {
    let made = |plan: &Arc<dyn ExecutionPlan>| plan.output_partitioning().partition_count() as u64;
    let mut channels = made(plan).saturating_mul(limits.partitions);
    plan.apply(|node| {
        if node.downcast_ref::<RepartitionExec>().is_some() {
            let taken = node.children().into_iter().map(made).sum::<u64>();
            channels = channels.saturating_add(taken.saturating_mul(made(node)));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let most = limits.channels;
    if channels > most {
        return resources_err!(
            "the plan has {channels} channels between partitions; workers allow at most {most}"
        );
    }
    Ok(())
}
