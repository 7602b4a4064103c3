//! Restoring the schema of an array from a file that was exported from it.

use serde_json::{Map, Value as Json};
use tdb_cells::files::ColumnGuess;
use tdb_tile::Code;

use super::field::{attribute, enumerations, values_to_json};
use super::layout::whole;

/// Members of a JSON schema other than its fields.
const SETTINGS: [&str; 8] = [
    "type",
    "cell_order",
    "tile_order",
    "capacity",
    "allows_duplicates",
    "coords_filters",
    "offsets_filters",
    "validity_filters",
];

/// Returns the schema of the exported array: with its dimensions, settings and filters, and with those of its
/// attributes that the file has. Labels, and attributes that the array did not have, are as guessed. If cells of a
/// dense array are missing, the schema becomes sparse.
///
/// # Errors
/// Returns why the schema cannot be used: a dimension is not in the file, or has another type now.
pub(super) fn schema(remembered: &str, columns: &[ColumnGuess]) -> Result<Json, String> {
    let old: Json = serde_json::from_str(remembered).map_err(|error| error.to_string())?;
    let list = |key: &str| old.get(key).and_then(Json::as_array).map(Vec::as_slice);
    let dimensions = list("dimensions").ok_or("there are no dimensions")?;
    let axes: Vec<&ColumnGuess> = dimensions
        .iter()
        .map(|dimension| axis(dimension, columns))
        .collect::<Result<_, _>>()?;
    let is_dense = old.get("type").and_then(Json::as_str) == Some("dense");
    let is_attribute = |column: &&ColumnGuess| axes.iter().all(|axis| axis.name != column.name);
    let others: Vec<&ColumnGuess> = columns.iter().filter(is_attribute).collect();
    let before = list("attributes").unwrap_or(&[]);
    let attributes = others.iter().map(|column| {
        let old = before.iter().find(|old| name(old) == Some(&column.name));
        taken_up(old, column, &others)
    });
    let settings = SETTINGS
        .iter()
        .filter_map(|key| Some((*key, old.get(*key)?.clone())));
    let mut schema: Map<String, Json> =
        settings.map(|(key, json)| (key.to_owned(), json)).collect();
    if is_dense && !fills_a_box(&axes) {
        schema.insert("type".to_owned(), "sparse".into());
    }
    schema.insert("dimensions".to_owned(), dimensions.into());
    schema.insert("enumerations".to_owned(), enumerations(&others).into());
    schema.insert(
        "attributes".to_owned(),
        attributes.collect::<Vec<_>>().into(),
    );
    Ok(schema.into())
}

/// Returns the column of a dimension.
fn axis<'a>(dimension: &Json, columns: &'a [ColumnGuess]) -> Result<&'a ColumnGuess, String> {
    let name = name(dimension).ok_or("a dimension has no name")?;
    let column = columns
        .iter()
        .find(|column| column.name == name)
        .ok_or_else(|| format!("the file has no column {name:?}"))?;
    if column.nullable {
        return Err(format!("there are nulls in {name:?}"));
    }
    if column.labels.is_some() || !is_same(dimension, column) {
        return Err(format!("{name:?} is of another type by now"));
    }
    Ok(column)
}

/// True if there are as many cells as positions between the smallest and the largest coordinates.
fn fills_a_box(axes: &[&ColumnGuess]) -> bool {
    let sides = axes.iter().map(|axis| {
        let range = axis.range.as_ref()?;
        let (lo, hi) = (
            whole(axis.datatype, &range.lo)?,
            whole(axis.datatype, &range.hi)?,
        );
        hi.checked_sub(lo)?.checked_add(1)
    });
    let places = sides.reduce(|all, side| all?.checked_mul(side?)).flatten();
    axes.first()
        .is_some_and(|axis| places == Some(axis.cells.into()))
}

/// Returns the attribute with its old properties, if the column still has the same type.
fn taken_up(old: Option<&Json>, column: &ColumnGuess, columns: &[&ColumnGuess]) -> Json {
    let mut new = attribute(column, columns);
    let Some(old) = old.filter(|old| is_same(old, column)) else {
        return new;
    };
    let was_nullable = old.get("nullable").and_then(Json::as_bool) == Some(true);
    // Such files store "not a time" as null.
    let has_nulls = column.nullable && !column.datatype.is_datetime();
    if let Some(new) = new.as_object_mut() {
        for key in ["filters", "fill", "fill_valid", "order"] {
            new.extend(old.get(key).map(|json| (key.to_owned(), json.clone())));
        }
        new.insert("nullable".to_owned(), (was_nullable || has_nulls).into());
    }
    new
}

/// True if a column has the type of a field.
fn is_same(field: &Json, column: &ColumnGuess) -> bool {
    let values = field.get("cell_val_num");
    field.get("datatype").and_then(Json::as_str) == Some(column.datatype.name())
        && values == Some(&values_to_json(column.cell_val_num))
}

fn name(field: &Json) -> Option<&str> {
    field.get("name").and_then(Json::as_str)
}
