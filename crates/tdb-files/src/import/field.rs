//! Fields for the columns of a file.

use std::collections::HashSet;

use serde_json::{Value as Json, json};
use tdb_cells::files::ColumnGuess;
use tdb_schema::CellValNum;
use tdb_schema::json::{Times, cell_to_json};
use tdb_schema::value::holds_bytes;
use tdb_tile::{Code, Datatype};

/// Returns the datatype of a column as a dimension, or why it cannot be one.
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

/// Returns the attribute for a column, as JSON; `columns` are all attributes.
pub(super) fn attribute(column: &ColumnGuess, columns: &[&ColumnGuess]) -> Json {
    let datatype = column.datatype;
    let filters = if datatype == Datatype::Bool {
        json!([{"name": "rle"}])
    } else if datatype.size() > 1 && !holds_bytes(datatype) {
        json!([{"name": "byteshuffle"}, {"name": "zstd"}])
    } else {
        json!([{"name": "zstd"}])
    };
    json!({
        "name": column.name,
        "datatype": datatype.name(),
        "cell_val_num": values_to_json(column.cell_val_num),
        "nullable": column.nullable,
        "enumeration": enumeration_name(column, columns),
        "filters": filters,
    })
}

/// Returns the name of the enumeration for the labels of a column: the name from the file, unless other columns have
/// different labels under that name; then the name of the column.
fn enumeration_name<'a>(column: &'a ColumnGuess, columns: &[&ColumnGuess]) -> Option<&'a str> {
    let labels = column.labels.as_ref()?;
    let is_free = |name: &&String| {
        let others = columns
            .iter()
            .filter(|other| other.name != column.name)
            .filter_map(|other| Some((other, other.labels.as_ref()?)));
        let mut same = others
            .filter(|(other, labels)| labels.name.as_ref() == Some(name) || other.name == **name);
        same.all(|(_, others)| others.is_same(labels))
    };
    let asked = labels.name.as_ref().filter(is_free);
    Some(asked.unwrap_or(&column.name))
}

/// Returns the enumerations of all columns with labels, each once, as JSON.
pub(super) fn enumerations(columns: &[&ColumnGuess]) -> Vec<Json> {
    let mut names = HashSet::new();
    let of = |column: &&ColumnGuess| {
        let labels = column.labels.as_ref()?;
        let name = enumeration_name(column, columns)?.to_owned();
        if !names.insert(name.clone()) {
            return None;
        }
        let value = |value: &Vec<u8>| {
            cell_to_json(labels.datatype, labels.cell_val_num, value, Times::Ticks)
        };
        Some(json!({
            "name": name,
            "datatype": labels.datatype.name(),
            "cell_val_num": values_to_json(labels.cell_val_num),
            "ordered": labels.ordered,
            "values": labels.values.iter().map(value).collect::<Vec<_>>(),
        }))
    };
    columns.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use tdb_cells::files::Labels;

    use super::*;

    fn column(name: &str, enumeration: &str, label: &str) -> ColumnGuess {
        ColumnGuess {
            name: name.to_owned(),
            datatype: Datatype::Int8,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            is_ascii: true,
            range: None,
            labels: Some(Labels {
                name: Some(enumeration.to_owned()),
                datatype: Datatype::StringUtf8,
                cell_val_num: CellValNum::Var,
                ordered: false,
                values: vec![label.as_bytes().to_vec()],
            }),
            cells: 1,
        }
    }

    #[test]
    fn labels_keep_the_name_of_their_enumeration_unless_others_have_it() {
        let names = |columns: [ColumnGuess; 2]| {
            let columns: Vec<&ColumnGuess> = columns.iter().collect();
            let name = |column| enumeration_name(column, &columns).unwrap().to_owned();
            let of_columns: Vec<String> = columns.iter().map(|column| name(*column)).collect();
            (of_columns, enumerations(&columns).len())
        };
        let shared = [column("a", "e", "x"), column("b", "e", "x")];
        assert_eq!(names(shared), (vec!["e".to_owned(), "e".to_owned()], 1));
        let different = [column("a", "e", "x"), column("b", "e", "y")];
        assert_eq!(names(different), (vec!["a".to_owned(), "b".to_owned()], 2));
        let of_another = [column("a", "b", "x"), column("b", "e", "y")];
        assert_eq!(names(of_another), (vec!["a".to_owned(), "e".to_owned()], 2));
    }
}
