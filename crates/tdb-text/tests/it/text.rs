//! Cells written as CSV and JSON lines.
#![cfg(all(feature = "csv", feature = "json"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{ONE, column, enumerated, result, starts, stored, texts, with_nulls};
use tdb_cells::Column;
use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_schema::CellValNum;
use tdb_text::{CsvWriter, JsonArrayWriter, JsonLinesWriter, PlainText};
use tdb_tile::{Datatype, with_scalar};

fn csv(
    rows: usize,
    columns: Vec<Column>,
    options: OutputOptions,
) -> Result<String, ConversionError> {
    let (fields, batch) = result(rows, columns);
    let mut out = Vec::new();
    let mut writer = Box::new(CsvWriter::try_new(&mut out, &fields, options)?);
    writer.write(&batch)?;
    writer.finish()?;
    Ok(String::from_utf8(out).unwrap())
}

fn json(
    rows: usize,
    columns: Vec<Column>,
    options: OutputOptions,
) -> Result<String, ConversionError> {
    let (fields, batch) = result(rows, columns);
    let mut out = Vec::new();
    let mut writer = Box::new(JsonLinesWriter::try_new(&mut out, &fields, options)?);
    writer.write(&batch)?;
    writer.finish()?;
    Ok(String::from_utf8(out).unwrap())
}

fn json_array(rows: usize, columns: Vec<Column>) -> String {
    let (fields, batch) = result(rows, columns);
    let mut out = Vec::new();
    let options = OutputOptions::default();
    let mut writer = Box::new(JsonArrayWriter::try_new(&mut out, &fields, options).unwrap());
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn an_array_of_objects_is_one_value() {
    let two = stored::<i32>(&[7, -1]);
    let columns = vec![column("\"a", Datatype::Int32, ONE, two)];
    let array = json_array(2, columns);
    insta::assert_snapshot!(array, @r#"
    [
    {"\"a":7},
    {"\"a":-1},
    {"\"a":7},
    {"\"a":-1}
    ]
    "#);
    assert_eq!(
        json_array(
            0,
            vec![column("a", Datatype::Int32, ONE, stored::<i32>(&[]))]
        ),
        "[]\n"
    );
    assert_eq!(json_array(1, Vec::new()), "[\n{},\n{}\n]\n");
}

fn both(rows: usize, columns: Vec<Column>) -> String {
    let csv = csv(rows, columns.clone(), OutputOptions::default()).unwrap();
    let json = json(rows, columns, OutputOptions::default()).unwrap();
    format!("{csv}{json}")
}

#[test]
fn every_datatype_with_one_two_and_any_number_of_values() {
    let mut table = String::new();
    for &datatype in Datatype::ALL {
        let values = with_scalar!(datatype, T => stored::<T>(&[65 as T, 0 as T]));
        let size = datatype.size();
        let var = Column {
            offsets: starts(&[0, 0, 2 * size as u64]),
            ..column("var", datatype, CellValNum::Var, values.clone())
        };
        let columns = [
            vec![column("one", datatype, ONE, values.clone())],
            vec![column(
                "two",
                datatype,
                CellValNum::Fixed(2),
                [&values[..], &values[..]].concat().into(),
            )],
            vec![var],
        ];
        let lines = columns.map(|columns| {
            let csv = csv(2, columns.clone(), OutputOptions::default()).unwrap();
            let json = json(2, columns, OutputOptions::default()).unwrap();
            format!(
                "{} {}",
                csv.lines().last().unwrap(),
                json.lines().last().unwrap()
            )
        });
        table += &format!("{datatype}: {}\n", lines.join(" | "));
    }
    insta::assert_snapshot!(table.replace('\0', "\\0"));
}

fn plain(rows: usize, columns: Vec<Column>, options: OutputOptions) -> String {
    let (fields, batch) = result(rows, columns);
    let mut text = PlainText::new(&fields, options);
    let mut shown = String::new();
    for column in 0..batch.columns.len() {
        let mut each = |text: Option<&str>| shown += &format!("{text:?} ");
        text.for_each(&batch, column, 0..rows, 0, &mut each)
            .unwrap();
        shown.push('\n');
    }
    shown
}

#[test]
fn cells_for_people() {
    let text: &[Option<&[u8]>] = &[Some(b"a, \"b\""), Some(b""), None];
    let blob: &[Option<&[u8]>] = &[Some(b"abc"), Some(b"a\nb"), Some(b"\xff")];
    let times = stored(&[0, i64::MIN, 86_400_000]);
    let two = [&times[..], &times[..]].concat().into();
    let label = column("label", Datatype::UInt8, ONE, stored(&[1_u8, 0, 7]));
    let columns = vec![
        texts("text", Datatype::StringUtf8, text),
        texts("blob", Datatype::Blob, blob),
        column(
            "number",
            Datatype::Float64,
            ONE,
            stored(&[f64::NAN, 0.1, -1e300]),
        ),
        column("time", Datatype::DateTimeMillisecond, ONE, times),
        column(
            "times",
            Datatype::DateTimeMillisecond,
            CellValNum::Fixed(2),
            two,
        ),
        enumerated(label, &["red", "a,b"], false),
    ];
    insta::assert_snapshot!("plain", plain(3, columns.clone(), OutputOptions::default()));
    let ticks = OutputOptions::default().ticks(true);
    insta::assert_snapshot!("plain_ticks", plain(3, columns, ticks));
}

#[test]
fn plain_text_that_is_none_is_named() {
    let cells: &[Option<&[u8]>] = &[Some(b"a"), Some(b"\xff")];
    let (fields, batch) = result(2, vec![texts("text", Datatype::StringUtf8, cells)]);
    let mut text = PlainText::new(&fields, OutputOptions::default());
    let error = text.for_each(&batch, 0, 0..2, 40, &mut |_| {}).unwrap_err();
    let ConversionError::NotUtf8 { field, cell } = error else {
        unreachable!("{error}")
    };
    assert_eq!((&*field, cell), ("text", 41));
}

#[test]
fn numbers_that_are_none() {
    let reals = stored(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e300, 0.1]);
    let real = column("real", Datatype::Float64, ONE, reals);
    let half = column(
        "half",
        Datatype::Float32,
        ONE,
        stored(&[f32::NAN, 1.0, 0.1, 3.4e38, 1e-9, 5.0]),
    );
    let big = column(
        "big",
        Datatype::UInt64,
        ONE,
        stored(&[u64::MAX, 0, 1, 2, 3, 4]),
    );
    insta::assert_snapshot!(both(6, vec![real, half, big]));
}

#[test]
fn texts_nulls_and_quotes() {
    let cells = [
        Some(&b"plain"[..]),
        Some(b""),
        None,
        Some(b"a,\"b\"\nc"),
        Some(b" pad"),
        Some("zwölf\u{7}".as_bytes()),
    ];
    let text = texts("text", Datatype::StringUtf8, &cells);
    let bytes = texts(
        "by,tes",
        Datatype::Blob,
        &[
            Some(b"\x00\xff"),
            Some(b""),
            None,
            Some(b"a"),
            None,
            Some(b"b"),
        ],
    );
    let number = column("n\"n", Datatype::Int8, ONE, stored(&[1_i8, 2, 3, 4, 5, -6]));
    let number = with_nulls(number, &[true, true, false, true, true, true]);
    insta::assert_snapshot!(both(6, vec![text, bytes, number]));
}

#[test]
fn dates_are_iso_and_nat_is_empty() {
    let ticks = stored(&[0, -1, i64::MIN]);
    let day = column("day", Datatype::DateTimeDay, ONE, ticks.clone());
    let nanosecond = column("ns", Datatype::DateTimeNanosecond, ONE, ticks.clone());
    let time = column("time", Datatype::TimeSecond, ONE, ticks.clone());
    let pair = column(
        "pair",
        Datatype::DateTimeMonth,
        CellValNum::Fixed(2),
        [&ticks[..], &ticks[..]].concat().into(),
    );
    let columns = vec![day, nanosecond, time, pair];
    insta::assert_snapshot!(both(3, columns.clone()));

    let options = OutputOptions::default().ticks(true);
    insta::assert_snapshot!(
        csv(3, columns.clone(), options).unwrap() + &json(3, columns, options).unwrap()
    );
}

#[test]
fn enumerated_cells_are_their_labels() {
    let label = column("label", Datatype::UInt8, ONE, stored(&[1_u8, 0, 7]));
    insta::assert_snapshot!(both(3, vec![enumerated(label, &["red", "a,b"], false)]), @r#"
    label
    "a,b"
    red

    {"label":"a,b"}
    {"label":"red"}
    {"label":null}
    "#);
}

#[test]
fn text_that_is_not_utf8_names_the_cell_or_is_bytes() {
    let text = || {
        vec![texts(
            "text",
            Datatype::StringAscii,
            &[Some(b"a"), Some(b"\xff")],
        )]
    };
    let error = csv(2, text(), OutputOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field \"text\", cell 1 of the result: not UTF-8"
    );
    let options = OutputOptions::default().binary_strings(true);
    assert_eq!(
        json(2, text(), options).unwrap(),
        "{\"text\":{\"hex\":\"61\"}}\n{\"text\":{\"hex\":\"ff\"}}\n"
    );
}

#[test]
fn a_result_without_fields_has_a_line_per_cell() {
    assert_eq!(both(2, Vec::new()), "\n\n\n{}\n{}\n");
}
