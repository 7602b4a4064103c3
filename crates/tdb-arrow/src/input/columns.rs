//! Selects the columns of a table that are read.

use arrow_array::Int64Array;
use arrow_schema::{DataType, Field, Schema};
use serde_json::Value as Json;
use tdb_cells::files::{ColumnChoice, InputError};

/// Key of the metadata that pandas writes.
const PANDAS: &str = "pandas";

/// The selected columns of a table.
#[derive(Debug)]
pub(super) struct ColumnSelection {
    /// Numbers of the columns in the table.
    pub(super) numbers: Vec<usize>,
    /// The columns, with their names in the array.
    pub(super) fields: Vec<Field>,
    pub(super) choice: ColumnChoice,
    /// Names of the columns that pandas used as index.
    pub(super) index: Vec<String>,
    /// A pandas index that is not a column of the table; it is the last of the fields.
    pub(super) counted: Option<RangeIndex>,
}

/// A pandas index that counts rows and exists only in the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RangeIndex {
    pub(super) start: i64,
    pub(super) step: i64,
}

impl RangeIndex {
    /// Returns the index values of `rows` rows, the first of which is row `first` of the file; `None` if one of them
    /// does not fit into 64 bits.
    pub(super) fn numbers(self, first: u64, rows: usize) -> Option<Int64Array> {
        let first = i64::try_from(first).ok()?;
        let number = |row: usize| {
            let row = first.checked_add(i64::try_from(row).ok()?)?;
            self.start.checked_add(row.checked_mul(self.step)?)
        };
        let numbers: Option<Vec<i64>> = (0..rows).map(number).collect();
        Some(numbers?.into())
    }
}

impl ColumnSelection {
    /// # Errors
    /// Errors of [`ColumnChoice::names`].
    pub(super) fn of(schema: &Schema, choice: &ColumnChoice) -> Result<Self, InputError> {
        let said = IndexColumns::of(schema);
        let of_pandas = &said.names;
        let mut known = names(schema, choice);
        let counted = said
            .counted
            .filter(|(name, _)| !known.iter().any(|column| column == name))
            .filter(|(name, _)| choice.may_have(name));
        known.extend(counted.iter().map(|(name, _)| name.clone()));
        let mut names = choice.names(&known)?;
        let counted_name = match counted {
            Some(_) => names.pop().flatten(),
            None => None,
        };
        let named = (0..).zip(schema.fields()).zip(names);
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
        let counted = counted.zip(counted_name).map(|((_, counted), name)| {
            index.push(name.clone());
            fields.push(Field::new(name, DataType::Int64, false));
            counted
        });
        Ok(Self {
            numbers,
            fields,
            choice: choice.clone(),
            index,
            counted,
        })
    }
}

/// The index that pandas describes in the metadata; malformed metadata is ignored.
#[derive(Debug, Default)]
struct IndexColumns {
    /// Names of the index columns in the file.
    names: Vec<String>,
    /// The index that is described instead of stored, with its name; `None` if it is just the row number.
    counted: Option<(String, RangeIndex)>,
}

/// Name that pandas' `reset_index` gives to an unnamed index.
const UNNAMED: &str = "index";

impl IndexColumns {
    fn of(schema: &Schema) -> Self {
        let said: Option<Json> = schema
            .metadata()
            .get(PANDAS)
            .and_then(|json| serde_json::from_str(json).ok());
        let columns = said
            .as_ref()
            .and_then(|said| said.get("index_columns"))
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let mut found = Self::default();
        for column in columns {
            match column {
                Json::String(name) => found.names.push(name.clone()),
                described => found.counted = found.counted.or_else(|| counted(described)),
            }
        }
        found
    }
}

fn counted(described: &Json) -> Option<(String, RangeIndex)> {
    let text = |key: &str| described.get(key).and_then(Json::as_str);
    let number = |key: &str| described.get(key).and_then(Json::as_i64);
    let is_range = text("kind") == Some("range");
    let counted = RangeIndex {
        start: number("start").filter(|_| is_range)?,
        step: number("step")?,
    };
    let says_more = text("name").is_some() || counted != (RangeIndex { start: 0, step: 1 });
    says_more.then(|| (text("name").unwrap_or(UNNAMED).to_owned(), counted))
}

/// Names of all columns, by which they can be selected. Unnamed levels of a pandas index get names, like in pandas'
/// `reset_index`.
fn names(schema: &Schema, choice: &ColumnChoice) -> Vec<String> {
    let mut names: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| field.name().clone())
        .collect();
    let index = choice.index.as_ref();
    let Some(index) = index.filter(|_| schema.metadata().contains_key(PANDAS)) else {
        return names;
    };
    let levels = names.iter().filter(|name| level(name).is_some()).count();
    let renamed: Vec<String> = names
        .iter()
        .map(|name| match level(name) {
            Some(_) if levels == 1 => index.clone(),
            Some(level) => format!("level_{level}"),
            None => name.clone(),
        })
        .collect();
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

/// The level of an unnamed index that a column contains, from its name; `None` for other columns.
fn level(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("__index_level_")?;
    rest.strip_suffix("__")?.parse().ok()
}
