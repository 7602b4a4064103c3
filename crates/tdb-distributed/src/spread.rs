//! Distribution of the parts of a scan among workers.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_distributed::{
    DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedLeafExec,
    ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
};
use tdb_datafusion::ArrayScan;

/// Number of tasks for a scan: at most one per part, and at least `cells_each` cells per task.
pub(crate) fn desired(
    event: &DesiredTaskCountEvent<'_>,
    cells_each: usize,
) -> Option<Result<DesiredTaskCountEventResponse>> {
    let scan = event.plan.downcast_ref::<ArrayScan>()?;
    let parts = scan.part_count();
    let tasks = match scan.rows() {
        Some(rows) => parts.min(rows.checked_div(cells_each).unwrap_or(parts)),
        None => parts,
    };
    Some(Ok(DesiredTaskCountEventResponse::desired(tasks.max(1))))
}

/// Splits a scan into one scan per task.
pub(crate) fn shares(
    event: &ScaleUpLeafNodeEvent<'_>,
) -> Option<Result<ScaleUpLeafNodeEventResponse>> {
    let scan = event.plan.downcast_ref::<ArrayScan>()?;
    Some(of_tasks(event.plan, scan, event.task_count).map(ScaleUpLeafNodeEventResponse::new))
}

fn of_tasks(
    plan: &Arc<dyn ExecutionPlan>,
    scan: &ArrayScan,
    tasks: usize,
) -> Result<Arc<dyn ExecutionPlan>> {
    if tasks < 2 {
        return Ok(Arc::clone(plan));
    }
    let shares = scan
        .shares(tasks)?
        .into_iter()
        .map(|share| Arc::new(share) as Arc<dyn ExecutionPlan>);
    let leaf = DistributedLeafExec::try_new(Arc::clone(plan), shares)?;
    Ok(Arc::new(leaf))
}
