//! Older versions of cells: reading them, and replacing the fragments that contain them.

use tdb_array::ChangeOptions;
use tdb_fragment::{ConditionOp, ConditionValue};
use tdb_query::{Reader, Versions};
use tdb_write::{Replacement, Writer};

use super::*;

/// Two writes. The second one replaces a cell, and writes another again that was deleted in between.
fn lived() -> Arc<dyn Store> {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let first = [("x", numbers([2, 7, 9])), ("a", numbers([1, 2, 3]))];
    write(&array, &at(10), &batch(&schema, &first)).unwrap();
    let kept = ConditionValue::new("a", ConditionOp::NotEqual, 2_i32.to_le_bytes().to_vec());
    let change = ChangeOptions::at(15).names(Arc::new(CountedNames::new(0, 1)));
    array.delete_cells(&kept.unwrap().into(), &change).unwrap();
    let second = [("x", numbers([7, 9])), ("a", numbers([20, 30]))];
    write(&array, &at(20), &batch(&schema, &second)).unwrap();
    store
}

fn versions(array: &Arc<Array>, versions: Versions, order: ResultOrder) -> Vec<Vec<u64>> {
    let options = ReadOptions::default().versions(versions).order(Some(order));
    let mut rows = Vec::new();
    for batch in Reader::open(&Session::default(), array, &options).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.rows {
            let cell = |column: &Column| {
                let mut bytes = [0; 8];
                let cell = column.cell(row).unwrap();
                bytes[..cell.len()].copy_from_slice(cell);
                u64::from_le_bytes(bytes)
            };
            rows.push(batch.columns.iter().map(cell).collect());
        }
    }
    rows
}

const NEVER: u64 = u64::MAX;

#[test]
fn all_versions_come_with_their_times_the_newest_first() {
    let array = open(&lived());
    for order in [ResultOrder::Global, ResultOrder::RowMajor] {
        // Coordinate, value, time written, time deleted, number of the delete.
        let wanted = [
            [2, 1, 10, NEVER, NEVER],
            [7, 20, 20, NEVER, NEVER],
            [7, 2, 10, 15, 0],
            [9, 30, 20, NEVER, NEVER],
            [9, 3, 10, NEVER, NEVER],
        ];
        assert_eq!(versions(&array, Versions::All, order), wanted);
        let wanted = [[2, 1, 10], [7, 20, 20], [9, 30, 20], [9, 3, 10]];
        assert_eq!(versions(&array, Versions::Undeleted, order), wanted);
    }
    let condition = Some(tdb_condition::Condition::field("a").lt(5));
    let options = ReadOptions::default()
        .versions(Versions::All)
        .condition(condition);
    let refused = Reader::open(&Session::default(), &array, &options)
        .err()
        .unwrap();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
}

#[test]
fn versions_written_in_the_place_of_fragments_are_read_again() {
    let store = lived();
    let array = open(&store);
    let before = versions(&array, Versions::All, ResultOrder::Global);
    let session = Session::default();
    let options = ReadOptions::default()
        .versions(Versions::All)
        .order(Some(ResultOrder::Global));
    let names = array.fragments().iter().map(|f| f.name.clone());
    let replacement = Replacement {
        fragments: names.collect(),
        times: (10, 20),
        has_timestamps: true,
        has_deletions: true,
        deletes: array.deletes().iter().map(|d| d.marker.clone()).collect(),
        uri: None,
    };
    let written = at(30).replacement(Some(replacement));
    let any = written.clone().order(Some(WriteOrder::Unordered));
    let refused = Writer::open(&session, &array, &any).err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    let mut writer = Writer::open(&session, &array, &written).unwrap();
    for batch in Reader::open(&session, &array, &options).unwrap() {
        writer.push(&batch.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let array = open(&store);
    assert_eq!(array.fragments().len(), 1);
    assert_eq!(versions(&array, Versions::All, ResultOrder::Global), before);
    let now = [[2, 1], [7, 20], [9, 30]];
    assert_eq!(
        versions(&array, Versions::Current, ResultOrder::Global),
        now
    );
}
