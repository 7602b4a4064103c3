//! Written files can be read with Arrow's own readers.
#![cfg(all(feature = "ipc", feature = "parquet"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use crate::common::{ONE, bits, column, enumerated, result, starts, stored, texts, with_nulls};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tdb_arrow::{IpcFileWriter, IpcStreamWriter, Mapping, ParquetWriter};
use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, with_scalar};

/// An output whose contents can be read after the writer is dropped.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Two cells of every datatype: one value, three values, and a list of any length; then text, nulls and labels.
fn everything() -> (Vec<FieldInfo>, Batch) {
    let mut columns = Vec::new();
    for &datatype in Datatype::ALL {
        let values = with_scalar!(datatype, T => stored::<T>(&[
            1 as T, 0 as T, 1 as T, 1 as T, 0 as T, 1 as T
        ]));
        let size = datatype.size() as u64;
        let name = |kind: &str| format!("{datatype}_{kind}");
        columns.push(column(
            &name("one"),
            datatype,
            ONE,
            values.slice(..datatype.size() * 2),
        ));
        columns.push(column(
            &name("three"),
            datatype,
            CellValNum::Fixed(3),
            values.clone(),
        ));
        let var = column(&name("var"), datatype, CellValNum::Var, values);
        columns.push(Column {
            offsets: starts(&[0, 2 * size, 6 * size]),
            ..var
        });
    }
    columns.push(texts(
        "text",
        Datatype::StringUtf8,
        &[Some("ö".as_bytes()), None],
    ));
    columns.push(with_nulls(
        column("null", Datatype::UInt8, ONE, stored(&[1_u8, 2])),
        &[false, true],
    ));
    columns.push(enumerated(
        column("label", Datatype::UInt16, ONE, stored(&[1_u16, 9])),
        &["a", "b"],
        true,
    ));
    assert_eq!(bits(&[true]).len(), 1);
    result(2, columns)
}

fn expected(fields: &[FieldInfo], batch: &Batch) -> RecordBatch {
    Mapping::new(fields, OutputOptions::default())
        .unwrap()
        .record_batch(batch)
        .unwrap()
}

fn write(mut writer: Box<dyn BatchWriter>, batch: &Batch) -> Result<(), ConversionError> {
    writer.write(batch)?;
    writer.finish()
}

#[test]
fn ipc_file_and_stream_come_back() {
    let (fields, batch) = everything();
    let wanted = expected(&fields, &batch);

    let out = Output::default();
    let writer =
        IpcFileWriter::try_new(out.clone(), &fields, OutputOptions::default(), None).unwrap();
    write(Box::new(writer), &batch).unwrap();
    let mut reader = FileReader::try_new(Cursor::new(out.bytes()), None).unwrap();
    assert_eq!(reader.next().unwrap().unwrap(), wanted);

    let out = Output::default();
    let writer =
        IpcStreamWriter::try_new(out.clone(), &fields, OutputOptions::default(), None).unwrap();
    write(Box::new(writer), &batch).unwrap();
    let mut reader = StreamReader::try_new(Cursor::new(out.bytes()), None).unwrap();
    assert_eq!(reader.schema(), wanted.schema());
    assert_eq!(reader.next().unwrap().unwrap(), wanted);
}

#[test]
fn parquet_comes_back() {
    let (fields, batch) = everything();
    let out = Output::default();
    let writer =
        ParquetWriter::try_new(out.clone(), &fields, OutputOptions::default(), None).unwrap();
    write(Box::new(writer), &batch).unwrap();
    let bytes = bytes::Bytes::from(out.bytes());
    let mut reader = ParquetRecordBatchReaderBuilder::try_new(bytes)
        .unwrap()
        .build()
        .unwrap();
    let (read, wanted) = (reader.next().unwrap().unwrap(), expected(&fields, &batch));
    for ((field, read), wanted) in wanted
        .schema()
        .fields()
        .iter()
        .zip(read.columns())
        .zip(wanted.columns())
        // Parquet has no seconds.
        .filter(|((field, _), _)| !field.data_type().to_string().contains("Timestamp(s)"))
    {
        assert_eq!(read, wanted, "{field}");
    }
}

#[test]
fn labels_are_the_same_in_all_batches_of_a_file() {
    let label = column("label", Datatype::UInt16, ONE, stored(&[1_u16, 0]));
    let (fields, batch) = result(2, vec![enumerated(label, &["a", "b"], false)]);
    let twice = |mut writer: Box<dyn BatchWriter>| {
        writer.write(&batch).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    };

    let out = Output::default();
    twice(Box::new(
        IpcFileWriter::try_new(out.clone(), &fields, OutputOptions::default(), None).unwrap(),
    ));
    let reader = FileReader::try_new(Cursor::new(out.bytes()), None).unwrap();
    assert_eq!(
        reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(),
        4
    );

    let out = Output::default();
    twice(Box::new(
        IpcStreamWriter::try_new(out.clone(), &fields, OutputOptions::default(), None).unwrap(),
    ));
    let reader = StreamReader::try_new(Cursor::new(out.bytes()), None).unwrap();
    assert_eq!(
        reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(),
        4
    );
}
