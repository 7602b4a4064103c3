//! Limits on the resources that clients of a worker can use.

use std::time::Duration;

/// Limits of a worker. A request that exceeds one is refused with the name of the limit before the worker acts on it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerLimits {
    /// Bytes per message.
    pub message: usize,
    /// Partitions per plan node, tasks per stage, and partitions per request.
    pub partitions: u64,
    /// Channels in a plan: the sum over its repartition nodes of input partitions times output partitions.
    pub channels: u64,
    /// Work-feed partitions that a request declares. Queries of tdb declare none.
    pub feeds: u64,
    /// Rows per batch.
    pub batch: u64,
    /// Bytes buffered for the rows of another worker, and by a node that reads ahead.
    pub buffer: u64,
    /// Nesting depth of plan nodes and expressions.
    pub depth: usize,
    /// Number of plan nodes, including expressions and types.
    pub nodes: usize,
    /// Bytes of literal values and inline rows in a plan.
    pub values: usize,
    /// Bytes or elements per value of a fixed-length type.
    pub fixed: u64,
    /// Characters that a function such as `repeat` may produce from its length argument.
    pub repeats: u64,
    /// Rows or groups that a top-k node keeps.
    pub best: u64,
    /// Plans kept at the same time.
    pub plans: usize,
    /// Connections that have proven that they know the token.
    pub connections: usize,
    /// Connections that have not proven it yet. Beyond this limit, a new connection replaces the oldest.
    pub strangers: usize,
    /// Concurrent requests per connection.
    pub requests: u32,
    /// Timeout for a connection to prove that it knows the token.
    pub handshake: Duration,
    /// Idle time after which a connection is pinged, and the timeout for the reply.
    pub idle: Duration,
    /// Time that running requests are given to finish after the worker is asked to stop.
    pub stop: Duration,
    /// Total bytes of temporary files.
    pub temporary: u64,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self {
            message: 16 << 20,
            partitions: 4096,
            channels: 1 << 22,
            feeds: 0,
            batch: 1 << 16,
            buffer: 1 << 30,
            depth: 64,
            nodes: 200_000,
            values: 1 << 20,
            fixed: 1 << 16,
            repeats: 1 << 20,
            best: 1 << 20,
            plans: 1024,
            connections: 256,
            strangers: 64,
            requests: 1024,
            handshake: Duration::from_secs(5),
            idle: Duration::from_secs(10),
            stop: Duration::from_millis(300),
            temporary: 64 << 30,
        }
    }
}
