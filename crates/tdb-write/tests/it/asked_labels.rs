//! Conditions on enumerated attributes in reads.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, CellsError, Column, Session};
use tdb_condition::Condition;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension, Enumeration};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, Limits};
use tdb_write::{WriteOptions, Writer};

/// Cells x = 1 to 6 with the labels a, b, null, a, null, b.
fn sky(array_type: ArrayType) -> Arc<Array> {
    let labels = Enumeration::from_values(
        "sky",
        "__sky_0",
        Datatype::StringAscii,
        CellValNum::Var,
        false,
        ["a", "b"],
    );
    let labels = labels.unwrap();
    let x = Dimension::numbers("x", Datatype::Int32, (1_i32, 6), 4);
    let mut s = Attribute::new("s", Datatype::UInt8);
    s.nullable = true;
    let schema = ArraySchema::new(array_type, vec![x], vec![s]);
    let mut schema = schema.with_enumeration(&labels).unwrap();
    schema.attributes[0].enumeration = Some("sky".to_owned());
    let store = Arc::new(MemoryStore::new());
    Array::create(
        &Location::new(store.clone(), ""),
        &schema,
        &[labels],
        &ChangeOptions::at(1),
    )
    .unwrap();
    let open = || Arc::new(Array::open(store.clone(), "", OpenOptions::default()).unwrap());
    let column = |name: &str, datatype, values: Vec<u8>, validity: Option<Vec<u8>>| Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: validity.is_some(),
        values: values.into(),
        offsets: None,
        validity: validity.map(Into::into),
        enumeration: None,
    };
    let x = (1..=6_i32).flat_map(i32::to_le_bytes).collect();
    let mut columns = vec![column(
        "s",
        Datatype::UInt8,
        vec![0, 1, 0, 0, 0, 1],
        Some(vec![0b10_1011]),
    )];
    if array_type == ArrayType::Sparse {
        columns.push(column("x", Datatype::Int32, x, None));
    }
    let mut writer = Writer::open(&Session::default(), &open(), &WriteOptions::at(2)).unwrap();
    writer.push(&Batch { rows: 6, columns }).unwrap();
    writer.finish().unwrap();
    open()
}

fn read(array: &Arc<Array>, text: &str, order: ResultOrder) -> Batch {
    let options = ReadOptions::default()
        .condition(Some(Condition::parse(text, &Limits::default()).unwrap()))
        .order(Some(order));
    let mut batches = Reader::open(&Session::default(), array, &options).unwrap();
    batches.next().transpose().unwrap().unwrap_or_default()
}

#[test]
fn a_label_that_is_missing_differs_from_no_null_in_any_order() {
    let valid = [1, 2, 4, 6];
    let questions: [(&str, &[i32]); 7] = [
        ("s != 'zz'", &valid),
        ("not s = 'zz'", &valid),
        ("s not in ('zz')", &valid),
        ("s is not null", &valid),
        ("s = 'zz'", &[]),
        ("s != 'a'", &[2, 6]),
        ("s != 'zz' or x = 3", &[1, 2, 3, 4, 6]),
    ];
    for array_type in [ArrayType::Dense, ArrayType::Sparse] {
        let array = sky(array_type);
        for order in [
            ResultOrder::RowMajor,
            ResultOrder::ColumnMajor,
            ResultOrder::Global,
            ResultOrder::Unordered,
        ] {
            for (text, wanted) in questions {
                let found = read(&array, text, order);
                let cells: Vec<i32> = match found.rows {
                    0 => Vec::new(),
                    _ => found.columns[0].numbers().unwrap().collect(),
                };
                assert_eq!(cells, wanted, "{array_type:?} {order:?} {text}");
            }
        }
    }
}

#[test]
fn numbers_of_another_type_are_an_error_that_names_both() {
    let found = read(&sky(ArrayType::Sparse), "x <= 2", ResultOrder::Unordered);
    let (x, s) = (&found.columns[0], &found.columns[1]);
    let told = |error: Option<CellsError>| error.unwrap().to_string();
    let text = [
        told(x.numbers::<f32>().err()),
        told(x.numbers::<u32>().err()),
        told(x.numbers::<i64>().err()),
        told(s.numbers::<i8>().err()),
    ];
    insta::assert_snapshot!(text.join("\n"), @r#"
    the values of column "x" are int32, which is read as i32, not as f32
    the values of column "x" are int32, which is read as i32, not as u32
    the values of column "x" are int32, which is read as i32, not as i64
    the values of column "s" are uint8, which is read as u8, not as i8
    "#);
    assert_eq!(x.numbers::<i32>().unwrap().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(s.numbers::<u8>().unwrap().collect::<Vec<_>>(), [0, 1]);
}
