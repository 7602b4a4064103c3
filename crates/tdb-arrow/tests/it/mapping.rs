//! The Arrow type of each TileDB type.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{ONE, bits, column, enumerated, result, starts, stored, texts, with_nulls};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int8Type, Int32Type, Int64Type, TimestampMillisecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use tdb_arrow::Mapping;
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::Datatype;

fn convert(
    rows: usize,
    column: Column,
    options: OutputOptions,
) -> Result<ArrayRef, ConversionError> {
    batch(rows, vec![column], options).map(|batch| batch.column(0).clone())
}

fn batch(
    rows: usize,
    columns: Vec<Column>,
    options: OutputOptions,
) -> Result<RecordBatch, ConversionError> {
    let (fields, batch) = result(rows, columns);
    Mapping::new(&fields, options)?.record_batch(&batch)
}

fn plain(rows: usize, column: Column) -> ArrayRef {
    convert(rows, column, OutputOptions::default()).unwrap()
}

fn table(map: impl Fn(&[FieldInfo]) -> Mapping) -> String {
    let mut table = String::new();
    for &datatype in Datatype::ALL {
        let fields = [ONE, CellValNum::Fixed(3), CellValNum::Var].map(|cell_val_num| FieldInfo {
            name: "a".to_owned(),
            datatype,
            cell_val_num,
            nullable: false,
            enumeration: None,
            field: FieldKind::Attribute(0),
        });
        let mapping = map(&fields);
        let types: Vec<String> = (mapping.schema().fields().iter())
            .map(|f| f.data_type().to_string())
            .collect();
        table += &format!("{datatype}: {}\n", types.join(" | "));
    }
    table
}

#[test]
fn every_datatype_with_one_three_and_any_number_of_values() {
    let plain = |fields: &[_]| Mapping::new(fields, OutputOptions::default()).unwrap();
    insta::assert_snapshot!(table(plain));
}

#[test]
fn every_datatype_for_queries() {
    let queries = |fields: &[_]| Mapping::for_queries(fields, OutputOptions::default()).unwrap();
    insta::assert_snapshot!(table(queries));
}

#[test]
fn every_datatype_as_ticks_and_binary_strings() {
    let options = OutputOptions::default().ticks(true).binary_strings(true);
    let ticks = |fields: &[_]| Mapping::new(fields, options).unwrap();
    insta::assert_snapshot!(table(ticks));
}

#[test]
fn fields_carry_what_arrow_has_no_type_for() {
    let (fields, _) = result(
        0,
        vec![
            column(
                "d",
                Datatype::DateTimeMonth,
                CellValNum::Fixed(2),
                stored::<i64>(&[]),
            ),
            texts("s", Datatype::StringAscii, &[]),
            enumerated(
                column("e", Datatype::Int8, ONE, stored::<i8>(&[])),
                &["x"],
                true,
            ),
        ],
    );
    let mapping = Mapping::new(&fields, OutputOptions::default()).unwrap();
    let shown: Vec<String> = (mapping.schema().fields().iter())
        .map(|f| {
            let (d, c) = (
                &f.metadata()["tiledb.datatype"],
                &f.metadata()["tiledb.cell_val_num"],
            );
            format!(
                "{} {d} {c} nullable={} ordered={:?}",
                f.name(),
                f.is_nullable(),
                f.dict_is_ordered()
            )
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"), @r"
    d datetime_month 2 nullable=false ordered=None
    s string_ascii var nullable=false ordered=None
    e int8 1 nullable=true ordered=Some(true)
    ");
}

#[test]
fn values_are_shared_and_not_copied() {
    let column = column("a", Datatype::Int64, ONE, stored(&[1_i64, -2, 3]));
    let address = column.values.as_ptr();
    let array = plain(3, column);
    assert_eq!(array.as_primitive::<Int64Type>().values(), &[1, -2, 3]);
    assert_eq!(array.to_data().buffers()[0].as_ptr(), address);
}

#[test]
fn misaligned_values_are_copied() {
    let values = stored(&[0_u8, 1, 0, 0, 0, 2, 0, 0, 0]).slice(1..);
    let array = plain(2, column("a", Datatype::Int32, ONE, values));
    assert_eq!(array.as_primitive::<Int32Type>().values(), &[1, 2]);
}

#[test]
fn validity_is_kept() {
    let column = column("a", Datatype::Float64, ONE, stored(&[1.5, f64::NAN, -0.0]));
    let array = plain(3, with_nulls(column, &[true, false, true]));
    let array = array.as_primitive::<Float64Type>();
    assert_eq!(
        array.iter().collect::<Vec<_>>(),
        [Some(1.5), None, Some(-0.0)]
    );
}

#[test]
fn booleans_become_bits() {
    let array = plain(3, column("a", Datatype::Bool, ONE, stored(&[0_u8, 1, 255])));
    assert_eq!(
        array.as_boolean().iter().collect::<Vec<_>>(),
        [Some(false), Some(true), Some(true)]
    );
}

#[test]
fn nat_is_null_in_date32_and_itself_in_timestamps() {
    let values = stored(&[0_i64, i64::MIN, -1]);
    let days = plain(3, column("a", Datatype::DateTimeDay, ONE, values.clone()));
    let days: Vec<_> = days.as_primitive::<Date32Type>().iter().collect();
    assert_eq!(days, [Some(0), None, Some(-1)]);

    let times = plain(3, column("a", Datatype::DateTimeMillisecond, ONE, values));
    assert_eq!(times.null_count(), 0);
    assert_eq!(
        times.as_primitive::<TimestampMillisecondType>().value(1),
        i64::MIN
    );
}

#[test]
fn nat_and_null_cells_add_up_in_date32() {
    let values = stored(&[i64::MIN, 5, i64::MAX]);
    let days = with_nulls(
        column("a", Datatype::DateTimeDay, ONE, values),
        &[true, true, false],
    );
    let days: Vec<_> = plain(3, days).as_primitive::<Date32Type>().iter().collect();
    assert_eq!(days, [None, Some(5), None]);
}

#[test]
fn a_day_beyond_date32_names_the_cell() {
    let (fields, batch) = result(
        2,
        vec![column(
            "a",
            Datatype::DateTimeDay,
            ONE,
            stored(&[1, 1_i64 << 31]),
        )],
    );
    let mut mapping = Mapping::new(&fields, OutputOptions::default()).unwrap();
    let mut first = batch.clone();
    first.columns[0].values = stored(&[1_i64, 2]);
    mapping.record_batch(&first).unwrap();
    let error = mapping.record_batch(&batch).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "a", cell 3 of the result: datetime_day 2147483648 is beyond Date32"#);

    let column = column(
        "a",
        Datatype::DateTimeDay,
        CellValNum::Var,
        stored(&[1, 2, 1_i64 << 31]),
    );
    let column = Column {
        offsets: starts(&[0, 8, 16, 24]),
        ..column
    };
    let error = convert(3, column, OutputOptions::default()).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "a", cell 2 of the result: datetime_day 2147483648 is beyond Date32"#);
}

#[test]
fn ticks_are_raw_numbers() {
    let options = OutputOptions::default().ticks(true);
    let column = column(
        "a",
        Datatype::DateTimeDay,
        ONE,
        stored(&[1_i64 << 40, i64::MIN]),
    );
    let array = convert(2, column, options).unwrap();
    assert_eq!(
        array.as_primitive::<Int64Type>().values(),
        &[1 << 40, i64::MIN]
    );
}

#[test]
fn text_and_bytes() {
    let cells = [Some(&b"one"[..]), Some(b""), None, Some("zwölf".as_bytes())];
    let array = plain(4, texts("a", Datatype::StringUtf8, &cells));
    let array: Vec<_> = array.as_string::<i64>().iter().collect();
    assert_eq!(array, [Some("one"), Some(""), None, Some("zwölf")]);

    let array = plain(
        2,
        texts("a", Datatype::Blob, &[Some(b"\xff\x00"), Some(b"")]),
    );
    let array: Vec<_> = array.as_binary::<i64>().iter().collect();
    assert_eq!(array, [Some(&b"\xff\x00"[..]), Some(b"")]);

    let array = plain(
        2,
        column("a", Datatype::Char, CellValNum::Fixed(2), stored(b"abcd")),
    );
    let array: Vec<_> = array.as_fixed_size_binary().iter().collect();
    assert_eq!(array, [Some(&b"ab"[..]), Some(b"cd")]);
}

#[test]
fn text_that_is_not_utf8_names_the_cell() {
    let column = || {
        texts(
            "a",
            Datatype::StringUtf8,
            &[Some(b"ok"), Some(b"\xc3"), Some(b"\xa9")],
        )
    };
    let error = convert(3, column(), OutputOptions::default()).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "a", cell 1 of the result: not UTF-8"#);
    assert_eq!(error.hint(), Some("--binary-strings gives the bytes"));

    let options = OutputOptions::default().binary_strings(true);
    let array = convert(3, column(), options).unwrap();
    assert_eq!(array.as_binary::<i64>().value(1), b"\xc3");
}

#[test]
fn null_cells_may_hold_anything() {
    let column = texts(
        "a",
        Datatype::StringAscii,
        &[Some(b"ok"), Some(b"\xff"), Some(b"so")],
    );
    let array = plain(3, with_nulls(column, &[true, false, true]));
    let array: Vec<_> = array.as_string::<i64>().iter().collect();
    assert_eq!(array, [Some("ok"), None, Some("so")]);
}

#[test]
fn lists_of_fixed_and_of_any_length() {
    let values = stored(&[1_i32, 2, 3, 4]);
    let array = plain(
        2,
        column("a", Datatype::Int32, CellValNum::Fixed(2), values.clone()),
    );
    let second = array.as_fixed_size_list().value(1);
    assert_eq!(second.as_primitive::<Int32Type>().values(), &[3, 4]);

    let column = column("a", Datatype::Int32, CellValNum::Var, values);
    let column = Column {
        offsets: starts(&[0, 12, 12, 16]),
        validity: Some(bits(&[true, false, true])),
        nullable: true,
        ..column
    };
    let array = plain(3, column);
    let array = array.as_list::<i64>();
    assert_eq!(
        array.value(0).as_primitive::<Int32Type>().values(),
        &[1, 2, 3]
    );
    assert!(array.is_null(1));
    assert_eq!(array.value(2).as_primitive::<Int32Type>().values(), &[4]);
}

#[test]
fn lists_of_booleans_and_days() {
    let array = plain(
        1,
        column(
            "a",
            Datatype::Bool,
            CellValNum::Fixed(3),
            stored(&[1_u8, 0, 1]),
        ),
    );
    let list = array.as_fixed_size_list().value(0);
    assert_eq!(
        list.as_boolean().iter().flatten().collect::<Vec<_>>(),
        [true, false, true]
    );

    let days = column(
        "a",
        Datatype::DateTimeDay,
        CellValNum::Fixed(2),
        stored(&[7, i64::MIN]),
    );
    let list = plain(1, days);
    let list = list.as_fixed_size_list().value(0);
    assert_eq!(
        list.as_primitive::<Date32Type>().iter().collect::<Vec<_>>(),
        [Some(7), None]
    );
}

#[test]
fn an_index_without_a_label_is_null() {
    let indexes = column("a", Datatype::Int8, ONE, stored(&[1_i8, 0, 2, -1]));
    let array = plain(4, enumerated(indexes, &["red", "green"], false));
    let array = array.as_dictionary::<Int8Type>();
    assert_eq!(
        array.keys().iter().collect::<Vec<_>>(),
        [Some(1), Some(0), None, None]
    );
    // Kernels of Arrow add to the indexes of null cells, too.
    assert_eq!(array.keys().values(), &[1, 0, 0, 0]);
    let labels: Vec<_> = array.values().as_string::<i64>().iter().flatten().collect();
    assert_eq!(labels, ["red", "green"]);
}

#[test]
fn an_enumeration_may_be_empty_and_cells_null() {
    let indexes = column("a", Datatype::UInt64, ONE, stored(&[0_u64, u64::MAX]));
    let array = plain(2, enumerated(indexes.clone(), &[], false));
    assert_eq!(array.null_count(), 2);

    let nulls = with_nulls(indexes, &[false, true]);
    assert_eq!(plain(2, enumerated(nulls, &["x"], false)).null_count(), 2);
}

#[test]
fn no_columns_still_count_cells() {
    let batch = batch(5, Vec::new(), OutputOptions::default()).unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (5, 0));
}

#[test]
fn columns_that_do_not_hold_together_are_refused() {
    let short = column("a", Datatype::Int32, ONE, stored(&[1_i32]));
    let error = convert(2, short, OutputOptions::default()).unwrap_err();
    assert!(matches!(error, ConversionError::Library { .. }), "{error}");

    let split = column("a", Datatype::Int32, CellValNum::Var, stored(&[1_i32]));
    let split = Column {
        offsets: starts(&[0, 2]),
        ..split
    };
    let error = convert(1, split, OutputOptions::default()).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "a": a cell does not begin with a value"#);
}
