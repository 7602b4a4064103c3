//! `.npy` files: written as NumPy reads them, and read.
#![cfg(feature = "npy")]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use crate::common::{ONE, column, enumerated, field, result, stored, texts, with_nulls};
use tdb_cells::files::{
    BatchWriter, ColumnGuess, ConversionError, Input, InputError, InputOptions,
};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::CellValNum;
use tdb_text::{NpyInput, NpyWriter};
use tdb_tile::{Datatype, with_scalar};

fn npy(columns: Vec<Column>, rows: usize, shape: &[u64]) -> Result<Vec<u8>, ConversionError> {
    let (fields, batch) = result(rows, columns);
    let mut out = Vec::new();
    let mut writer = Box::new(NpyWriter::try_new(&mut out, &fields, shape)?);
    writer.write(&batch)?;
    writer.finish()?;
    Ok(out)
}

#[test]
fn npy_header_is_64_bytes_aligned_and_names_the_type() {
    let file = npy(
        vec![column(
            "a",
            Datatype::Int16,
            ONE,
            stored(&[1_i16, 2, 3, 4, 5, 6]),
        )],
        6,
        &[2, 3],
    )
    .unwrap();
    assert_eq!(file.len(), 128 + 12);
    assert_eq!(&file[..10], b"\x93NUMPY\x01\x00\x76\x00");
    let header = String::from_utf8_lossy(&file[10..128]).into_owned();
    assert_eq!(
        header.trim_end(),
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"
    );
    assert!(header.ends_with('\n'));
    assert_eq!(&file[128..], &stored(&[1_i16, 2, 3, 4, 5, 6])[..]);
}

#[test]
fn npy_types_of_all_datatypes() {
    let mut table = String::new();
    for &datatype in Datatype::ALL {
        let values = vec![0; datatype.size() * 3].into();
        let file = npy(
            vec![column("a", datatype, CellValNum::Fixed(3), values)],
            1,
            &[1],
        )
        .unwrap();
        let header = String::from_utf8_lossy(&file[10..128]).into_owned();
        let parts: Vec<&str> = header.split('\'').collect();
        table += &format!("{datatype} {} {}\n", parts[3], parts[8].trim());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn npy_refuses_what_it_cannot_hold() {
    let one = || column("a", Datatype::UInt8, ONE, stored(&[1_u8, 2]));
    let errors = [
        npy(vec![one(), one()], 2, &[2]),
        npy(vec![texts("a", Datatype::Blob, &[Some(b"x")])], 1, &[1]),
        npy(vec![with_nulls(one(), &[true, false])], 2, &[2]),
        npy(vec![enumerated(one(), &["x"], false)], 2, &[2]),
        npy(vec![one()], 2, &[3]),
        npy(vec![one()], 2, &[1 << 40, 1 << 40]),
    ];
    let errors = errors.map(|error| {
        let error = error.unwrap_err();
        format!("{error}\n  hint: {}\n", error.hint().unwrap())
    });
    insta::assert_snapshot!(errors.concat());
    // The header would be longer than its length can say.
    let error = npy(vec![one()], 1, &[1; 30_000]).unwrap_err().to_string();
    assert_eq!(
        error,
        "the header of a .npy file has no place for 30000 axes"
    );
}

/// There are no datatypes for times in days and weeks, but hours can represent all of them.
#[test]
fn lengths_of_days_and_weeks_are_hours() {
    let hours = plain(Datatype::TimeHour, ONE);
    let numbers = |descr, ticks: &[i64]| -> Result<Vec<i64>, InputError> {
        let bytes: Vec<u8> = ticks.iter().flat_map(|tick| tick.to_le_bytes()).collect();
        let file = saved(descr, &format!("({},)", ticks.len()), &bytes);
        let cells = cells(&file, 1, &hours)?;
        let number = |cell: &Vec<u8>| i64::from_le_bytes(cell[..].try_into().unwrap());
        Ok(cells.iter().map(number).collect())
    };
    assert_eq!(
        numbers("<m8[D]", &[2, -1, i64::MIN]).unwrap(),
        [48, -24, i64::MIN]
    );
    assert_eq!(numbers("<m8[W]", &[1]).unwrap(), [168]);
    assert!(numbers("<m8[D]", &[i64::MAX]).is_err());
}

/// A file as NumPy would save it.
fn saved(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(values);
    file
}

fn open(file: &[u8], inner: u32) -> Result<Box<NpyInput<&[u8]>>, InputError> {
    let options = InputOptions::default().batch_bytes(16);
    NpyInput::try_new(file, "a", inner, options).map(Box::new)
}

fn plain(datatype: Datatype, cell_val_num: CellValNum) -> FieldInfo {
    field(&column("a", datatype, cell_val_num, Vec::new().into()))
}

/// The cells of all batches, one by one.
fn cells(file: &[u8], inner: u32, field: &FieldInfo) -> Result<Vec<Vec<u8>>, InputError> {
    let mut input = open(file, inner)?.cells(std::slice::from_ref(field))?;
    let mut cells = Vec::new();
    while let Some(batch) = input.next()? {
        let column = &batch.columns[0];
        assert!(column.validity.is_none() && column.nullable == field.nullable);
        cells.extend((0..batch.rows).map(|row| column.cell(row).unwrap().to_vec()));
    }
    Ok(cells)
}

fn refused(file: &[u8], inner: u32, field: &FieldInfo) -> String {
    cells(file, inner, field).unwrap_err().to_string()
}

fn guess(file: &[u8], inner: u32) -> Result<ColumnGuess, InputError> {
    let mut guesses = open(file, inner)?.guess()?;
    assert_eq!(guesses.len(), 1);
    Ok(guesses.remove(0))
}

#[test]
fn numbers_of_every_datatype_come_back() {
    let numbers = Datatype::ALL.iter().copied();
    for datatype in numbers.filter(|d| !tdb_schema::value::holds_bytes(*d)) {
        let values = with_scalar!(datatype, T => stored::<T>(&[1 as T, 0 as T, 1 as T, 1 as T, 0 as T, 1 as T]));
        let wanted = |size: usize| -> Vec<Vec<u8>> {
            values.chunks_exact(size).map(<[u8]>::to_vec).collect()
        };
        let one = column("a", datatype, ONE, values.clone());
        let file = npy(vec![one], 6, &[2, 3]).unwrap();
        let found = cells(&file, 1, &plain(datatype, ONE)).unwrap();
        assert_eq!(found, wanted(datatype.size()), "{datatype}");
        let input = open(&file, 1).unwrap();
        assert_eq!(input.shape().axes, [2, 3], "{datatype}");
        let guessed = guess(&file, 1).unwrap();
        assert_eq!((guessed.datatype, guessed.cell_val_num), (datatype, ONE));
        assert_eq!((guessed.cells, guessed.nullable), (6, false));
        let ends = with_scalar!(datatype, T => [stored::<T>(&[0 as T]), stored::<T>(&[1 as T])]);
        let range = guessed.range.unwrap();
        assert_eq!([&range.lo[..], &range.hi], [&ends[0][..], &ends[1]]);

        let three = CellValNum::Fixed(3);
        let file = npy(vec![column("a", datatype, three, values.clone())], 2, &[2]).unwrap();
        for cell_val_num in [three, CellValNum::Var] {
            let found = cells(&file, 3, &plain(datatype, cell_val_num)).unwrap();
            assert_eq!(found, wanted(3 * datatype.size()), "{datatype}");
        }
        let guessed = guess(&file, 3).unwrap();
        assert_eq!((guessed.datatype, guessed.cell_val_num), (datatype, three));
        assert_eq!((guessed.cells, guessed.range), (2, None));
    }
}

#[test]
fn the_greatest_byte_may_come_first_and_the_first_axis_change_fastest() {
    let file = saved(">i2", "(2, 3)", &[0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 0]);
    let file = String::from_utf8(file.iter().map(|b| b & 0x7f).collect()).unwrap();
    let mut file = file.replace("False", "True ").into_bytes();
    file[0] = 0x93;
    let found = cells(&file, 1, &plain(Datatype::Int16, ONE)).unwrap();
    assert_eq!(found.concat(), stored(&[1_i16, 2, 3, 4, 5, 256]).to_vec());
    assert!(open(&file, 1).unwrap().shape().is_column_major);
    assert_eq!(
        open(&file, 3).unwrap_err().to_string(),
        "the last axis of the file is not one of 3 values, as a cell has"
    );
}

#[test]
fn numbers_go_into_other_types_where_no_cell_loses_anything() {
    use Datatype as D;
    let words = saved("<i2", "(3,)", &stored(&[1_i16, -2, 300]));
    let into = |datatype| cells(&words, 1, &plain(datatype, ONE)).map(|cells| cells.concat());
    assert_eq!(into(D::Int64).unwrap(), stored(&[1_i64, -2, 300]).to_vec());
    assert_eq!(
        into(D::Float32).unwrap(),
        stored(&[1_f32, -2.0, 300.0]).to_vec()
    );
    assert_eq!(
        into(D::DateTimeDay).unwrap(),
        stored(&[1_i64, -2, 300]).to_vec()
    );
    let wrong = |datatype| into(datatype).unwrap_err().to_string();
    insta::assert_snapshot!([D::UInt8, D::Int8, D::Bool, D::Blob].map(wrong).join("\n"), @r#"
    row 1, field "a": -2 is not a valid uint8
    row 2, field "a": 300 is not a valid int8
    column "a": it holds values of type "<i2", and the field takes bool
    column "a": it holds values of type "<i2", and the field takes blob
    "#);
    let halves = saved(
        "<f2",
        "(4,)",
        &stored(&[0x3c00_u16, 0xc100, 0x0001, 0xfc00]),
    );
    let found = cells(&halves, 1, &plain(D::Float64, ONE)).unwrap();
    let wanted = [1.0, -2.5, 2_f64.powi(-24), f64::NEG_INFINITY];
    assert_eq!(found.concat(), stored(&wanted).to_vec());
    let guessed = guess(&halves, 1).unwrap();
    assert_eq!((guessed.datatype, guessed.cell_val_num), (D::Float32, ONE));
    let truths = saved("|b1", "(3,)", &[0, 1, 7]);
    assert_eq!(
        cells(&truths, 1, &plain(D::Bool, ONE)).unwrap().concat(),
        [0, 1, 1]
    );
    assert!(cells(&truths, 1, &plain(D::UInt8, ONE)).is_err());
}

#[test]
fn dates_go_into_other_units_where_they_are_whole() {
    use Datatype as D;
    let ticks = |file: &[u8], datatype| cells(file, 1, &plain(datatype, ONE)).map(|c| c.concat());
    let days = saved("<M8[D]", "(3,)", &stored(&[1, i64::MIN, 366]));
    let hours = stored(&[24, i64::MIN, 366 * 24]).to_vec();
    assert_eq!(ticks(&days, D::DateTimeHour).unwrap(), hours);
    let seconds = saved("<m8[s]", "(2,)", &stored(&[3_600_i64, 1]));
    let wrong = [
        ticks(&days, D::DateTimeYear),
        ticks(&days, D::TimeSecond),
        ticks(&seconds, D::TimeHour),
        ticks(&seconds, D::Int64),
    ];
    let wrong = wrong.map(|result| result.unwrap_err().to_string());
    insta::assert_snapshot!(wrong.join("\n"), @r#"
    row 0, field "a": 1 of datetime_day is not a whole number of datetime_year
    column "a": it holds values of type "<M8[D]", and the field takes time_sec
    row 1, field "a": 1 of time_sec is not a whole number of time_hr
    column "a": it holds values of type "<m8[s]", and the field takes int64
    "#);
    let range = guess(&days, 1).unwrap().range.unwrap();
    assert_eq!(
        [&range.lo[..], &range.hi],
        [1_i64, 366].map(i64::to_le_bytes)
    );
}

#[test]
fn texts_and_bytes_are_cells_or_labels() {
    use Datatype as D;
    let bytes = saved("|S3", "(3,)", b"ab\0\0\0\0xyz");
    let text = plain(D::StringAscii, CellValNum::Var);
    assert_eq!(cells(&bytes, 1, &text).unwrap(), [&b"ab"[..], b"", b"xyz"]);
    assert_eq!(
        refused(&bytes, 1, &plain(D::Char, CellValNum::Fixed(3))),
        "row 0, field \"a\": 2 bytes, and a cell has 3"
    );
    let characters = ['a', '\0', 'é', '∂']
        .map(|c| u32::from(c).to_le_bytes())
        .concat();
    let characters = saved("<U2", "(2,)", &characters);
    let found = cells(&characters, 1, &plain(D::StringUtf8, CellValNum::Var)).unwrap();
    assert_eq!(found, ["a".as_bytes(), "é∂".as_bytes()]);
    let guessed = guess(&characters, 1).unwrap();
    assert_eq!((guessed.datatype, guessed.is_ascii), (D::StringUtf8, false));
    assert!(guess(&bytes, 1).unwrap().is_ascii);
    let none = saved("<U1", "(2,)", &[b'a', 0, 0, 0, 0, 0xd8, 0, 0]);
    assert_eq!(
        refused(&none, 1, &text),
        "row 1, field \"a\": a text with what is not a valid character"
    );

    let raw = saved("|V2", "(2,)", b"\0\x01\x02\0");
    let two = CellValNum::Fixed(2);
    assert_eq!(
        cells(&raw, 1, &plain(D::Blob, two)).unwrap(),
        [[0, 1], [2, 0]]
    );
    let guessed = guess(&raw, 1).unwrap();
    assert_eq!((guessed.datatype, guessed.cell_val_num), (D::Blob, two));
    assert!(cells(&raw, 1, &plain(D::Blob, CellValNum::Fixed(3))).is_err());
    assert!(cells(&saved("|V2", "(1, 2)", b"abcd"), 2, &plain(D::Blob, two)).is_err());

    let labels = column("a", D::UInt16, ONE, Vec::new().into());
    let labels = field(&enumerated(labels, &["xyz", "", "ab"], false));
    let found = cells(&bytes, 1, &labels).unwrap();
    assert_eq!(found.concat(), stored(&[2_u16, 1, 0]).to_vec());
    let other = saved("|S2", "(2,)", b"abno");
    assert_eq!(
        refused(&other, 1, &labels),
        "row 1, field \"a\": \"no\" is not a label of enumeration \"colours\""
    );
}

#[test]
fn files_that_do_not_hold_together_are_refused() {
    let int = plain(Datatype::Int32, ONE);
    let short = saved("<i4", "(3,)", &[0; 11]);
    let error = cells(&short, 1, &int).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    let mut said = vec![format!("{error}: {cause}")];
    let huge = "(4294967296, 4294967296)";
    let files = [
        b"\x93NUMPY".to_vec(),
        b"\x93NUMPZ\x01\x00".to_vec(),
        b"\x93NUMPY\x09\x00".to_vec(),
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(),
        b"\x93NUMPY\x01\x00\x02\x00{}".to_vec(),
        saved("<i4", huge, &[]),
        saved("<c8", "(1,)", &[0; 8]),
        saved("<i3", "(1,)", &[0; 3]),
        saved("<S0", "(1,)", &[]),
        saved("<m8[Y]", "(1,)", &[0; 8]),
    ];
    said.extend(files.iter().map(|file| refused(file, 1, &int)));
    insta::assert_snapshot!(said.join("\n"));
    // A shape without cells has no values to read.
    assert!(
        cells(&saved("<i4", "(0, 5)", &[]), 1, &int)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        cells(&saved("<i4", "()", &[1, 0, 0, 0]), 1, &int).unwrap(),
        [[1, 0, 0, 0]]
    );
}

#[test]
fn a_file_is_one_column_with_the_name_that_it_is_given() {
    let file = saved("<i4", "(1,)", &[0; 4]);
    assert_eq!(open(&file, 1).unwrap().names(), ["a"]);
    let mut other = plain(Datatype::Int32, ONE);
    other.name = "b".to_owned();
    assert!(matches!(
        refused_fields(&file, &[other.clone()]),
        InputError::Names(_)
    ));
    let both = [plain(Datatype::Int32, ONE), other];
    assert!(matches!(refused_fields(&file, &both), InputError::Names(_)));
}

fn refused_fields(file: &[u8], fields: &[FieldInfo]) -> InputError {
    open(file, 1).unwrap().cells(fields).map(drop).unwrap_err()
}
