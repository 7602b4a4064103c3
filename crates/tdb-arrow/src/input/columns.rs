//! Which columns of a table are read.

use arrow_array::Int64Array;
use arrow_schema::{DataType, Field, Schema};
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
    /// The index that is no column of the table, which is the last of the fields then.
    pub(super) counted: Option<Counted>,
}

/// An index of pandas that counts rows, and stands in the metadata alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) start: i64,
    pub(super) step: i64,
}

impl Counted {
    /// The values of the index in `rows` rows, of which the first is row number `first` of the file; `None` if one of them does
    /// not fit into 64 bits.
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

impl Chosen {
    /// # Errors
    /// As [`ColumnChoice::names`].
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

/// What pandas says its index was. What it says otherwise is of no use here, and not wrong.
#[derive(Debug, Default)]
struct IndexColumns {
    /// The columns of the file that were.
    names: Vec<String>,
    /// The one that counts rows, and is described instead of stored, unless it says no more than the number of the row.
    counted: Option<(String, Counted)>,
}

/// What pandas' `reset_index` calls an index that has no name.
const UNNAMED: &str = "index";

impl IndexColumns {
    fn of(schema: &Schema) -> Self {
        let said = schema.metadata().get(PANDAS);
        let said: Option<Json> = said.and_then(|json| serde_json::from_str(json).ok());
        let columns = said.as_ref().and_then(|said| said.get("index_columns"));
        let columns = columns.and_then(Json::as_array).into_iter().flatten();
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

fn counted(described: &Json) -> Option<(String, Counted)> {
    let text = |key: &str| described.get(key).and_then(Json::as_str);
    let number = |key: &str| described.get(key).and_then(Json::as_i64);
    let is_range = text("kind") == Some("range");
    let counted = Counted {
        start: number("start").filter(|_| is_range)?,
        step: number("step")?,
    };
    let says_more = text("name").is_some() || counted != (Counted { start: 0, step: 1 });
    says_more.then(|| (text("name").unwrap_or(UNNAMED).to_owned(), counted))
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
