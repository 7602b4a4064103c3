//! Dates and times of every unit, written to files and read again.
#![cfg(all(feature = "ipc", feature = "parquet"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use crate::common::{ONE, column, result, starts, stored, with_nulls};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use tdb_arrow::{IpcFileWriter, ParquetWriter, ipc_file_input, parquet_input};
use tdb_cells::files::{
    BatchWriter, ConversionError, Input, InputError, InputOptions, OutputOptions,
};
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_schema::CellValNum;
use tdb_tile::{Code, Datatype};

const NAT: i64 = i64::MIN;
const TICKS: [i64; 6] = [0, 1, -1, NAT, 1_234, -40_000];

/// An output whose contents can be read after the writer is dropped.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Ipc,
    Parquet,
}

fn write(format: Format, fields: &[FieldInfo], batch: &Batch) -> Result<Vec<u8>, ConversionError> {
    let out = Output::default();
    let mut writer: Box<dyn BatchWriter> = match format {
        Format::Ipc => Box::new(IpcFileWriter::try_new(
            out.clone(),
            fields,
            OutputOptions::default(),
            None,
        )?),
        Format::Parquet => Box::new(ParquetWriter::try_new(
            out.clone(),
            fields,
            OutputOptions::default(),
            None,
        )?),
    };
    writer.write(batch)?;
    writer.finish()?;
    let bytes = out.0.lock().unwrap();
    Ok(bytes.clone())
}

fn read(format: Format, file: Vec<u8>, fields: &[FieldInfo]) -> Result<Batch, InputError> {
    let (file, options) = (Cursor::new(file), InputOptions::default());
    let input = match format {
        Format::Ipc => ipc_file_input(file, options)?,
        Format::Parquet => parquet_input(file, options)?,
    };
    Ok(Box::new(input).cells(fields)?.next()?.unwrap())
}

fn units() -> impl Iterator<Item = Datatype> {
    let all = Datatype::ALL.iter().copied();
    all.filter(|datatype| datatype.is_datetime() || datatype.is_time())
}

/// Six dates and times of every unit: single, with nulls, in pairs and in lists.
fn every_unit() -> (Vec<FieldInfo>, Batch) {
    let mut columns = Vec::new();
    for datatype in units() {
        let name = |kind: &str| format!("{datatype}_{kind}");
        columns.push(column(&name("one"), datatype, ONE, stored(&TICKS)));
        let nullable = column(
            &name("null"),
            datatype,
            ONE,
            stored(&[5, 0, 7, 8, 0, -9_i64]),
        );
        columns.push(with_nulls(
            nullable,
            &[true, false, true, true, false, true],
        ));
        let pairs = TICKS.map(|ticks| [ticks, 77]).concat();
        columns.push(column(
            &name("pair"),
            datatype,
            CellValNum::Fixed(2),
            stored(&pairs),
        ));
        let list = column(&name("list"), datatype, CellValNum::Var, stored(&TICKS));
        columns.push(Column {
            offsets: starts(&[0, 0, 16, 24, 48, 48, 48]),
            ..list
        });
    }
    result(6, columns)
}

#[test]
fn dates_and_times_of_every_unit_come_back_from_files() {
    let (fields, batch) = every_unit();
    for format in [Format::Ipc, Format::Parquet] {
        let file = write(format, &fields, &batch).unwrap();
        let found = read(format, file, &fields).unwrap();
        for (found, wanted) in found.columns.iter().zip(&batch.columns) {
            let place = format!("{format:?} {}", wanted.name);
            assert_eq!(found.values, wanted.values, "{place}");
            assert_eq!(found.offsets, wanted.offsets, "{place}");
            let valid = |column: &Column| [0, 1, 2, 3, 4, 5].map(|row| column.is_valid(row));
            assert_eq!(valid(found), valid(wanted), "{place}");
        }
    }
}

/// The types that a reader sees which knows only Parquet's own types.
#[test]
fn parquet_says_by_its_own_types_what_is_a_date() {
    let columns = units().map(|datatype| column(datatype.name(), datatype, ONE, stored(&[1_i64])));
    let (fields, batch) = result(1, columns.collect());
    let file = bytes::Bytes::from(write(Format::Parquet, &fields, &batch).unwrap());
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let reader = ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).unwrap();
    let types = reader.schema().fields().iter();
    let types: Vec<String> = types
        .map(|field| format!("{}: {}", field.name(), field.data_type()))
        .collect();
    insta::assert_snapshot!(types.join("\n"));
}

#[test]
fn dates_beyond_the_units_of_files_name_the_cell() {
    let beyond = [
        (Datatype::DateTimeYear, 6_000_000_000),
        (Datatype::DateTimeMonth, -100_000_000),
        (Datatype::DateTimeWeek, 306_783_379),
        (Datatype::DateTimeHour, i64::MAX / 3_600 + 1),
        (Datatype::DateTimeMinute, NAT + 1),
        (Datatype::DateTimeSecond, i64::MAX / 1_000 + 1),
    ];
    let mut said = String::new();
    for (datatype, ticks) in beyond {
        let whole = column("a", datatype, ONE, stored(&[0, ticks]));
        for column in [whole.clone(), with_nulls(whole, &[true, false])] {
            for format in [Format::Ipc, Format::Parquet] {
                let (fields, batch) = result(2, vec![column.clone()]);
                let done = write(format, &fields, &batch);
                let done = done.map_or_else(|error| error.to_string(), |_| "written".to_owned());
                said += &format!("{datatype} {format:?} {}: {done}\n", column.nullable);
            }
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn dates_that_are_no_whole_unit_are_refused_on_the_way_back() {
    let day = |datatype| {
        let (fields, batch) = result(
            2,
            vec![column(
                "a",
                Datatype::DateTimeDay,
                ONE,
                stored(&[0, 10_i64]),
            )],
        );
        let file = write(Format::Parquet, &fields, &batch).unwrap();
        let (fields, _) = result(2, vec![column("a", datatype, ONE, stored::<i64>(&[]))]);
        read(Format::Parquet, file, &fields)
            .unwrap_err()
            .to_string()
    };
    let said = [
        Datatype::DateTimeWeek,
        Datatype::DateTimeMonth,
        Datatype::DateTimeYear,
    ]
    .map(day);
    insta::assert_snapshot!(said.join("\n"), @r#"
    row 1, field "a": 10 of Date32 is not a whole number of datetime_week
    row 1, field "a": 10 of Date32 is not a whole number of datetime_month
    row 1, field "a": 10 of Date32 is not a whole number of datetime_year
    "#);
}

/// An array made from the file has the original units, although the Arrow types are less specific.
#[test]
fn guesses_find_the_unit_again() {
    for format in [Format::Ipc, Format::Parquet] {
        let columns =
            units().map(|datatype| column(datatype.name(), datatype, ONE, stored(&[1_i64])));
        let (fields, batch) = result(1, columns.collect());
        let (file, options) = (
            write(format, &fields, &batch).unwrap(),
            InputOptions::default(),
        );
        let input = match format {
            Format::Ipc => ipc_file_input(Cursor::new(file), options),
            Format::Parquet => parquet_input(Cursor::new(file), options),
        };
        for guess in Box::new(input.unwrap()).guess().unwrap() {
            assert_eq!(guess.datatype.to_string(), guess.name, "{format:?}");
        }
    }
}
