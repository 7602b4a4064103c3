//! Checks of plan nodes: only those that queries over arrays need pass.

use datafusion_proto::protobuf::physical_plan_node::PhysicalPlanType as Node;
use datafusion_proto::protobuf::{
    AggregateExecNode, HashJoinExecNode, JoinFilter, JoinOn, MemoryScanExecNode, PhysicalPlanNode,
    SortMergeJoinExecNode,
};

use super::refusal::Refusal;
use super::steps::Steps;
use super::{Walk, values};

impl Walk<'_> {
    /// Checks one node of a plan and queues its inputs and expressions.
    pub(super) fn plan_node<'p>(
        &mut self,
        plan: &'p PhysicalPlanNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let node = plan.physical_plan_type.as_ref();
        self.leaf(node.ok_or(Refusal::Unset("a node"))?, steps)
    }

    /// Checks nodes without inputs, and extension nodes.
    fn leaf<'p>(&mut self, node: &'p Node, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            Node::ParquetScan(scan) => {
                steps.maybe(scan.predicate.as_ref());
                values::parquet_options(scan.parquet_options.as_ref())?;
                self.files(scan.base_conf.as_ref(), steps)
            }
            Node::CsvScan(scan) => self.files(scan.base_conf.as_ref(), steps),
            Node::JsonScan(scan) => self.files(scan.base_conf.as_ref(), steps),
            Node::ArrowScan(scan) => self.files(scan.base_conf.as_ref(), steps),
            Node::Empty(node) => {
                steps.schema(node.schema.as_ref());
                self.partitions(node.partitions.into())
            }
            Node::PlaceholderRow(node) => {
                steps.schema(node.schema.as_ref());
                self.partitions(node.partitions.into())
            }
            Node::MemoryScan(scan) => self.rows(scan, steps),
            Node::Extension(node) => {
                steps.plans(&node.inputs);
                self.extension(&node.node, node.inputs.len())
            }
            other => self.joining(other, steps),
        }
    }

    /// Checks inline rows, as a `VALUES` clause produces them.
    fn rows<'p>(
        &mut self,
        scan: &'p MemoryScanExecNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        self.partitions(scan.partitions.len() as u64)?;
        steps.schema(scan.schema.as_ref());
        scan.sort_information
            .iter()
            .for_each(|order| steps.sorts(&order.physical_sort_expr_nodes));
        for partition in scan.partitions.iter().filter(|bytes| !bytes.is_empty()) {
            self.bytes(partition.len())?;
            values::stream(partition)?;
        }
        Ok(())
    }

    /// Checks nodes with several inputs.
    fn joining<'p>(&mut self, node: &'p Node, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            Node::HashJoin(node) => hash_join(node, steps),
            Node::SortMergeJoin(node) => sort_merge_join(node, steps),
            Node::NestedLoopJoin(node) => {
                steps.plan(node.left.as_deref());
                steps.plan(node.right.as_deref());
                filter(node.filter.as_ref(), steps);
            }
            Node::CrossJoin(node) => {
                steps.plan(node.left.as_deref());
                steps.plan(node.right.as_deref());
            }
            Node::Union(node) => steps.plans(&node.inputs),
            Node::Interleave(node) => steps.plans(&node.inputs),
            Node::ScalarSubquery(node) => {
                steps.plan(node.input.as_deref());
                steps.plans(&node.subqueries);
            }
            other => return self.changing(other, steps),
        }
        Ok(())
    }

    /// Checks nodes that compute new rows from one input.
    fn changing<'p>(&mut self, node: &'p Node, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            Node::Projection(node) => {
                steps.plan(node.input.as_deref());
                steps.expressions(&node.expr);
            }
            Node::Filter(node) => {
                steps.plan(node.input.as_deref());
                steps.expression(node.expr.as_ref());
                self.batch(node.batch_size.into())?;
            }
            Node::Aggregate(node) => self.aggregate(node, steps)?,
            Node::Window(node) => {
                steps.plan(node.input.as_deref());
                steps.expressions(&node.partition_keys);
                for window in &node.window_expr {
                    self.window(window, steps)?;
                }
            }
            Node::Unnest(node) => {
                steps.plan(node.input.as_deref());
                steps.schema(node.schema.as_ref());
                values::unnest_options(node.options.as_ref())?;
            }
            Node::Cooperative(node) => steps.plan(node.input.as_deref()),
            other => return self.arranging(other, steps),
        }
        Ok(())
    }

    fn aggregate<'p>(
        &mut self,
        node: &'p AggregateExecNode,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        steps.plan(node.input.as_deref());
        steps.expressions(&node.group_expr);
        steps.expressions(&node.aggr_expr);
        steps.expressions(&node.null_expr);
        for filter in &node.filter_expr {
            steps.maybe(filter.expr.as_ref());
        }
        steps.maybe(node.dynamic_filter.as_ref());
        steps.schema(node.input_schema.as_ref());
        steps.maybe_schema(node.schema.as_ref());
        match &node.limit {
            None => Ok(()),
            // The engine panics on a limit of 0.
            Some(limit) if limit.limit == 0 => Err(Refusal::Odd("the best 0 groups")),
            Some(limit) => self.best(limit.limit),
        }
    }

    /// Checks the number of rows or groups that a top-k node allocates for.
    fn best(&self, rows: u64) -> Result<(), Refusal> {
        Refusal::above("best rows of a node", rows, self.rules.limits.best)
    }

    /// Checks nodes that sort, repartition, rebatch or limit rows. Everything else is refused.
    fn arranging<'p>(&mut self, node: &'p Node, steps: &mut Steps<'p>) -> Result<(), Refusal> {
        match node {
            Node::Sort(node) => {
                steps.plan(node.input.as_deref());
                steps.expressions(&node.expr);
                steps.maybe(node.dynamic_filter.as_ref());
                fetched(node.fetch)?;
            }
            Node::SortPreservingMerge(node) => {
                steps.plan(node.input.as_deref());
                steps.expressions(&node.expr);
                fetched(node.fetch)?;
            }
            Node::GlobalLimit(node) => {
                steps.plan(node.input.as_deref());
                steps.sorts(&node.required_ordering);
            }
            Node::LocalLimit(node) => {
                steps.plan(node.input.as_deref());
                steps.sorts(&node.required_ordering);
            }
            Node::Merge(node) => steps.plan(node.input.as_deref()),
            Node::Repartition(node) => {
                steps.plan(node.input.as_deref());
                self.partitioning(node.partitioning.as_ref(), steps)?;
            }
            Node::CoalesceBatches(node) => {
                steps.plan(node.input.as_deref());
                self.batch(node.target_batch_size.into())?;
            }
            Node::Buffer(node) => {
                steps.plan(node.input.as_deref());
                let most = self.rules.limits.buffer;
                Refusal::above("bytes of a buffer", node.capacity, most)?;
            }
            other => return Err(Refusal::Node(name(other))),
        }
        Ok(())
    }
}

/// The name of a node that workers do not run, for the error message.
fn name(node: &Node) -> &'static str {
    match node {
        Node::CsvSink(_) => "CsvSink",
        Node::JsonSink(_) => "JsonSink",
        Node::ParquetSink(_) => "ParquetSink",
        Node::AvroScan(_) => "AvroScan",
        Node::GenerateSeries(_) => "GenerateSeries",
        Node::SymmetricHashJoin(_) => "SymmetricHashJoin",
        Node::AsyncFunc(_) => "AsyncFunc",
        Node::Explain(_) => "Explain",
        Node::Analyze(_) => "Analyze",
        _ => "a node of this kind",
    }
}

/// Checks the row limit of a sort: the engine panics on 0. A negative number means no limit.
fn fetched(rows: i64) -> Result<(), Refusal> {
    if rows == 0 {
        return Err(Refusal::Odd("a sort of which 0 rows are taken"));
    }
    Ok(())
}

fn hash_join<'p>(node: &'p HashJoinExecNode, steps: &mut Steps<'p>) {
    steps.plan(node.left.as_deref());
    steps.plan(node.right.as_deref());
    keys(&node.on, steps);
    filter(node.filter.as_ref(), steps);
    steps.maybe(node.dynamic_filter.as_ref());
}

fn sort_merge_join<'p>(node: &'p SortMergeJoinExecNode, steps: &mut Steps<'p>) {
    steps.plan(node.left.as_deref());
    steps.plan(node.right.as_deref());
    keys(&node.on, steps);
    filter(node.filter.as_ref(), steps);
}

fn keys<'p>(on: &'p [JoinOn], steps: &mut Steps<'p>) {
    for on in on {
        steps.expression(on.left.as_ref());
        steps.expression(on.right.as_ref());
    }
}

fn filter<'p>(filter: Option<&'p JoinFilter>, steps: &mut Steps<'p>) {
    if let Some(filter) = filter {
        steps.expression(filter.expression.as_ref());
        steps.schema(filter.schema.as_ref());
    }
}
