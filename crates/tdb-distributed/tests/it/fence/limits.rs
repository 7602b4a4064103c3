//! Resource limits of a worker towards its clients.

use std::time::Duration;

use datafusion_proto::protobuf::physical_plan_node::PhysicalPlanType as Node;
use datafusion_proto::protobuf::{CoalesceBatchesExecNode, MemoryScanExecNode};
use datafusion_proto_common::protobuf_common::arrow_type::ArrowTypeEnum;
use datafusion_proto_common::protobuf_common::scalar_value::Value;
use prost::Message;
use tonic::Code;

use super::{Fenced, says};
use crate::hostile::{Bytes, Count, Execute, Feed, Head, Kept};
use crate::plans::{call, datatype, plan, repartitioned, row, scan, schema, text, value};

#[test]
fn memory_is_not_taken_on_the_word_of_a_plan() {
    let fenced = Fenced::new();
    // The header claims a message of 2^62 bytes.
    let memory = |partition: Vec<u8>| {
        plan(Node::MemoryScan(MemoryScanExecNode {
            partitions: vec![partition],
            schema: Some(schema("line")),
            ..MemoryScanExecNode::default()
        }))
    };
    let long = [&[0xff; 4][..], &0x7fff_fff0_u32.to_le_bytes(), b"short"].concat();
    says(
        &fenced.refused(&memory(long)),
        Code::InvalidArgument,
        "end within a message",
    );
    let much = vec![0; 2 << 20];
    says(
        &fenced.refused(&memory(much)),
        Code::ResourceExhausted,
        "bytes of values",
    );
    let wide = Value::NullValue(datatype(ArrowTypeEnum::FixedSizeBinary(i32::MAX)));
    says(
        &fenced.refused(&row(value(wide))),
        Code::ResourceExhausted,
        "of a type",
    );
    let long = |length| {
        let args = vec![
            value(Value::Utf8Value("x".to_owned())),
            value(Value::Int64Value(length)),
        ];
        row(call("lpad", args))
    };
    let refused = fenced.refused(&long(i64::from(i32::MAX)));
    says(&refused, Code::ResourceExhausted, "characters");
    assert!(
        fenced
            .runtime
            .block_on(fenced.owner().run(&long(100)))
            .is_ok()
    );
    let batches = CoalesceBatchesExecNode {
        input: Some(Box::new(text("x"))),
        target_batch_size: u32::MAX,
        fetch: None,
    };
    let refused = fenced.refused(&plan(Node::CoalesceBatches(Box::new(batches))));
    says(&refused, Code::ResourceExhausted, "rows of a batch");
    let header = "x-datafusion-distributed-config-distributed.shuffle_batch_size";
    let owner = fenced.owner().header(header, "4294967295");
    let refused = fenced
        .runtime
        .block_on(owner.plan(&text("x")))
        .err()
        .unwrap();
    says(&refused, Code::ResourceExhausted, "rows of a batch");
    fenced.is_well();
}

#[test]
fn partitions_feeds_and_tasks_are_limited() {
    let fenced = Fenced::new();
    for count in [1 << 32, 1 << 62, u64::MAX] {
        for plan in [repartitioned(text("x"), count), scan("/x", count)] {
            let code = fenced.refused(&plan).code();
            assert!(matches!(
                code,
                Code::ResourceExhausted | Code::PermissionDenied
            ));
        }
        let owner = fenced.owner();
        let feeds = owner.set(|set| {
            set.plan = text("x").encode_to_vec();
            set.feeds = vec![Feed {
                id: vec![0; 16],
                partitions: count,
            }];
        });
        let refused = fenced.runtime.block_on(feeds).err().unwrap();
        says(&refused, Code::ResourceExhausted, "streams of work");
        let tasks = owner.set(|set| {
            set.plan = text("x").encode_to_vec();
            set.tasks = count;
        });
        let refused = fenced.runtime.block_on(tasks).err().unwrap();
        says(&refused, Code::ResourceExhausted, "tasks");
    }
    fenced.is_well();
}

#[test]
fn ways_between_partitions_are_limited() {
    let fenced = Fenced::new();
    // Each node alone is within the limit.
    for plan in [
        repartitioned(repartitioned(repartitioned(text("x"), 4096), 4096), 1),
        repartitioned(text("x"), 4096),
    ] {
        // The engine reports errors in the status details.
        let refused = fenced.refused(&plan);
        let refused = String::from_utf8_lossy(refused.details());
        assert!(refused.contains("channels between partitions"), "{refused}");
    }
    let plan = repartitioned(repartitioned(text("seven"), 64), 7);
    assert!(fenced.runtime.block_on(fenced.owner().plan(&plan)).is_ok());
    fenced.is_well();
}

#[test]
fn partitions_that_a_plan_does_not_have_are_an_error() {
    let fenced = Fenced::new();
    let owner = fenced.owner();
    let kept: Kept = fenced.runtime.block_on(owner.plan(&text("x"))).unwrap();
    let run = |start, end, head| {
        let execute = Execute {
            key: Some(kept.key.clone()),
            start,
            end,
            head,
        };
        fenced
            .runtime
            .block_on(owner.execute(&execute))
            .unwrap_err()
    };
    let none = Some(Head::None(()));
    for (start, end) in [
        (0, 1 << 32),
        (0, 1 << 60),
        (0, u64::MAX),
        (u64::MAX, u64::MAX),
    ] {
        says(
            &run(start, end, none.clone()),
            Code::ResourceExhausted,
            "partitions",
        );
    }
    says(
        &run(5, 1, none.clone()),
        Code::InvalidArgument,
        "partitions: 5 to 1",
    );
    says(&run(0, 1, None), Code::InvalidArgument, "head");
    let head = Some(Head::Broadcast(Count { count: 1 << 40 }));
    says(&run(0, 1, head), Code::ResourceExhausted, "broadcast");
    let RepartitionOf(bytes) = repartition(1 << 40);
    let head = Some(Head::Repartition(Bytes { bytes }));
    says(&run(0, 1, head), Code::ResourceExhausted, "partitions");
    // Partitions that the plan does not have are reported by the engine.
    run(0, 3, none.clone());
    let execute = Execute {
        key: Some(kept.key.clone()),
        start: 0,
        end: 1,
        head: none,
    };
    assert!(fenced.runtime.block_on(owner.execute(&execute)).is_ok());
}

struct RepartitionOf(Vec<u8>);

fn repartition(count: u64) -> RepartitionOf {
    let Some(Node::Repartition(node)) = repartitioned(text("x"), count).physical_plan_type else {
        panic!("no repartition");
    };
    RepartitionOf(node.partitioning.unwrap().encode_to_vec())
}

#[test]
fn messages_and_plans_take_no_more_memory_than_the_owner_gave() {
    let fenced = Fenced::with(|limits| limits.plans = 5, Some(64 << 20));
    let owner = fenced.owner();
    let padded = |bytes: usize| {
        let mut plan = text("x").encode_to_vec();
        // Appends a field unknown to the schema.
        plan.extend([0xfa, 0x3f]);
        prost::encoding::encode_varint(bytes as u64, &mut plan);
        plan.resize(plan.len() + bytes, 0);
        plan
    };
    let set = |bytes| {
        let plan = padded(bytes);
        fenced.runtime.block_on(owner.set(|set| set.plan = plan))
    };
    says(
        &set(17 << 20).err().unwrap(),
        Code::ResourceExhausted,
        "at most 16777216",
    );
    // Each byte of a message takes four bytes of memory.
    let kept = [
        set(5 << 20).unwrap(),
        set(5 << 20).unwrap(),
        set(5 << 20).unwrap(),
    ];
    says(
        &set(5 << 20).err().unwrap(),
        Code::ResourceExhausted,
        "no memory",
    );
    drop(kept);
    std::thread::sleep(Duration::from_millis(300));
    let kept: Vec<_> = (0..5).map(|_| set(10).unwrap()).collect();
    says(
        &set(10).err().unwrap(),
        Code::ResourceExhausted,
        "holds 5 plans",
    );
    drop(kept);
    std::thread::sleep(Duration::from_millis(300));
    fenced.is_well();
}
