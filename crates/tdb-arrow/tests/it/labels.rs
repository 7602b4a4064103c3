//! Labels and their order after writing and reading Parquet.
#![cfg(feature = "parquet")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{DictionaryArray, RecordBatch};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tdb_arrow::parquet_input;
use tdb_cells::files::{Input, InputOptions, Labels};

/// A file with one row group for each list of labels; its schema declares the labels ordered.
fn file(writer: &str, groups: &[&[&str]]) -> Bytes {
    let properties = WriterProperties::builder().set_created_by(writer.to_owned());
    let dictionary =
        |cells: &[&str]| -> DictionaryArray<Int8Type> { cells.iter().copied().collect() };
    let data_type = arrow_array::Array::data_type(&dictionary(&["a"])).clone();
    let field = Field::new("c", data_type, true).with_dict_is_ordered(true);
    let schema = Arc::new(Schema::new(vec![field]));
    let mut out = Vec::new();
    let mut file =
        ArrowWriter::try_new(&mut out, schema.clone(), Some(properties.build())).unwrap();
    for cells in groups {
        let column = Arc::new(dictionary(cells));
        file.write(&RecordBatch::try_new(schema.clone(), vec![column]).unwrap())
            .unwrap();
        file.flush().unwrap();
    }
    file.close().unwrap();
    out.into()
}

fn labels(file: &Bytes) -> Labels {
    let input = parquet_input(Cursor::new(file.clone()), InputOptions::default()).unwrap();
    let guesses = Box::new(input).guess().unwrap();
    guesses.into_iter().next().unwrap().labels.unwrap()
}

const ARROW: &str = "parquet-cpp-arrow version 26.0.1";

/// Whether the labels are read as ordered, and the labels.
fn told(writer: &str, groups: &[&[&str]]) -> (bool, Vec<String>) {
    let labels = labels(&file(writer, groups));
    let values = labels
        .values
        .into_iter()
        .map(|l| String::from_utf8(l).unwrap());
    (labels.ordered, values.collect())
}

#[test]
fn the_order_of_labels_counts_where_the_writer_keeps_it_and_all_groups_agree() {
    let owned = |labels: &[&str]| labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>();
    let all = owned(&["low", "mid", "high"]);
    let agreeing: &[&[&str]] = &[&["low", "mid"], &["low", "high", "low"], &["mid", "high"]];
    assert_eq!(told(ARROW, agreeing), (true, all.clone()));
    // Two row groups whose dictionaries have different orders.
    let other: &[&[&str]] = &[&["low", "mid"], &["mid", "low", "high"]];
    assert_eq!(told(ARROW, other), (false, all.clone()));
    // Other writers store labels in the order of their occurrence.
    assert_eq!(told("parquet-rs version 59.0.0", agreeing), (false, all));
}
