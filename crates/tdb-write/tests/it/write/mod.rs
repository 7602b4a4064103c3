//! Written cells are read back one by one, and rejected writes leave no trace.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop there"
)]

mod as_they_come;
mod dense;
mod durable;
mod refused;
mod sparse;
mod versions;

use std::num::NonZeroUsize;
use std::sync::Arc;

use tdb_array::{Array, CountedNames, ErrorKind, OpenOptions, TimeWindow, TimestampedName};
use tdb_cells::{Batch, CellProblem, Column, Session, SessionOptions};
use tdb_filters::{FilterList, FilterRecord, seal_generic_tile};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellOrder, CellValNum, DataOrder, Dimension, DimensionLabel,
    Order,
};
use tdb_store::{FaultyStore, MemoryStore, Store};
use tdb_tile::{Datatype, FormatVersion, Range};
use tdb_write::{Duplicates, WriteError, WriteOptions, WriteOrder, Writer};

pub(crate) fn array(store: &Arc<dyn Store>, schema: &ArraySchema) -> Arc<Array> {
    array_at(store, "a", schema)
}

pub(crate) fn array_at(store: &Arc<dyn Store>, at: &str, schema: &ArraySchema) -> Arc<Array> {
    let name = TimestampedName::unversioned(1, 1, 0).unwrap();
    let tile = seal_generic_tile(&schema.encode().unwrap(), FormatVersion::WRITTEN, None);
    let key = if schema.version.names_schema() {
        format!("{at}/__schema/{name}")
    } else {
        format!("{at}/__array_schema.tdb")
    };
    store.put(&key, tile.unwrap().into()).unwrap();
    Arc::new(Array::open(Arc::clone(store), at, OpenOptions::default()).unwrap())
}

pub(crate) fn open(store: &Arc<dyn Store>) -> Arc<Array> {
    Arc::new(Array::open(Arc::clone(store), "a", OpenOptions::default()).unwrap())
}

pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// Options with counted names, so that a test writes the same in each run.
pub(crate) fn at(time: u64) -> WriteOptions {
    WriteOptions::at(time).names(Arc::new(CountedNames::new(
        0,
        u64::from(u32::MAX) + time * 1000,
    )))
}

/// The cells of a field: the bytes of each, `None` for null.
pub(crate) type Values = Vec<Option<Vec<u8>>>;

pub(crate) fn column(schema: &ArraySchema, name: &str, cells: &Values) -> Column {
    let field = schema.field(name).unwrap();
    let size = field.cell_size().unwrap_or(0);
    let mut values = Vec::new();
    let mut offsets = vec![0_u64];
    let mut validity = vec![0_u8; cells.len().div_ceil(8)];
    for (row, cell) in cells.iter().enumerate() {
        match cell {
            Some(bytes) => {
                values.extend_from_slice(bytes);
                validity[row / 8] |= 1 << (row % 8);
            }
            None => values.resize(values.len() + usize::try_from(size).unwrap(), 0),
        }
        offsets.push(values.len() as u64);
    }
    Column {
        name: name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: values.into(),
        offsets: field
            .is_var()
            .then(|| offsets.into_iter().flat_map(u64::to_le_bytes).collect()),
        validity: field.nullable.then(|| validity.into()),
        enumeration: None,
    }
}

pub(crate) fn batch(schema: &ArraySchema, fields: &[(&str, Values)]) -> Batch {
    Batch {
        rows: fields.first().map_or(0, |(_, cells)| cells.len()),
        columns: fields
            .iter()
            .map(|(name, cells)| column(schema, name, cells))
            .collect(),
    }
}

pub(crate) fn numbers<const N: usize>(values: [i32; N]) -> Values {
    values
        .iter()
        .map(|v| Some(v.to_le_bytes().to_vec()))
        .collect()
}

/// All rows of the array, as the bytes of each cell.
pub(crate) fn rows(array: &Arc<Array>, order: Option<ResultOrder>) -> Vec<Vec<Option<Vec<u8>>>> {
    let options = ReadOptions::default().order(order);
    let mut out = Vec::new();
    for batch in Reader::open(&Session::default(), array, &options).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.rows {
            let cell = |c: &Column| c.is_valid(row).then(|| c.cell(row).unwrap().to_vec());
            out.push(batch.columns.iter().map(cell).collect());
        }
    }
    out
}

pub(crate) fn line() -> ArraySchema {
    let x = Dimension::numbers("x", Datatype::Int32, (1_i32, 100), 10);
    let a = Attribute::new("a", Datatype::Int32);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![a]);
    schema.capacity = 3;
    schema
}

/// The objects of all fragments, committed or not.
pub(crate) fn fragments(store: &dyn Store) -> Vec<String> {
    let objects = store.list_recursive("a/__fragments").unwrap();
    objects.into_iter().map(|object| object.key).collect()
}

pub(crate) fn write(
    array: &Arc<Array>,
    options: &WriteOptions,
    batch: &Batch,
) -> Result<usize, WriteError> {
    let mut writer = Writer::open(&Session::default(), array, options)?;
    writer.push(batch)?;
    writer.finish().map(|names| names.len())
}

/// All objects of a store.
pub(crate) fn objects(store: &dyn Store) -> Vec<(String, Vec<u8>)> {
    let all = store.list_recursive("").unwrap();
    let read = |key: &str| {
        tdb_store::read_whole(store, key, u64::MAX)
            .unwrap()
            .to_vec()
    };
    all.into_iter()
        .map(|object| (object.key.clone(), read(&object.key)))
        .collect()
}

/// A sparse array with many types of fields: strings, nulls, cells of any size.
pub(crate) fn mixed() -> ArraySchema {
    let x = Dimension::numbers("x", Datatype::Float64, (-10.0_f64, 10.0), 3.0);
    let name = Dimension::strings("name");
    let mut a = Attribute::new("a", Datatype::Int16).with_cell_val_num(CellValNum::Var);
    a.nullable = true;
    let mut b = Attribute::new("b", Datatype::UInt8);
    b.nullable = true;
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x, name], vec![a, b]);
    schema.capacity = 4;
    schema
}

pub(crate) fn mixed_cells(count: u32) -> Vec<(&'static str, Values)> {
    let scattered = |row: u32| row.wrapping_mul(2_654_435_761) >> 7;
    let x = |row| f64::from(scattered(row) % 2000) / 100.0 - 10.0;
    let name = |row| format!("{}", scattered(row + 1) % 50);
    let a = |row: u32| {
        (!row.is_multiple_of(3)).then(|| {
            let values = (0..row % 4).map(|i| i16::try_from(row % 900 + i).unwrap());
            values.flat_map(i16::to_le_bytes).collect()
        })
    };
    let rows = 0..count;
    vec![
        (
            "x",
            rows.clone()
                .map(|row| Some(x(row).to_le_bytes().to_vec()))
                .collect(),
        ),
        (
            "name",
            rows.clone()
                .map(|row| Some(name(row).into_bytes()))
                .collect(),
        ),
        ("a", rows.clone().map(a).collect()),
        (
            "b",
            rows.map(|row| (row % 5 != 1).then(|| vec![u8::try_from(row % 251).unwrap()]))
                .collect(),
        ),
    ]
}

pub(crate) fn part(
    cells: &[(&'static str, Values)],
    rows: std::ops::Range<usize>,
) -> Vec<(&'static str, Values)> {
    let part = |(name, values): &(&'static str, Values)| (*name, values[rows.clone()].to_vec());
    cells.iter().map(part).collect()
}
