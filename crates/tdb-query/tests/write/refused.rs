//! What cannot be written, and what is left of it.

use super::*;

#[test]
fn a_write_that_fails_anywhere_leaves_the_array_as_it_was() {
    let schema = mixed();
    let cells = mixed_cells(20);
    let batch = batch(&schema, &cells);
    let before = MemoryStore::new();
    let store: Arc<dyn Store> = Arc::new(before);
    array(&store, &schema);
    let saved = objects(&*store);
    for operation in 0.. {
        let inner = MemoryStore::new();
        for (key, bytes) in &saved {
            inner.put(key, bytes.clone().into()).unwrap();
        }
        let faulty = Arc::new(FaultyStore::failing_at(inner, operation));
        let store: Arc<dyn Store> = faulty.clone();
        let Ok(array) = Array::open(Arc::clone(&store), "a", OpenOptions::default()) else {
            continue;
        };
        let written = write(&Arc::new(array), &at(10), &batch);
        let inner: &dyn Store = faulty.inner();
        let left = objects(inner);
        match written {
            Err(error) => assert_eq!(error.kind(), ErrorKind::Store),
            Ok(count) => {
                assert_eq!(count, 1);
                assert!(left.iter().any(|(key, _)| key.ends_with(".wrt")));
                assert!(operation > 10);
                return;
            }
        }
        let is_committed = left.iter().any(|(key, _)| key.ends_with(".wrt"));
        assert!(!is_committed, "operation {operation}");
        // Only where the commit itself failed, which may have come to be, does something stay.
        let stays = left.len() > saved.len();
        assert!(!stays || left.iter().any(|(key, _)| key.ends_with("metadata.tdb")));
    }
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let options = WriteOptions {
        order: Some(WriteOrder::Global),
        max_fragment_bytes: Some(1),
        ..at(10)
    };
    let mut writer = Session::default().write(&array, &options).unwrap();
    let x: Values = (1..=50_i32)
        .map(|v| Some(v.to_le_bytes().to_vec()))
        .collect();
    writer
        .push(&batch(&schema, &[("x", x.clone()), ("a", x)]))
        .unwrap();
    assert!(fragments(&*store).len() > 10);
    drop(writer);
    assert_eq!(fragments(&*store), [""; 0]);
    assert_eq!(rows(&open(&store), None).len(), 0);
}

#[test]
fn what_is_wrong_is_told_with_the_field_and_the_first_cell() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let told = |options: &WriteOptions, fields: &[(&str, Values)]| {
        let error = write(&array, options, &batch(&schema, fields)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        error.to_string()
    };
    let ones = || ("a", numbers([1, 1, 1]));
    let global = WriteOptions {
        order: Some(WriteOrder::Global),
        ..at(10)
    };
    insta::assert_snapshot!(
        [
            told(&at(10), &[("x", numbers([1, 101, 200])), ones()]),
            told(&at(10), &[("x", numbers([4, 9, 4])), ones()]),
            told(&at(10), &[("x", numbers([4, 9, 4]))]),
            told(&at(10), &[("x", numbers([4, 9, 4])), ("a", numbers([1, 1]))]),
            told(&at(10), &[ones(), ones(), ("x", numbers([1, 2, 3]))]),
            told(&global, &[("x", numbers([4, 9, 5])), ones()]),
            told(&global, &[("x", numbers([4, 4, 5])), ones()]),
        ]
        .join("\n"),
        @r#"
    field "x", cell 1: 101 lies outside the domain
    field "x", cell 2: cell 0 has the same coordinates
    field "a": there is no column for it
    field "a": values should be 12 bytes long and are 8
    field "a": there are two columns for it
    field "x", cell 2: comes before cell 1 in global order
    field "x", cell 1: cell 0 has the same coordinates
    "#
    );
    assert_eq!(fragments(&*store), [""; 0]);
}

#[test]
fn cells_that_hold_the_wrong_thing_are_told() {
    let (store, schema) = (memory(), mixed());
    let array = array(&store, &schema);
    let told = |change: &dyn Fn(&mut Batch)| {
        let mut batch = batch(&schema, &mixed_cells(5));
        change(&mut batch);
        write(&array, &at(10), &batch).unwrap_err().to_string()
    };
    let nan = |batch: &mut Batch| {
        let cells = (0..5).map(|row| if row == 3 { f64::NAN } else { f64::from(row) });
        batch.columns[0].values = cells.flat_map(f64::to_le_bytes).collect();
    };
    let null = |batch: &mut Batch| batch.columns[1].validity = Some(vec![0b1110_1111].into());
    let offsets = |values: [u64; 6]| {
        move |batch: &mut Batch| {
            batch.columns[2].offsets =
                Some(values.into_iter().flat_map(u64::to_le_bytes).collect());
        }
    };
    let typed = |batch: &mut Batch| batch.columns[3].datatype = Datatype::Int8;
    let short = |batch: &mut Batch| batch.columns[3].validity = Some(bytes::Bytes::new());
    insta::assert_snapshot!(
        [
            told(&nan),
            told(&null),
            told(&offsets([0, 2, 1, 2, 2, 2])),
            told(&offsets([0, 2, 2, 2, 2, 4000])),
            told(&offsets([0, 0, 0, 1, 2, 2])),
            told(&typed),
            told(&short),
        ]
        .join("\n"),
        @r#"
    field "x", cell 3: a coordinate cannot be NaN
    field "name", cell 4: null, and the field cannot be
    field "a", cell 1: its offsets 2 to 1 do not lie in order within 6 bytes of values
    field "a", cell 4: its offsets 2 to 4000 do not lie in order within 6 bytes of values
    field "a", cell 2: 1 bytes are no whole number of values of 2 bytes
    field "b": its cells are uint8, the column has int8
    field "b": validity should be 1 bytes long and are 0
    "#
    );
    assert_eq!(fragments(&*store), [""; 0]);
}

#[test]
fn no_cells_make_no_fragment() {
    let (store, schema) = (memory(), line());
    let array = array(&store, &schema);
    let none = [("x", numbers([])), ("a", numbers([]))];
    assert_eq!(write(&array, &at(10), &batch(&schema, &none)).unwrap(), 0);
    assert_eq!(fragments(&*store), [""; 0]);
}
