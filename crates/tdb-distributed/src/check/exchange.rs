//! Checks of plan nodes that are not DataFusion's own: exchanges between machines, and scans of arrays.

use datafusion_proto::protobuf::partitioning::PartitionMethod;
use datafusion_proto::protobuf::{Partitioning, PhysicalRangeSplitPoint};
use prost::Message;
use serde_json::Value as Json;

use super::Walk;
use super::refusal::Refusal;
use super::steps::Steps;
use crate::codec::SHORT_BATCHES;
use crate::messages::{Distributed, Exchange, Extension, Isolator, Node};
use crate::wire::Named;

/// Indexes of the codecs registered by a worker: the engine's own, then the one for scans of arrays.
const ENGINE: u32 = 0;
const SCAN: u32 = 1;

impl Walk<'_> {
    /// Checks a partitioning.
    pub(super) fn partitioning<'p>(
        &mut self,
        partitioning: Option<&'p Partitioning>,
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        let method = partitioning.and_then(|partitioning| partitioning.partition_method.as_ref());
        match method.ok_or(Refusal::Unset("a partitioning"))? {
            PartitionMethod::RoundRobin(count) | PartitionMethod::Unknown(count) => {
                self.partitions(*count)
            }
            PartitionMethod::Hash(hash) => {
                steps.expressions(&hash.hash_expr);
                self.partitions(hash.partition_count)
            }
            PartitionMethod::Range(range) => {
                steps.sorts(&range.sort_expr);
                self.split_points(&range.split_point, steps)
            }
        }
    }

    /// Checks the values that separate the partitions of a range partitioning.
    pub(super) fn split_points<'p>(
        &mut self,
        points: &'p [PhysicalRangeSplitPoint],
        steps: &mut Steps<'p>,
    ) -> Result<(), Refusal> {
        self.partitions(points.len() as u64)?;
        let values = points.iter().flat_map(|point| &point.value);
        values.for_each(|value| steps.value(Some(value)));
        Ok(())
    }

    /// Checks an extension node: a node of the engine, or a scan of an array.
    pub(super) fn extension(&mut self, bytes: &[u8], inputs: usize) -> Result<(), Refusal> {
        let extension = Extension::decode(bytes).map_err(Refusal::undecodable)?;
        match extension.codec {
            ENGINE => self.engine(&extension.blob),
            SCAN if extension.blob == SHORT_BATCHES && inputs == 1 => Ok(()),
            SCAN if inputs > 0 => Err(Refusal::Odd("a scan of an array with inputs")),
            SCAN => self.scan(&extension.blob),
            _ => Err(Refusal::Node("an extension of this kind")),
        }
    }

    fn engine(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let node = Distributed::decode(bytes).map_err(Refusal::undecodable)?;
        match node.node.ok_or(Refusal::Unset("a node of the engine"))? {
            Node::Shuffle(exchange)
            | Node::Coalesce(exchange)
            | Node::NetworkBroadcast(exchange) => self.exchange(&exchange),
            Node::Isolator(isolator) => self.isolator(&isolator),
            Node::Broadcast(broadcast) => self.partitions(broadcast.consumers),
            Node::Sampler(_) => Ok(()),
        }
    }

    fn exchange(&mut self, exchange: &Exchange) -> Result<(), Refusal> {
        let stage = exchange.stage.as_ref().ok_or(Refusal::Unset("a stage"))?;
        self.tasks(&stage.tasks)?;
        self.run(|walk, steps| {
            steps.schema(exchange.schema.as_ref());
            walk.partitioning(exchange.partitioning.as_ref(), steps)
        })
    }

    fn isolator(&mut self, isolator: &Isolator) -> Result<(), Refusal> {
        self.partitions(isolator.partition_count)?;
        self.count(isolator.weights.len())?;
        for task in &isolator.tasks {
            self.count(task.children.len().saturating_add(1))?;
            for child in &task.children {
                self.partitions(child.tasks)?;
            }
        }
        Ok(())
    }

    /// Checks the scan of an array: its URI must lie within the allowed places.
    fn scan(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let scan: Json = serde_json::from_slice(bytes).map_err(Refusal::undecodable)?;
        let named = Named::of_json(&scan).map_err(Refusal::undecodable)?;
        self.rules.allowed.uri(&named.uri)?;
        let partitions = scan.get("partitions").and_then(Json::as_u64);
        self.partitions(partitions.ok_or(Refusal::Unset("the partitions of a scan"))?)?;
        let parts = scan.get("parts").and_then(Json::as_array);
        self.count(parts.map_or(0, Vec::len))
    }
}
