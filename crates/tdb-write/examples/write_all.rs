//! Writes cells once and says what it cost: `write_all ARRAY CELLS [ORDER] [DIM=LO..HI ...]`.
//!
//! CELLS is a folder with a file of raw values for each field, `FIELD.offsets` where they vary in size (where each
//! cell begins, and the end), and `FIELD.validity`, a byte for each, where they can be null. All of them are in memory
//! before the clock starts. Prints what `read_all` prints. `cargo xtask bench` calls it.

#[path = "../../tdb-query/examples/measure/mod.rs"]
mod measure;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use measure::{Clock, interval};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_schema::{ArraySchema, Field};
use tdb_store::LocalStore;
use tdb_write::{WriteOptions, WriteOrder, Writer};

const USAGE: &str = "write_all ARRAY CELLS [ORDER] [DIM=LO..HI ...]";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or(USAGE)?;
    let cells = arguments.next().ok_or(USAGE)?;
    let order = arguments.next().unwrap_or_default();
    let threads = std::env::var("TDB_THREADS");
    let threads = threads.ok().and_then(|n| n.parse().ok());

    let open = |path: &str| -> Result<Arc<Array>, Box<dyn std::error::Error>> {
        let store = Arc::new(LocalStore::open(path)?);
        Ok(Arc::new(Array::open(store, "", OpenOptions::default())?))
    };
    let mut options = WriteOptions {
        order: match order.as_str() {
            "row" => Some(WriteOrder::RowMajor),
            "col" => Some(WriteOrder::ColumnMajor),
            "global" => Some(WriteOrder::Global),
            _ => None,
        },
        ..WriteOptions::default()
    };
    let schema = open(&path)?;
    let ranges = arguments.map(|text| interval(schema.schema(), &text));
    options.ranges = ranges.collect::<Result<_, _>>()?;
    let batch = batch(schema.schema(), Path::new(&cells))?;
    drop(schema);

    let clock = Clock::start();
    let session = Session::new(SessionOptions {
        threads,
        memory: Some(8 << 30),
        ..SessionOptions::default()
    });
    let mut writer = Writer::open(&session, &open(&path)?, &options)?;
    writer.push(&batch)?;
    writer.finish()?;
    clock.say(batch.rows as u64);
    Ok(())
}

/// The cells of all fields for which there is a file.
fn batch(schema: &ArraySchema, folder: &Path) -> Result<Batch, std::io::Error> {
    let mut batch = Batch {
        rows: 0,
        columns: Vec::new(),
    };
    for field in schema.fields() {
        if folder.join(field.name).exists() {
            let column = column(&field, folder)?;
            batch.rows = match (&column.offsets, column.cell_size()) {
                (Some(offsets), _) => (offsets.len() / 8).saturating_sub(1),
                (None, size) => column.values.len() / size.unwrap_or(1).max(1),
            };
            batch.columns.push(column);
        }
    }
    Ok(batch)
}

fn column(field: &Field<'_>, folder: &Path) -> Result<Column, std::io::Error> {
    let read = |ending: &str| std::fs::read(folder.join(format!("{}{ending}", field.name)));
    let bits = |cells: &[u8]| {
        let cells = cells.iter().enumerate();
        cells.fold(0_u8, |byte, (bit, valid)| byte | (*valid << bit))
    };
    let validity = if field.nullable {
        Some(read(".validity")?.chunks(8).map(bits).collect())
    } else {
        None
    };
    Ok(Column {
        name: field.name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: read("")?.into(),
        offsets: if field.is_var() {
            Some(Bytes::from(read(".offsets")?))
        } else {
            None
        },
        validity,
        enumeration: None,
    })
}
