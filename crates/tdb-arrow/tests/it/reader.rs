//! A golden array, read as record batches.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatchReader;
use arrow_array::cast::AsArray;
use tdb_array::{Array, OpenOptions};
use tdb_arrow::RecordBatches;
use tdb_cells::Session;
use tdb_cells::files::OutputOptions;
use tdb_query::{ReadOptions, Reader};
use tdb_store::LocalStore;

#[test]
fn an_array_is_a_record_batch_reader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/v22_tour/array");
    let store = Arc::new(LocalStore::open(folder).unwrap());
    let array = Arc::new(Array::open(store, "", OpenOptions::default()).unwrap());
    let options = ReadOptions::default().batch_bytes(Some(1));
    let reader = Reader::open(&Session::default(), &array, &options).unwrap();

    let batches = RecordBatches::try_new(reader, OutputOptions::default()).unwrap();
    let schema = batches.schema();
    let types: Vec<String> = (schema.fields().iter())
        .map(|field| format!("{}: {}", field.name(), field.data_type()))
        .collect();
    insta::assert_snapshot!(types.join("\n"), @r"
    station: LargeUtf8
    hour: Timestamp(s)
    temperature: Float32
    pressure: UInt16
    sky: Dictionary(UInt8, LargeUtf8)
    remark: LargeUtf8
    ");
    let batches: Vec<_> = batches.collect::<Result<_, _>>().unwrap();
    assert!(batches.len() > 1);
    assert_eq!(
        batches.iter().map(|batch| batch.num_rows()).sum::<usize>(),
        80
    );
    assert_eq!(batches[0].column(0).as_string::<i64>().value(0), "BGN");
}
