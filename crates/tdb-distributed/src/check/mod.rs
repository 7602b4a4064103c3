//! Checks client requests before the worker acts on them: a worker runs what queries over arrays need and nothing
//! else. Everything is matched against an allow-list, so that a kind of node added by a later version is refused
//! until somebody has reviewed it.

mod channels;
mod exchange;
mod expression;
mod files;
mod functions;
mod plan;
mod refusal;
mod repeats;
mod steps;
mod values;

use datafusion_proto::protobuf::{Partitioning, PhysicalPlanNode};
use prost::Message;

pub(crate) use self::channels::check_channels;
use self::functions::Functions;
pub(crate) use self::refusal::Refusal;
use self::steps::{Step, Steps};
use crate::messages::{Execute, Head, SetPlan, Task};
use crate::{Allowed, WorkerLimits};

/// The rules for client requests: allowed places, limits and functions.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) allowed: Allowed,
    pub(crate) limits: WorkerLimits,
    functions: Functions,
}

impl Rules {
    pub(crate) fn new(allowed: Allowed, limits: WorkerLimits) -> Self {
        Self {
            allowed,
            limits,
            functions: Functions::of_workers(),
        }
    }

    /// Checks a plan that a client sends for later execution.
    pub(crate) fn set_plan(&self, request: &SetPlan) -> Result<(), Refusal> {
        let limits = &self.limits;
        let feeds = request.feeds.iter().fold(0_u64, |sum, feed| {
            sum.saturating_add(feed.partitions.max(1))
        });
        Refusal::above("declared streams of work", feeds, limits.feeds)?;
        Refusal::above("tasks of a stage", request.task_count, limits.partitions)?;
        check_url(&request.target_worker_url)?;
        let plan = PhysicalPlanNode::decode(&*request.plan).map_err(Refusal::undecodable)?;
        Walk::new(self).plan(&plan)
    }

    /// Checks a request to run partitions of a plan.
    pub(crate) fn execute(&self, request: &Execute) -> Result<(), Refusal> {
        let most = self.limits.partitions;
        if request.start > request.end {
            let (start, end) = (request.start, request.end);
            return Err(Refusal::Range { start, end });
        }
        Refusal::above("partitions of a request", request.end, most)?;
        match request.head.as_ref().ok_or(Refusal::Unset("a head"))? {
            Head::None(_) => Ok(()),
            Head::Broadcast(head) => {
                Refusal::above("partitions of a broadcast", head.output_partitions, most)
            }
            Head::Repartition(head) => {
                let partitioning =
                    Partitioning::decode(&*head.partitioning).map_err(Refusal::undecodable)?;
                Walk::new(self).run(|walk, steps| walk.partitioning(Some(&partitioning), steps))
            }
        }
    }
}

/// Checks that a URL names a worker: `http://HOST:PORT/` and nothing more.
fn check_url(url: &str) -> Result<(), Refusal> {
    let parsed = url::Url::parse(url).ok();
    let is_worker = parsed.is_some_and(|url| {
        url.scheme() == "http"
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
    });
    if is_worker {
        return Ok(());
    }
    Err(Refusal::Address(url.to_owned()))
}

/// A traversal of the nodes of one request, which counts against the limits as it goes.
struct Walk<'r> {
    rules: &'r Rules,
    /// Remaining number of nodes.
    nodes: usize,
    /// Remaining bytes of inline values.
    values: usize,
}

impl<'r> Walk<'r> {
    fn new(rules: &'r Rules) -> Self {
        Self {
            rules,
            nodes: rules.limits.nodes,
            values: rules.limits.values,
        }
    }

    fn plan(&mut self, plan: &PhysicalPlanNode) -> Result<(), Refusal> {
        self.run(|_, steps| {
            steps.plan(Some(plan));
            Ok(())
        })
    }

    /// Visits all nodes reachable from those that `first` queues, depth first. Pending nodes are kept on a
    /// heap-allocated stack, so that a deeply nested plan cannot overflow the call stack.
    fn run<'p>(
        &mut self,
        first: impl FnOnce(&mut Self, &mut Steps<'p>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut steps = Steps::default();
        first(self, &mut steps)?;
        while let Some(step) = steps.next() {
            self.count(1)?;
            let depth = steps.depth();
            let most = self.rules.limits.depth;
            Refusal::above("nodes below each other", depth as u64, most as u64)?;
            match step {
                Step::Plan(plan) => self.plan_node(plan, &mut steps)?,
                Step::Expression(expression) => self.expression(expression, &mut steps)?,
                Step::Type(datatype) => self.datatype(datatype, &mut steps)?,
                Step::Value(value) => self.value(value, &mut steps)?,
                Step::Missing(what) => return Err(Refusal::Unset(what)),
            }
        }
        Ok(())
    }

    fn count(&mut self, nodes: usize) -> Result<(), Refusal> {
        let left = self.nodes.checked_sub(nodes);
        self.nodes = left.ok_or(Refusal::TooMuch {
            what: "nodes of a plan",
            most: self.rules.limits.nodes as u64,
        })?;
        Ok(())
    }

    /// Checks the number of partitions of a node.
    fn partitions(&self, count: u64) -> Result<(), Refusal> {
        let most = self.rules.limits.partitions;
        Refusal::above("partitions of a node", count, most)
    }

    /// Checks the number of rows per batch.
    fn batch(&self, rows: u64) -> Result<(), Refusal> {
        Refusal::above("rows of a batch", rows, self.rules.limits.batch)
    }

    /// Checks the tasks of another stage and the URLs of their workers.
    fn tasks(&mut self, tasks: &[Task]) -> Result<(), Refusal> {
        self.count(tasks.len())?;
        self.partitions(tasks.len() as u64)?;
        let mut urls = tasks.iter().filter_map(|task| task.url.as_deref());
        urls.try_for_each(check_url)
    }
}
