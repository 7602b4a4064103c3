//! Files of other writers: unusual dictionaries in Parquet, structs, and pandas indexes that are not columns.
#![cfg(all(feature = "ipc", feature = "parquet"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::types::Float16Type;
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, Float16Array, Int32Array,
    Int64Array, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowWriter, encode_arrow_schema};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use tdb_arrow::{ipc_stream_input, parquet_input};
use tdb_cells::files::{ColumnGuess, Input, InputError, InputOptions};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::Datatype;

/// A Parquet file with these row groups, whose metadata declares the Arrow schema `said`.
fn parquet(said: &Schema, groups: &[Vec<ArrayRef>], compression: Compression) -> Vec<u8> {
    let types = groups
        .first()
        .unwrap()
        .iter()
        .map(|array| array.data_type());
    let names = said.fields().iter().map(|field| field.name());
    let plain = names
        .zip(types)
        .map(|(name, t)| Field::new(name, t.clone(), true));
    let schema = Arc::new(Schema::new(plain.collect::<Vec<_>>()));
    let key = ARROW_SCHEMA_META_KEY.to_owned();
    let told = KeyValue::new(key, encode_arrow_schema(said));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(vec![told]))
        .set_compression(compression);
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new_with_options(&mut file, Arc::clone(&schema), options).unwrap();
    for columns in groups {
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns.clone()).unwrap();
        writer.write(&batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
    file
}

fn labelled(index: DataType, values: DataType) -> Schema {
    let labels = DataType::Dictionary(index.into(), values.into());
    Schema::new(vec![Field::new("a", labels, true)])
}

fn guess(file: &[u8]) -> ColumnGuess {
    let input = parquet_input(Cursor::new(file.to_vec()), InputOptions::default()).unwrap();
    Box::new(input).guess().unwrap().pop().unwrap()
}

/// All cells of the column `a`, read into a field of this type.
fn cells(input: impl Input + 'static, datatype: Datatype, values: CellValNum) -> Vec<Column> {
    let field = FieldInfo {
        name: "a".to_owned(),
        datatype,
        cell_val_num: values,
        nullable: true,
        enumeration: None,
        field: FieldKind::Attribute(0),
    };
    let mut cells = Box::new(input).cells(&[field]).unwrap();
    let mut columns = Vec::new();
    while let Some(batch) = cells.next().unwrap() {
        columns.extend(batch.columns);
    }
    columns
}

#[test]
fn dictionaries_of_any_type_have_labels() {
    let one = CellValNum::Fixed(1);
    let bytes = FixedSizeBinaryArray::try_from_iter([b"abcd", b"efgh"].iter()).unwrap();
    let half = [1.5, -2.0].map(<Float16Type as ArrowPrimitiveType>::Native::from_f32);
    let half = Float16Array::from(half.to_vec());
    let columns: [(ArrayRef, Datatype, CellValNum); 4] = [
        (
            Arc::new(BooleanArray::from(vec![true, false])),
            Datatype::Bool,
            one,
        ),
        (Arc::new(bytes), Datatype::Blob, CellValNum::Fixed(4)),
        (Arc::new(half), Datatype::Float32, one),
        (
            Arc::new(Int32Array::from(vec![7, -7])),
            Datatype::Int32,
            one,
        ),
    ];
    for (column, datatype, values) in columns {
        let said = labelled(DataType::Int8, column.data_type().clone());
        let file = parquet(&said, &[vec![column]], Compression::SNAPPY);
        let guess = guess(&file);
        let labels = guess.labels.unwrap();
        assert_eq!(guess.datatype, Datatype::Int8);
        assert_eq!((labels.datatype, labels.cell_val_num), (datatype, values));
        assert_eq!(labels.values.len(), 2, "{datatype}");
    }
}

#[test]
fn labels_of_all_row_groups_may_be_more_than_the_index_counts() {
    let group = |first: u32| -> Vec<ArrayRef> {
        let labels = (first..first + 100).map(|label| format!("label {label}"));
        vec![Arc::new(StringArray::from_iter_values(labels))]
    };
    let said = labelled(DataType::Int8, DataType::Utf8);
    let file = parquet(&said, &[group(0), group(100)], Compression::UNCOMPRESSED);
    let guess = guess(&file);
    assert_eq!(guess.labels.unwrap().values.len(), 200);
    assert_eq!(guess.datatype, Datatype::Int32);
    let input = parquet_input(Cursor::new(file), InputOptions::default()).unwrap();
    let columns = cells(input, Datatype::StringUtf8, CellValNum::Var);
    let last = columns.last().unwrap();
    let rows = last.offsets.as_ref().unwrap().len() / 8 - 1;
    assert_eq!(last.cell(rows - 1), Some(&b"label 199"[..]));
}

#[test]
fn files_compressed_with_brotli_are_read() {
    let said = Schema::new(vec![Field::new("a", DataType::Int64, true)]);
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let file = parquet(
        &said,
        &[vec![column]],
        Compression::BROTLI(Default::default()),
    );
    let input = parquet_input(Cursor::new(file), InputOptions::default()).unwrap();
    let columns = cells(input, Datatype::Int64, CellValNum::Fixed(1));
    let numbers: Vec<i64> = columns.iter().flat_map(|c| c.numbers().unwrap()).collect();
    assert_eq!(numbers, (0..1000).collect::<Vec<i64>>());
}

/// A batch with the struct `s` of the members `a` and `b`; its second row is null.
fn struct_batch() -> RecordBatch {
    let members = vec![
        Arc::new(Field::new("a", DataType::Int64, true)),
        Arc::new(Field::new("b", DataType::Utf8, true)),
    ];
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), Some(2), None])),
        Arc::new(StringArray::from(vec![Some("x"), Some("y"), Some("z")])),
    ];
    let nulls = Some(vec![true, false, true].into());
    let column = StructArray::new(members.into(), columns, nulls);
    RecordBatch::try_from_iter_with_nullable([("s", Arc::new(column) as ArrayRef, true)]).unwrap()
}

#[test]
fn members_of_structs_are_columns_where_that_is_asked_for() {
    let batch = struct_batch();
    let mut stream = Vec::new();
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let options = || InputOptions::default().flatten(true);
    let open = |options| ipc_stream_input(Cursor::new(stream.clone()), options).unwrap();
    let refused = Box::new(open(InputOptions::default())).guess().unwrap_err();
    assert!(matches!(refused, InputError::NoDatatype { hint, .. } if hint.contains("--flatten")));
    let names = open(options()).names().to_vec();
    assert_eq!(names, ["s.a", "s.b"]);
    let mut choice = options();
    choice.columns.only = vec!["s.a".to_owned()];
    choice.columns.renamed = vec![("s.a".to_owned(), "a".to_owned())];
    let columns = cells(open(choice.clone()), Datatype::Int64, CellValNum::Fixed(1));
    let valid = |column: &Column| (0..3).map(|row| column.is_valid(row)).collect::<Vec<_>>();
    assert_eq!(
        columns.iter().map(valid).collect::<Vec<_>>(),
        [[true, false, false]]
    );
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let input = parquet_input(Cursor::new(file), choice).unwrap();
    let columns = cells(input, Datatype::Int64, CellValNum::Fixed(1));
    assert_eq!(
        columns.iter().map(valid).collect::<Vec<_>>(),
        [[true, false, false]]
    );
}

#[test]
fn an_index_of_pandas_that_counts_rows_is_a_column() {
    let open = |described: &str, fields: Option<Vec<String>>| {
        let pandas = format!("{{\"index_columns\": [{described}]}}");
        let metadata = HashMap::from([("pandas".to_owned(), pandas)]);
        let schema = Schema::new(vec![Field::new("v", DataType::Int64, true)]);
        let schema = Arc::new(schema.with_metadata(metadata));
        let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(vec![5, 6, 7]))];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, schema, None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut options = InputOptions::default();
        options.columns.fields = fields;
        parquet_input(Cursor::new(file), options).unwrap()
    };
    let described = r#"{"kind": "range", "name": "a", "start": 100, "stop": 130, "step": 10}"#;
    let input = open(described, None);
    assert_eq!(
        (input.names(), input.index()),
        (&["v".into(), "a".into()][..], &["a".into()][..])
    );
    let mut guesses = Box::new(open(described, None)).guess().unwrap();
    assert_eq!(guesses.pop().unwrap().datatype, Datatype::Int64);
    let fields = ["v", "a"].map(|name| FieldInfo {
        name: name.to_owned(),
        datatype: Datatype::Int64,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    });
    let batch = Box::new(input)
        .cells(&fields)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let index: Vec<i64> = batch.column("a").unwrap().numbers().unwrap().collect();
    assert_eq!(index, [100, 110, 120]);
    // There is no number after the greatest one: an error, not another number.
    let beyond = format!(
        r#"{{"kind": "range", "name": "a", "start": {}, "stop": 0, "step": 1}}"#,
        i64::MAX
    );
    let mut beyond = Box::new(open(&beyond, None)).cells(&fields).unwrap();
    let error = beyond.next().unwrap_err().to_string();
    assert_eq!(
        error,
        "column \"the index of pandas\": its start and step lead beyond 64 bits"
    );
    // An index without a field in the array is not read, and one that is just the row number is ignored.
    assert_eq!(open(described, Some(vec!["v".into()])).names(), ["v"]);
    let rows = r#"{"kind": "range", "name": null, "start": 0, "stop": 3, "step": 1}"#;
    assert_eq!(open(rows, None).names(), ["v"]);
    let unnamed = r#"{"kind": "range", "name": null, "start": 7, "stop": 10, "step": 1}"#;
    assert_eq!(open(unnamed, None).names(), ["v", "index"]);
}
