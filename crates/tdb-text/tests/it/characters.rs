//! `char` and strings of fixed size, written as text or marked bytes and read again.
#![cfg(all(feature = "csv", feature = "json"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{column, result, texts};
use proptest::prelude::*;
use tdb_cells::Column;
use tdb_cells::files::{BatchWriter, Input, InputOptions, OutputOptions};
use tdb_schema::CellValNum;
use tdb_text::{CsvInput, CsvWriter, JsonLinesInput, JsonLinesWriter, cell_of_bytes};
use tdb_tile::Datatype;

fn written(rows: usize, column: Column) -> [Vec<u8>; 2] {
    let (fields, batch) = result(rows, vec![column]);
    let (mut csv, mut json) = (Vec::new(), Vec::new());
    let options = OutputOptions::default();
    let mut writers: [Box<dyn BatchWriter + '_>; 2] = [
        Box::new(CsvWriter::try_new(&mut csv, &fields, options).unwrap()),
        Box::new(JsonLinesWriter::try_new(&mut json, &fields, options).unwrap()),
    ];
    for writer in &mut writers {
        writer.write(&batch).unwrap();
    }
    for writer in writers {
        writer.finish().unwrap();
    }
    [csv, json]
}

/// Writes a column as CSV and as JSON lines, and reads both.
fn read_again(rows: usize, column: &Column) -> [Column; 2] {
    let (fields, _) = result(rows, vec![column.clone()]);
    let [csv, json] = written(rows, column.clone());
    let options = InputOptions::default;
    let inputs: [Box<dyn Input + '_>; 2] = [
        Box::new(CsvInput::try_new(&*csv, options()).unwrap()),
        Box::new(JsonLinesInput::try_new(&*json, options()).unwrap()),
    ];
    inputs.map(|input| {
        let mut cells = input.cells(&fields).unwrap();
        let mut batch = cells.next().unwrap().unwrap();
        assert_eq!(batch.rows, rows);
        batch.columns.remove(0)
    })
}

fn assert_same(rows: usize, column: &Column) {
    for read in read_again(rows, column) {
        assert_eq!(read.values, column.values);
        assert_eq!(read.offsets, column.offsets);
        assert_eq!(read.validity, column.validity);
    }
}

#[test]
fn text_stays_text_and_other_bytes_are_marked() {
    let cells: &[Option<&[u8]>] = &[
        Some(b"DP=13"),
        Some("\u{e4}, \"b\"".as_bytes()),
        Some(b"NA"),
        Some(b""),
        Some(b"a\nb"),
        Some(b"\xff\x00"),
        Some(b"a\0"),
        Some(b"0x12"),
        Some(b"0xyz"),
    ];
    let info = texts("info", Datatype::Char, cells);
    let [csv, json] = written(cells.len(), info.clone()).map(|out| String::from_utf8(out).unwrap());
    insta::assert_snapshot!(format!("{csv}{json}"), @r#"
    info
    DP=13
    "ä, ""b"""
    NA
    ""
    "a
    b"
    0xff00
    0x6100
    0x30783132
    0xyz
    {"info":"DP=13"}
    {"info":"ä, \"b\""}
    {"info":"NA"}
    {"info":""}
    {"info":"a\nb"}
    {"info":{"hex":"ff00"}}
    {"info":"a\u0000"}
    {"info":"0x12"}
    {"info":"0xyz"}
    "#);
    assert_same(cells.len(), &info);
}

#[test]
fn cells_of_fixed_size_hold_so_many_bytes_at_most_and_are_filled_up() {
    let ids = column(
        "id",
        Datatype::StringAscii,
        CellValNum::Fixed(3),
        b"a01b\xff2"[..].into(),
    );
    assert_same(2, &ids);
    let (fields, _) = result(2, vec![ids]);
    let read = |text: &'static str| {
        let input = CsvInput::try_new(text.as_bytes(), InputOptions::default()).unwrap();
        let mut cells = Box::new(input).cells(&fields).unwrap();
        let batch = cells.next().map_err(|error| error.to_string())?;
        Ok::<_, String>(batch.unwrap().columns.remove(0).values)
    };
    assert_eq!(read("id\na01\nb2\n\"\"\n").unwrap(), b"a01b2\0\0\0\0"[..]);
    assert_eq!(read("id\n0x6130\n").unwrap(), b"a0\0"[..]);
    let refused = |text: &'static str| read(text).unwrap_err();
    insta::assert_snapshot!(refused("id\na01\nb234\n"), @r#"line 3, field "id": 4 bytes, and a cell has 3"#);
    insta::assert_snapshot!(refused("id\n0x61303132\n"), @r#"line 2, field "id": 4 bytes, and a cell has 3"#);
}

#[test]
fn a_cell_of_bytes_on_its_own_is_written_as_in_a_file() {
    use Datatype as D;
    let (one, any) = (CellValNum::Fixed(1), CellValNum::Var);
    let of = |datatype, values, text: &str| cell_of_bytes(datatype, values, text);
    for datatype in [
        D::Blob,
        D::GeometryWkb,
        D::StringUtf16,
        D::StringUcs4,
        D::Any,
    ] {
        assert_eq!(
            of(datatype, any, "00fF"),
            Some(Ok(vec![0, 255])),
            "{datatype}"
        );
        assert_eq!(
            of(datatype, any, "{\"hex\": \"00ff\"}"),
            Some(Ok(vec![0, 255]))
        );
        assert_eq!(of(datatype, any, ""), Some(Ok(Vec::new())));
        for wrong in [
            "00f",
            "text",
            "0x00",
            "{\"hex\": 1}",
            "{\"hex\": \"0g\"}",
            "{}",
        ] {
            assert!(
                of(datatype, any, wrong).unwrap().is_err(),
                "{datatype} {wrong}"
            );
        }
    }
    assert_eq!(of(D::Char, any, "00ff"), Some(Ok(b"00ff".to_vec())));
    assert_eq!(of(D::Char, any, "0x00ff"), Some(Ok(vec![0, 255])));
    assert_eq!(
        of(D::Char, any, "{\"hex\": \"00ff\"}"),
        Some(Ok(vec![0, 255]))
    );
    assert_eq!(
        of(D::Char, any, "{\"a\": 1}"),
        Some(Ok(b"{\"a\": 1}".to_vec()))
    );
    let three = CellValNum::Fixed(3);
    let filled_up = of(D::StringAscii, three, "ab");
    assert_eq!(filled_up, Some(Ok(b"ab\0".to_vec())));
    let many = of(D::StringAscii, three, "abcd");
    assert_eq!(many, Some(Err("4 bytes, and a cell has 3".to_owned())));
    let few = of(D::Blob, three, "6162");
    assert_eq!(few, Some(Err("2 bytes, and a cell has 3".to_owned())));
    assert_eq!(of(D::StringUtf16, one, "6100"), Some(Ok(vec![97, 0])));
    // Numbers, and types that are always text.
    for (datatype, values) in [(D::StringUtf8, any), (D::Int32, one), (D::DateTimeDay, one)] {
        assert_eq!(of(datatype, values, "00ff"), None);
    }
}

/// The ticks of a column of dates, read from CSV and from JSON lines.
fn dates(csv: &str, json: &str, ticks: bool) -> [Vec<u8>; 2] {
    let day = column(
        "day",
        Datatype::DateTimeDay,
        CellValNum::Fixed(1),
        b""[..].into(),
    );
    let (fields, _) = result(0, vec![day]);
    let options = || InputOptions::default().ticks(ticks);
    let inputs: [Box<dyn Input + '_>; 2] = [
        Box::new(CsvInput::try_new(csv.as_bytes(), options()).unwrap()),
        Box::new(JsonLinesInput::try_new(json.as_bytes(), options()).unwrap()),
    ];
    inputs.map(|input| {
        let mut cells = input.cells(&fields).unwrap();
        cells
            .next()
            .unwrap()
            .unwrap()
            .columns
            .remove(0)
            .values
            .to_vec()
    })
}

#[test]
fn a_year_is_a_date_unless_dates_are_ticks() {
    let csv = "day\n1971\n1971-01\n365\n";
    let json = "{\"day\": \"1971\"}\n{\"day\": 1971}\n{\"day\": 365}\n";
    let days = |days: [i64; 3]| days.map(i64::to_le_bytes).concat();
    assert_eq!(dates(csv, json, false), [days([365; 3]), days([365; 3])]);
    let csv = "day\n1971\n365\n-9\n";
    let json = "{\"day\": 1971}\n{\"day\": 365}\n{\"day\": -9}\n";
    let raw = days([1971, 365, -9]);
    assert_eq!(dates(csv, json, true), [raw.clone(), raw]);
}

proptest! {
    #[test]
    fn any_bytes_come_back(
        cells in prop::collection::vec(
            prop::option::of(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..6),
                "(0x)?[0-9a-fA-F\"\\r\\n\\PC]{0,6}".prop_map(String::into_bytes),
            ]),
            1..8,
        )
    ) {
        let cells: Vec<Option<&[u8]>> = cells.iter().map(Option::as_deref).collect();
        assert_same(cells.len(), &texts("info", Datatype::Char, &cells));
    }
}
