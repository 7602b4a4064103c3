//! What a worker does at most for those who may ask it.

use std::time::Duration;

/// The limits of a worker. What exceeds one is refused by its name, before anything is made of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WorkerLimits {
    /// Bytes of a message.
    pub message: usize,
    /// Partitions of a node of a plan, and of what a request asks for.
    pub partitions: u64,
    /// Ways between the partitions that nodes of a plan take and those that they make, in all.
    pub channels: u64,
    /// Streams of work that a request declares. No query of tdb declares any.
    pub feeds: u64,
    /// Rows of a batch.
    pub batch: u64,
    /// Bytes that are buffered of another worker's rows, and by a node that reads ahead.
    pub buffer: u64,
    /// Nodes of a plan below each other, and of an expression.
    pub depth: usize,
    /// Nodes of a plan, with those of its expressions and types.
    pub nodes: usize,
    /// Bytes of the rows that a plan brings along.
    pub values: usize,
    /// Bytes of a value whose type says how long it is.
    pub fixed: u64,
    /// Characters or elements that a function may make by the number that it is given.
    pub repeats: u64,
    /// Rows that a sort or a group keeps of its best.
    pub best: u64,
    /// Plans that are kept at a time.
    pub plans: usize,
    /// Connections that have proven themselves.
    pub connections: usize,
    /// Connections that have not yet. Where one more comes, the oldest of them is closed.
    pub strangers: usize,
    /// Requests at a time on a connection.
    pub requests: u32,
    /// How long a connection may take to prove itself.
    pub handshake: Duration,
    /// How long a connection may be silent until it is asked whether somebody is there, and how long the answer may take.
    pub idle: Duration,
    /// How long requests may go on once the worker is told to stop.
    pub stop: Duration,
    /// Bytes of temporary files.
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
