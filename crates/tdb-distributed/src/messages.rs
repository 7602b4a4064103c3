//! Messages of datafusion-distributed that a worker checks before the engine sees them: `worker.proto` and the plan
//! nodes of its codec, as of version 4.0.0, which does not export them. Unknown messages and nodes are refused.

use datafusion_proto::protobuf::{Partitioning, Schema};
use prost::{Message, Oneof};

/// Message from a client on the channel of a task.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ToWorker {
    #[prost(oneof = "Inner", tags = "1, 2, 3")]
    pub(crate) inner: Option<Inner>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Inner {
    #[prost(message, tag = "1")]
    SetPlan(SetPlan),
    /// A batch of a declared work feed, kept as bytes.
    #[prost(bytes, tag = "2")]
    Batch(Vec<u8>),
    #[prost(bool, tag = "3")]
    End(bool),
}

/// A plan to be executed later.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SetPlan {
    #[prost(message, optional, tag = "1")]
    pub(crate) task_key: Option<TaskKey>,
    #[prost(uint64, tag = "2")]
    pub(crate) task_count: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) plan: Vec<u8>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) feeds: Vec<Feed>,
    #[prost(string, tag = "5")]
    pub(crate) target_worker_url: String,
    #[prost(uint64, tag = "6")]
    pub(crate) query_start_time_ns: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub(crate) struct TaskKey {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) query_id: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(crate) stage_id: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) task_number: u64,
}

/// A work feed that a plan declares.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Feed {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) id: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(crate) partitions: u64,
}

/// Request to execute a range of partitions of a plan.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Execute {
    #[prost(message, optional, tag = "1")]
    pub(crate) task_key: Option<TaskKey>,
    #[prost(uint64, tag = "2")]
    pub(crate) start: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) end: u64,
    #[prost(oneof = "Head", tags = "6, 7, 8")]
    pub(crate) head: Option<Head>,
}

/// Node that the engine puts on top of a plan before executing it.
#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Head {
    #[prost(message, tag = "6")]
    None(Nothing),
    #[prost(message, tag = "7")]
    Broadcast(BroadcastHead),
    #[prost(message, tag = "8")]
    Repartition(RepartitionHead),
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Nothing {}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct BroadcastHead {
    #[prost(uint64, tag = "1")]
    pub(crate) output_partitions: u64,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct RepartitionHead {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) partitioning: Vec<u8>,
}

/// An error in the engine's own encoding, which workers forward unchanged; only the variant with a text is defined
/// here.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct EngineError {
    #[prost(string, optional, tag = "11")]
    pub(crate) execution: Option<String>,
}

/// A plan node outside DataFusion: the index of its codec, and its encoding.
#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Extension {
    #[prost(uint32, tag = "1")]
    pub(crate) codec: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) blob: Vec<u8>,
}

/// A plan node of the engine.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Distributed {
    #[prost(oneof = "Node", tags = "1, 2, 4, 5, 6, 7")]
    pub(crate) node: Option<Node>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Node {
    #[prost(message, tag = "1")]
    Shuffle(Exchange),
    #[prost(message, tag = "2")]
    Coalesce(Exchange),
    #[prost(message, tag = "4")]
    Isolator(Isolator),
    #[prost(message, tag = "5")]
    NetworkBroadcast(Exchange),
    #[prost(message, tag = "6")]
    Broadcast(Broadcast),
    #[prost(message, tag = "7")]
    Sampler(Nothing),
}

/// A node that receives the rows of another stage's tasks.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Exchange {
    #[prost(message, optional, tag = "1")]
    pub(crate) schema: Option<Schema>,
    #[prost(message, optional, tag = "2")]
    pub(crate) partitioning: Option<Partitioning>,
    #[prost(message, optional, tag = "3")]
    pub(crate) stage: Option<Stage>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Stage {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) query_id: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(crate) number: u64,
    #[prost(message, repeated, tag = "3")]
    pub(crate) tasks: Vec<Task>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct Task {
    #[prost(string, optional, tag = "1")]
    pub(crate) url: Option<String>,
}

/// A union whose inputs are distributed among the tasks.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Isolator {
    #[prost(uint64, tag = "1")]
    pub(crate) partition_count: u64,
    #[prost(message, repeated, tag = "2")]
    pub(crate) tasks: Vec<IsolatorTask>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) weights: Vec<Weight>,
}

#[derive(Clone, PartialEq, Eq, Message)]
pub(crate) struct IsolatorTask {
    #[prost(message, repeated, tag = "1")]
    pub(crate) children: Vec<IsolatorChild>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct IsolatorChild {
    #[prost(uint64, tag = "1")]
    pub(crate) child: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) task: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) tasks: u64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Weight {
    #[prost(double, tag = "1")]
    pub(crate) weight: f64,
    #[prost(uint64, optional, tag = "2")]
    pub(crate) max: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Message)]
pub(crate) struct Broadcast {
    #[prost(uint64, tag = "1")]
    pub(crate) consumers: u64,
}
