//! Which plans a worker runs, and which files it reads for them.

use std::path::Path;
use std::time::Duration;

use datafusion_proto::protobuf::physical_expr_node::ExprType;
use datafusion_proto::protobuf::physical_plan_node::PhysicalPlanType as Node;
use datafusion_proto::protobuf::{
    GenerateSeriesNode, PhysicalExtensionExprNode, PhysicalPlanNode, SortExecNode,
};
use datafusion_proto_common::protobuf_common::scalar_value::Value;
use prost::Message;
use tokio::net::TcpListener;
use tonic::Code;

use super::{Fenced, says};
use crate::plans::{
    call, expression, extension, filtered, lines, lines_of, plan, row, scan, schema, sinks, text,
    union, value,
};

#[test]
fn nothing_is_written() {
    let fenced = Fenced::new();
    let target = fenced.folder.path().join("allowed/profile");
    std::fs::write(&target, "what was there").unwrap();
    for (sink, name) in sinks(&target, &text("a line of mine")).into_iter().zip([
        "CsvSink",
        "JsonSink",
        "ParquetSink",
    ]) {
        let deep = union(vec![text("fine"), filtered(filtered(sink.clone()))]);
        for plan in [sink, deep] {
            says(&fenced.refused(&plan), Code::PermissionDenied, name);
        }
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "what was there");
    assert!(fenced.told().contains("CsvSink"), "{}", fenced.told());
    fenced.is_well();
}

#[test]
fn files_and_arrays_are_read_where_the_owner_allowed_it() {
    let fenced = Fenced::new();
    let at = |name: &str| fenced.folder.path().join(name);
    std::fs::write(at("allowed/open"), "a line for all\n").unwrap();
    std::fs::write(at("secret"), "a line for nobody\n").unwrap();
    let run = |plan: &PhysicalPlanNode| fenced.runtime.block_on(fenced.owner().run(plan));
    let rows = run(&lines_of(&at("allowed/open"))).unwrap();
    assert!(String::from_utf8_lossy(&rows).contains("a line for all"));
    #[cfg(unix)]
    std::os::unix::fs::symlink(at("secret"), at("allowed/link")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(fenced.folder.path(), at("allowed/up")).unwrap();
    for outside in [
        "secret",
        "allowed/link",
        "allowed/up/secret",
        "allowed/../secret",
        "nothing",
    ] {
        let path = at(outside);
        let refused = fenced.refused(&filtered(lines_of(&path)));
        says(
            &refused,
            Code::PermissionDenied,
            "outside of the allowed places",
        );
        says(&refused, Code::PermissionDenied, "tdb worker --allow");
        let refused = fenced.refused(&scan(path.to_str().unwrap(), 1));
        says(
            &refused,
            Code::PermissionDenied,
            "outside of the allowed places",
        );
    }
    assert!(run(&lines_of(Path::new("/etc/hostname"))).is_err());
    // Records whether a worker connects to this server.
    let server = fenced
        .runtime
        .block_on(TcpListener::bind("127.0.0.1:0"))
        .unwrap();
    let store = format!("http://{}/", server.local_addr().unwrap());
    for (store, path) in [
        (&*store, "latest/meta-data"),
        ("http://169.254.169.254/", "latest/meta-data"),
        ("s3://a-bucket-of-others/", "x.csv"),
    ] {
        let refused = fenced.refused(&lines(store, path, 10));
        says(
            &refused,
            Code::PermissionDenied,
            "outside of the allowed places",
        );
        let refused = fenced.refused(&scan(&format!("{store}{path}"), 1));
        says(
            &refused,
            Code::PermissionDenied,
            "outside of the allowed places",
        );
    }
    let asked = fenced.runtime.block_on(async {
        tokio::time::timeout(Duration::from_millis(100), server.accept())
            .await
            .is_ok()
    });
    assert!(!asked, "the server was asked");
    // A missing array in an allowed folder is looked for.
    let missing = at("allowed/none");
    let error = run(&scan(missing.to_str().unwrap(), 1)).unwrap_err();
    assert_ne!(error.code(), Code::PermissionDenied, "{error}");
    fenced.is_well();
}

#[test]
fn what_no_query_over_arrays_needs_is_not_run() {
    let fenced = Fenced::new();
    let denied = |plan: &PhysicalPlanNode, text: &str| {
        says(&fenced.refused(plan), Code::PermissionDenied, text);
    };
    let series = plan(Node::GenerateSeries(GenerateSeriesNode {
        schema: Some(schema("v")),
        target_batch_size: u32::MAX,
        args: None,
    }));
    denied(&series, "GenerateSeries");
    denied(&row(call("read_file", vec![])), "read_file");
    denied(
        &row(call("range", vec![value(Value::Int64Value(1 << 40))])),
        "range",
    );
    denied(&extension(7, Vec::new()), "extension");
    let mut defined = call("upper", vec![value(Value::Utf8Value("x".to_owned()))]);
    if let Some(ExprType::ScalarUdf(call)) = &mut defined.expr_type {
        call.fun_definition = Some(vec![1]);
    }
    denied(&row(defined), "definitions");
    let extended = PhysicalExtensionExprNode::default();
    let extended = ExprType::Extension(extended);
    denied(&row(expression(extended)), "extension");
    // A built-in function is run.
    let upper = call("upper", vec![value(Value::Utf8Value("well".to_owned()))]);
    let rows = fenced
        .runtime
        .block_on(fenced.owner().run(&row(upper)))
        .unwrap();
    assert!(String::from_utf8_lossy(&rows).contains("WELL"));
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let fenced = Fenced::new();
    let invalid = |plan: &PhysicalPlanNode| {
        let status = fenced.refused(plan);
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    };
    invalid(&PhysicalPlanNode::default());
    invalid(&filtered(PhysicalPlanNode::default()));
    invalid(&row(Default::default()));
    invalid(&extension(0, b"nonsense".to_vec()));
    invalid(&extension(1, b"nonsense".to_vec()));
    let best_none = SortExecNode {
        input: Some(Box::new(text("x"))),
        fetch: 0,
        ..SortExecNode::default()
    };
    invalid(&plan(Node::Sort(Box::new(best_none))));
    let owner = fenced.owner();
    let set = fenced
        .runtime
        .block_on(owner.set(|set| set.plan = nested(5000)));
    assert_eq!(set.err().unwrap().code(), Code::InvalidArgument);
    let bytes: Vec<u8> = (0..4096_u32)
        .map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[2])
        .collect();
    for length in [0, 1, 7, 100, 4096] {
        let garbage = bytes[..length].to_vec();
        let sent = fenced.runtime.block_on(owner.send(garbage.clone())).err();
        assert_eq!(sent.unwrap().code(), Code::InvalidArgument, "{length}");
        let set = fenced
            .runtime
            .block_on(owner.set(|set| set.plan = garbage))
            .err();
        assert_eq!(set.unwrap().code(), Code::InvalidArgument, "{length}");
    }
    fenced.is_well();
}

/// Nested filters, encoded by hand: encoding DataFusion's message types would recurse as deeply.
fn nested(depth: usize) -> Vec<u8> {
    let mut plan = text("x").encode_to_vec();
    for _ in 0..depth {
        for field in [1 << 3 | 2, 12 << 3 | 2] {
            let mut outer = vec![field];
            prost::encoding::encode_varint(plan.len() as u64, &mut outer);
            outer.append(&mut plan);
            plan = outer;
        }
    }
    plan
}
