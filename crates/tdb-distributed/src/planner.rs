//! Decides which queries are distributed among workers.

use std::fmt;
use std::sync::Arc;

use arrow_schema::{DataType, Schema};
use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::format::ExplainFormat;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, internal_err};
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::{
    Explain, LogicalPlan, PlanType, StringifiedPlan, ToStringifiedPlan,
};
use datafusion::physical_plan::explain::ExplainExec;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion_distributed::NetworkBoundaryExt;

use crate::journal::Listener;

/// Plans queries for the workers. Queries that would send lists with 64-bit offsets between machines run in the
/// client's process instead: arrow-flight 59 declares their offsets as 32 bits wide, so that the receiver would
/// decode wrong values.
pub(crate) struct Planner {
    /// Receives a message if the query runs without the workers.
    pub(crate) listener: Option<Listener>,
    /// The engine's planner, which splits plans into stages; `None` if the session had no planner.
    pub(crate) distributed: Option<Arc<dyn QueryPlanner + Send + Sync>>,
}

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let LogicalPlan::Explain(explain) = plan
            && explain.explain_format == ExplainFormat::Indent
        {
            let shared = self.create_physical_plan(&explain.plan, session).await?;
            return Ok(explained(explain, shared.as_ref()));
        }
        let Some(distributed) = &self.distributed else {
            return internal_err!("no planner of stages");
        };
        let shared = distributed.create_physical_plan(plan, session).await?;
        if !carries_large_lists(&shared)? {
            return Ok(shared);
        }
        let what =
            "the query runs without the workers: lists of values cannot be sent between machines";
        if let Some(listener) = &self.listener {
            listener(what);
        }
        let planner = DefaultPhysicalPlanner::default();
        planner.create_physical_plan(plan, session).await
    }
}

/// Builds the plan for `EXPLAIN`. DataFusion's own planner would not show which parts of the plan run on workers.
fn explained(explain: &Explain, shared: &dyn ExecutionPlan) -> Arc<dyn ExecutionPlan> {
    let mut plans = explain.stringified_plans.clone();
    plans.push(explain.plan.to_stringified(PlanType::FinalLogicalPlan));
    let text = displayable(shared).indent(explain.verbose).to_string();
    plans.push(StringifiedPlan::new(PlanType::FinalPhysicalPlan, text));
    let schema = Arc::new(explain.schema.as_arrow().clone());
    Arc::new(ExplainExec::new(schema, plans, explain.verbose))
}

/// True if rows with 64-bit list offsets cross a machine boundary.
fn carries_large_lists(plan: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    let mut found = false;
    plan.apply(|node| {
        found |= node.is_network_boundary() && has_large_lists(&node.schema());
        Ok(if found {
            TreeNodeRecursion::Stop
        } else {
            TreeNodeRecursion::Continue
        })
    })?;
    Ok(found)
}

fn has_large_lists(schema: &Schema) -> bool {
    schema
        .fields()
        .iter()
        .any(|field| is_large_list(field.data_type()))
}

fn is_large_list(datatype: &DataType) -> bool {
    match datatype {
        DataType::LargeList(_) | DataType::LargeListView(_) => true,
        DataType::List(inner) | DataType::FixedSizeList(inner, _) | DataType::Map(inner, _) => {
            is_large_list(inner.data_type())
        }
        DataType::Struct(fields) => fields.iter().any(|field| is_large_list(field.data_type())),
        DataType::Dictionary(_, values) => is_large_list(values),
        _ => false,
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planner").finish_non_exhaustive()
    }
}
