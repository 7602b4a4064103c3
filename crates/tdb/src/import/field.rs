//! The field that a column becomes.

use serde_json::{Value as Json, json};
use tdb_cells::files::ColumnGuess;
use tdb_schema::CellValNum;
use tdb_schema::json::{Times, cell_to_json};
use tdb_schema::value::holds_bytes;
use tdb_tile::{Code, Datatype};

/// The datatype that a column has as a dimension; or why it cannot be one.
pub(super) fn dimension_type(column: &ColumnGuess) -> Result<Datatype, &'static str> {
    let (datatype, values) = match &column.labels {
        Some(labels) => (labels.datatype, labels.cell_val_num),
        None => (column.datatype, column.cell_val_num),
    };
    match values {
        _ if column.nullable => Err("there are nulls in it"),
        CellValNum::Var if holds_bytes(datatype) && datatype.size() == 1 => {
            if column.is_ascii {
                Ok(Datatype::StringAscii)
            } else {
                Err("there is text beyond ASCII in it")
            }
        }
        CellValNum::Fixed(1) if holds_bytes(datatype) || datatype == Datatype::Bool => {
            Err("it is neither a number nor text of any length")
        }
        CellValNum::Fixed(1) => Ok(datatype),
        _ => Err("its cells are lists, or of a fixed length"),
    }
}

pub(super) fn values_to_json(values: CellValNum) -> Json {
    match values {
        CellValNum::Fixed(n) => json!(n),
        CellValNum::Var => json!("var"),
    }
}

/// The attribute that takes a column, as JSON.
pub(super) fn attribute(column: &ColumnGuess) -> Json {
    let datatype = column.datatype;
    let filters = match datatype {
        Datatype::Bool => json!([{"name": "rle"}]),
        _ if datatype.size() > 1 && !holds_bytes(datatype) => {
            json!([{"name": "byteshuffle"}, {"name": "zstd"}])
        }
        _ => json!([{"name": "zstd"}]),
    };
    let enumeration = column.labels.as_ref().map(|_| &column.name);
    json!({
        "name": column.name,
        "datatype": datatype.name(),
        "cell_val_num": values_to_json(column.cell_val_num),
        "nullable": column.nullable,
        "enumeration": enumeration,
        "filters": filters,
    })
}

/// The enumerations of the columns that have labels, as JSON.
pub(super) fn enumerations(columns: &[&ColumnGuess]) -> Vec<Json> {
    let of = |column: &&ColumnGuess| {
        let labels = column.labels.as_ref()?;
        let value = |value: &Vec<u8>| {
            cell_to_json(labels.datatype, labels.cell_val_num, value, Times::Ticks)
        };
        Some(json!({
            "name": column.name,
            "datatype": labels.datatype.name(),
            "cell_val_num": values_to_json(labels.cell_val_num),
            "ordered": labels.ordered,
            "values": labels.values.iter().map(value).collect::<Vec<_>>(),
        }))
    };
    columns.iter().filter_map(of).collect()
}
