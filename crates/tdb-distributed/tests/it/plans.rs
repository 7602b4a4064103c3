//! Plans that tdb never produces, built from DataFusion's protobuf messages.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::Path;

use datafusion_proto::protobuf::partitioning::PartitionMethod;
use datafusion_proto::protobuf::physical_expr_node::ExprType;
use datafusion_proto::protobuf::physical_plan_node::PhysicalPlanType as Node;
use datafusion_proto::protobuf::{
    ArrowType, CsvScanExecNode, CsvSink, CsvSinkExecNode, EmptyMessage, Field, FileGroup,
    FileScanExecConf, FileSinkConfig, FilterExecNode, JsonSinkExecNode, ParquetSinkExecNode,
    PartitionedFile, Partitioning, PhysicalExprNode, PhysicalExtensionNode, PhysicalPlanNode,
    PhysicalScalarUdfNode, PlaceholderRowExecNode, ProjectionExecNode, RepartitionExecNode,
    ScalarValue, Schema, UnionExecNode,
};
use datafusion_proto_common::protobuf_common::arrow_type::ArrowTypeEnum;
use datafusion_proto_common::protobuf_common::scalar_value::Value;
use datafusion_proto_common::protobuf_common::{
    ColumnStats, Constraints, CsvWriterOptions, Precision, Statistics,
};
use prost::Message;
use serde_json::json;

pub(crate) fn plan(node: Node) -> PhysicalPlanNode {
    PhysicalPlanNode {
        physical_plan_type: Some(node),
    }
}

pub(crate) fn expression(expression: ExprType) -> PhysicalExprNode {
    PhysicalExprNode {
        expr_id: None,
        expr_type: Some(expression),
    }
}

pub(crate) fn value(value: Value) -> PhysicalExprNode {
    expression(ExprType::Literal(ScalarValue { value: Some(value) }))
}

pub(crate) fn datatype(datatype: ArrowTypeEnum) -> ArrowType {
    ArrowType {
        arrow_type_enum: Some(datatype),
    }
}

pub(crate) fn text_type() -> ArrowType {
    datatype(ArrowTypeEnum::Utf8(EmptyMessage {}))
}

pub(crate) fn schema(name: &str) -> Schema {
    let field = Field {
        name: name.to_owned(),
        arrow_type: Some(Box::new(text_type())),
        nullable: true,
        ..Field::default()
    };
    Schema {
        columns: vec![field],
        ..Schema::default()
    }
}

/// A plan that returns one row with one value.
pub(crate) fn row(of: PhysicalExprNode) -> PhysicalPlanNode {
    let nothing = plan(Node::PlaceholderRow(PlaceholderRowExecNode {
        schema: Some(Schema::default()),
        partitions: 0,
    }));
    plan(Node::Projection(Box::new(ProjectionExecNode {
        input: Some(Box::new(nothing)),
        expr: vec![of],
        expr_name: vec!["line".to_owned()],
    })))
}

pub(crate) fn text(line: &str) -> PhysicalPlanNode {
    row(value(Value::Utf8Value(line.to_owned())))
}

pub(crate) fn filtered(input: PhysicalPlanNode) -> PhysicalPlanNode {
    plan(Node::Filter(Box::new(FilterExecNode {
        input: Some(Box::new(input)),
        expr: Some(value(Value::BoolValue(true))),
        default_filter_selectivity: 20,
        batch_size: 8192,
        ..FilterExecNode::default()
    })))
}

pub(crate) fn union(inputs: Vec<PhysicalPlanNode>) -> PhysicalPlanNode {
    plan(Node::Union(UnionExecNode { inputs }))
}

pub(crate) fn call(name: &str, args: Vec<PhysicalExprNode>) -> PhysicalExprNode {
    expression(ExprType::ScalarUdf(PhysicalScalarUdfNode {
        name: name.to_owned(),
        args,
        return_type: Some(text_type()),
        nullable: true,
        return_field_name: "line".to_owned(),
        ..PhysicalScalarUdfNode::default()
    }))
}

pub(crate) fn repartitioned(input: PhysicalPlanNode, count: u64) -> PhysicalPlanNode {
    plan(Node::Repartition(Box::new(RepartitionExecNode {
        input: Some(Box::new(input)),
        partitioning: Some(Partitioning {
            partition_method: Some(PartitionMethod::RoundRobin(count)),
        }),
        preserve_order: false,
    })))
}

fn unknown() -> Option<Precision> {
    // The enum value of `Absent`.
    Some(Precision {
        precision_info: 2,
        val: None,
    })
}

fn statistics() -> Statistics {
    Statistics {
        num_rows: unknown(),
        total_byte_size: unknown(),
        column_stats: vec![ColumnStats {
            min_value: unknown(),
            max_value: unknown(),
            sum_value: unknown(),
            null_count: unknown(),
            distinct_count: unknown(),
            byte_size: unknown(),
        }],
    }
}

/// A plan that reads the lines of a text file as rows.
pub(crate) fn lines(store: &str, path: &str, size: u64) -> PhysicalPlanNode {
    let file = PartitionedFile {
        path: path.trim_start_matches('/').to_owned(),
        size,
        ..PartitionedFile::default()
    };
    plan(Node::CsvScan(CsvScanExecNode {
        base_conf: Some(FileScanExecConf {
            file_groups: vec![FileGroup { files: vec![file] }],
            schema: Some(schema("line")),
            projection: vec![0],
            statistics: Some(statistics()),
            object_store_url: store.to_owned(),
            constraints: Some(Constraints::default()),
            ..FileScanExecConf::default()
        }),
        has_header: false,
        delimiter: "\u{1}".to_owned(),
        quote: "\u{2}".to_owned(),
        ..CsvScanExecNode::default()
    }))
}

pub(crate) fn lines_of(path: &Path) -> PhysicalPlanNode {
    let size = path.metadata().map_or(100, |file| file.len());
    lines("file:///", path.to_str().unwrap(), size)
}

fn sink_of(path: &Path, kind: &str) -> FileSinkConfig {
    FileSinkConfig {
        object_store_url: "file:///".to_owned(),
        table_paths: vec![format!("file://{}", path.display())],
        output_schema: Some(schema("line")),
        file_extension: kind.to_owned(),
        file_output_mode: 1,
        ..FileSinkConfig::default()
    }
}

/// Plans that write rows into a file, one for each file format.
pub(crate) fn sinks(path: &Path, rows: &PhysicalPlanNode) -> Vec<PhysicalPlanNode> {
    let input = Some(Box::new(rows.clone()));
    let counted = Some(schema("count"));
    let csv = CsvSink {
        config: Some(sink_of(path, "csv")),
        writer_options: Some(CsvWriterOptions {
            compression: 4,
            delimiter: ",".to_owned(),
            quote: "\"".to_owned(),
            escape: "\\".to_owned(),
            ..CsvWriterOptions::default()
        }),
    };
    vec![
        plan(Node::CsvSink(Box::new(CsvSinkExecNode {
            input: input.clone(),
            sink: Some(csv),
            sink_schema: counted.clone(),
            sort_order: None,
        }))),
        plan(Node::JsonSink(Box::new(JsonSinkExecNode {
            input: input.clone(),
            sink: None,
            sink_schema: counted.clone(),
            sort_order: None,
        }))),
        plan(Node::ParquetSink(Box::new(ParquetSinkExecNode {
            input,
            sink: None,
            sink_schema: counted,
            sort_order: None,
        }))),
    ]
}

#[derive(Clone, PartialEq, Message)]
struct Extension {
    #[prost(uint32, tag = "1")]
    codec: u32,
    #[prost(bytes = "vec", tag = "2")]
    blob: Vec<u8>,
}

/// An extension node. Codec 0 is the engine's, codec 1 tdb's.
pub(crate) fn extension(codec: u32, blob: Vec<u8>) -> PhysicalPlanNode {
    plan(Node::Extension(PhysicalExtensionNode {
        node: Extension { codec, blob }.encode_to_vec(),
        inputs: Vec::new(),
    }))
}

/// A plan that scans an array.
pub(crate) fn scan(uri: &str, partitions: u64) -> PhysicalPlanNode {
    let scan = json!({
        "array": uri, "since": 0, "at": 4_102_444_800_000_u64, "state": "0", "columns": [], "condition": null,
        "limit": null, "order": "unordered", "partitions": partitions, "parts": [{}],
    });
    extension(1, scan.to_string().into_bytes())
}
