//! Making the writes of planned arrays.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tdb_array::Array;
use tdb_cells::{Batch, Column, Session};
use tdb_tile::Range;
use tdb_write::{WriteOptions, WriteOrder, Writer};

use crate::chain::chain;
use crate::plan::{Planned, text, unhex};

/// Makes the writes of all arrays in a folder, and prints their number.
pub(crate) fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let session = Session::default();
    let mut count = 0;
    for planned in Planned::all(folder)? {
        let array = Arc::new(planned.open()?);
        for write in planned.writes() {
            make(&session, &array, write)
                .map_err(|error| format!("{}: {}", planned.folder.display(), chain(&*error)))?;
            count += 1;
        }
    }
    println!("{count}");
    Ok(())
}

fn make(session: &Session, array: &Arc<Array>, write: &Value) -> Result<(), Box<dyn Error>> {
    let number = |key: &str| write.get(key).and_then(Value::as_u64);
    let mut options = WriteOptions::at(number("time").unwrap_or(0));
    options.order = Some(match text(write, "order") {
        "row" => WriteOrder::RowMajor,
        "col" => WriteOrder::ColumnMajor,
        "global" => WriteOrder::Global,
        _ => WriteOrder::Unordered,
    });
    options.max_fragment_bytes = number("max_fragment_bytes");
    let ranges = write.get("ranges").and_then(Value::as_object);
    for (name, ends) in ranges.into_iter().flatten() {
        let end = |index: usize| {
            let digits = ends.get(index).and_then(Value::as_str);
            unhex(digits.ok_or("a range without both its ends")?)
        };
        let range = Range::new(end(0)?, end(1)?);
        options.ranges.push((name.clone(), range));
    }
    let rows = usize::try_from(number("rows").unwrap_or(0))?;
    let columns = write.get("columns").and_then(Value::as_array);
    let columns: Vec<Column> = columns
        .into_iter()
        .flatten()
        .map(|column| parse_column(array, column))
        .collect::<Result<_, _>>()?;
    let batches = usize::try_from(number("batches").unwrap_or(1))?;
    let step = rows.div_ceil(batches).max(1);
    let mut writer = Writer::open(session, array, &options)?;
    for first in (0..rows).step_by(step) {
        let rows = first..rows.min(first + step);
        let columns = columns.iter().map(|column| part(column, &rows));
        writer.push(&Batch {
            rows: rows.len(),
            columns: columns.collect(),
        })?;
    }
    writer.finish()?;
    Ok(())
}

fn parse_column(array: &Array, column: &Value) -> Result<Column, Box<dyn Error>> {
    let name = text(column, "name");
    let schema = array.schema();
    let field = schema.field(name).ok_or("no such field")?;
    let offsets = column.get("offsets").and_then(Value::as_array);
    let offsets = offsets.map(|all| {
        let all = all.iter().filter_map(Value::as_u64);
        all.flat_map(u64::to_le_bytes).collect()
    });
    let validity = column.get("validity").and_then(Value::as_str);
    let validity = validity.map(unhex).transpose()?;
    let validity = validity.map(|cells| {
        let byte = |cells: &[u8]| {
            let cells = cells.iter().enumerate();
            cells.fold(0_u8, |byte, (bit, valid)| byte | (*valid << bit))
        };
        cells.chunks(8).map(byte).collect()
    });
    Ok(Column {
        name: name.to_owned(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: unhex(text(column, "data"))?.into(),
        offsets,
        validity,
        enumeration: None,
    })
}

/// Returns some cells of a column; the values of a var-sized column stay complete, with the offsets into them.
fn part(column: &Column, rows: &std::ops::Range<usize>) -> Column {
    let mut part = column.clone();
    match (&column.offsets, column.cell_size()) {
        (Some(offsets), _) => part.offsets = Some(offsets.slice(rows.start * 8..rows.end * 8 + 8)),
        (None, size) => {
            let size = size.unwrap_or(0);
            part.values = column.values.slice(rows.start * size..rows.end * size);
        }
    }
    if column.validity.is_some() {
        let mut bits = vec![0_u8; rows.len().div_ceil(8)];
        for (place, row) in rows.clone().enumerate() {
            if let Some(byte) = bits.get_mut(place / 8) {
                *byte |= u8::from(column.is_valid(row)) << (place % 8);
            }
        }
        part.validity = Some(bits.into());
    }
    part
}
