//! Which columns of a table are read.

use arrow_schema::{Field, Schema};
use serde_json::Value as Json;
use tdb_cells::files::{ColumnChoice, InputError};

/// Key of the metadata that pandas leaves in files.
const PANDAS: &str = "pandas";

/// Columns of a table that are read.
#[derive(Debug)]
pub(super) struct Chosen {
    /// Their numbers in the table.
    pub(super) numbers: Vec<usize>,
    /// With the names that they get.
    pub(super) fields: Vec<Field>,
    pub(super) choice: ColumnChoice,
    /// The names of those that pandas had as its index.
    pub(super) index: Vec<String>,
}

impl Chosen {
    /// # Errors
    /// As [`ColumnChoice::names`].
    pub(super) fn of(schema: &Schema, choice: &ColumnChoice) -> Result<Self, InputError> {
        let names = choice.names(&names(schema, choice))?;
        let named = (0..).zip(schema.fields()).zip(names);
        let of_pandas = index_columns(schema);
        let (mut numbers, mut fields, mut index) = (Vec::new(), Vec::new(), Vec::new());
        for ((number, field), name) in named {
            let Some(name) = name else {
                continue;
            };
            if of_pandas.contains(field.name()) {
                index.push(name.clone());
            }
            numbers.push(number);
            fields.push(Field::clone(field).with_name(name));
        }
        Ok(Self {
            numbers,
            fields,
            choice: choice.clone(),
            index,
        })
    }
}

/// The columns that pandas says were the index of its table, by their names in the file. What it says otherwise is of no
/// use here, and not wrong.
fn index_columns(schema: &Schema) -> Vec<String> {
    let said = schema.metadata().get(PANDAS);
    let said: Option<Json> = said.and_then(|json| serde_json::from_str(json).ok());
    let columns = said.as_ref().and_then(|said| said.get("index_columns"));
    let columns = columns.and_then(Json::as_array).into_iter().flatten();
    // What counts rows is described by an object, and is no column.
    let names = columns.filter_map(Json::as_str);
    names.map(str::to_owned).collect()
}

/// The names of all columns, as they are to be asked for: what pandas calls an index without a name gets one, as its
/// `reset_index` gives.
fn names(schema: &Schema, choice: &ColumnChoice) -> Vec<String> {
    let names = schema.fields().iter().map(|field| field.name().clone());
    let mut names: Vec<String> = names.collect();
    let index = choice.index.as_ref();
    let Some(index) = index.filter(|_| schema.metadata().contains_key(PANDAS)) else {
        return names;
    };
    let levels = names.iter().filter(|name| level(name).is_some()).count();
    let renamed = names.iter().map(|name| match level(name) {
        Some(_) if levels == 1 => index.clone(),
        Some(level) => format!("level_{level}"),
        None => name.clone(),
    });
    let renamed: Vec<String> = renamed.collect();
    for number in 0..names.len() {
        let (Some(name), Some(new)) = (names.get(number), renamed.get(number)) else {
            continue;
        };
        if name != new && !names.contains(new) && !choice.mentions(name) {
            let new = new.clone();
            if let Some(name) = names.get_mut(number) {
                *name = new;
            }
        }
    }
    names
}

/// Which level of an index without a name a column is.
fn level(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("__index_level_")?;
    rest.strip_suffix("__")?.parse().ok()
}
