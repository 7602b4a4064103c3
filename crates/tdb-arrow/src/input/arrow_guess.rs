//! Guesses the fields that can store Arrow columns.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use tdb_cells::files::{ColumnChoice, ColumnGuess, InputError, Labels, SeenRange};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::json::enumerations_from_json;
use tdb_schema::value::holds_bytes;
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Bug, Datatype};

use super::convert::ColumnConverter;
use super::datatypes::{of_arrow, said_type};
use super::decimals::Scale;
use super::form::Form;
use crate::mapping::{ENUMERATION, LABELS};

/// Maximum number of labels of an enumeration; a column with more becomes a field of the labels' type.
const MOST_LABELS: usize = 1 << 16;

/// Inspects the arrays of a column.
pub(super) struct ArrowGuess {
    name: String,
    datatype: Datatype,
    cell_val_num: CellValNum,
    converter: ColumnConverter,
    has_null: bool,
    is_ascii: bool,
    range: SeenRange,
    labels: Option<SeenLabels>,
}

/// The labels of a dictionary: first those in the column's metadata, then others in the order of their occurrence.
struct SeenLabels {
    /// Name of the enumeration that the labels came from, if the column's metadata has it.
    name: Option<String>,
    index: Datatype,
    ordered: bool,
    /// Number of labels in the column's metadata, if it has any.
    told: Option<usize>,
    /// Whether the labels of each dictionary are in the same order.
    in_order: bool,
    values: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, usize>,
}

impl SeenLabels {
    fn new(field: &Field, index: Datatype, told: Option<&Enumeration>) -> Self {
        let values: Vec<Vec<u8>> =
            told.map_or_else(Vec::new, |told| told.iter().map(<[u8]>::to_vec).collect());
        let numbered = values.iter().cloned().enumerate();
        Self {
            name: field.metadata().get(ENUMERATION).cloned(),
            index,
            ordered: told.map_or_else(
                || field.dict_is_ordered().unwrap_or(false),
                Enumeration::is_ordered,
            ),
            told: told.map(Enumeration::len),
            in_order: true,
            places: numbered.map(|(place, label)| (label, place)).collect(),
            values,
        }
    }

    /// Whether the labels are in a meaningful order.
    fn are_ordered(&self) -> bool {
        let is_kept = match self.told {
            // Labels that were added at the end are in arbitrary order.
            Some(told) => self.values.len() == told,
            None => self.in_order,
        };
        self.ordered && is_kept
    }
}

/// The original enumeration of a column, if its metadata has it.
fn told_labels(field: &Field) -> Option<Enumeration> {
    let told = serde_json::from_str(field.metadata().get(LABELS)?).ok()?;
    let told = enumerations_from_json(&told, "labels", || "__labels".to_owned()).ok()?;
    told.into_iter().next()
}

/// Fails if there are columns of unsupported types for which no datatype is given; the error names all of them.
///
/// # Errors
/// [`InputError::NoDatatype`] if there are any.
pub(super) fn check_types(fields: &[Field], choice: &ColumnChoice) -> Result<(), InputError> {
    let is_refused =
        |field: &&Field| choice.datatype(field.name()).is_none() && natural_type(field).is_none();
    let mut refused = fields.iter().filter(is_refused);
    let Some(first) = refused.clone().next() else {
        return Ok(());
    };
    let names: Vec<&str> = refused
        .by_ref()
        .map(|field| field.name().as_str())
        .collect();
    Err(no_datatype(first, &names))
}

fn no_datatype(field: &Field, names: &[&str]) -> InputError {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => values,
        data_type => data_type,
    };
    let all = names.join(",");
    let without = format!("--exclude {all} reads the other columns");
    let hint = match (Scale::of(data_type), data_type) {
        (Some(scale), _) => format!("{}; {without}", as_what(field.name(), scale)),
        (None, DataType::Struct(_)) => {
            format!("--flatten makes columns of its members; {without}")
        }
        (None, _) => without,
    };
    InputError::NoDatatype {
        column: field.name().clone(),
        data_type: data_type.to_string(),
        hint,
    }
}

/// Explains how a column of decimals can be read, and what is lost.
fn as_what(name: &str, scale: Scale) -> String {
    let all = if scale.is_whole() {
        format!("--type {name}=int64 where they are not too large")
    } else {
        format!("--type {name}=string_utf8")
    };
    format!("--type {name}=float64 reads it, and keeps 15 digits; {all} keeps them all")
}

/// The original datatype and number of values per cell in the column's metadata, or the closest ones to its Arrow
/// type.
fn natural_type(field: &Field) -> Option<(Datatype, CellValNum)> {
    let data_type = match field.data_type() {
        DataType::Dictionary(_, values) => return of_arrow(values),
        data_type => data_type,
    };
    // The metadata counts only if the column can be converted.
    let fits = |(datatype, values): &(Datatype, CellValNum)| {
        Form::of(data_type, Some(*datatype), *datatype, *values).is_some()
    };
    said_type(field.metadata())
        .filter(fits)
        .or_else(|| of_arrow(data_type))
}

impl ArrowGuess {
    /// Creates an inspector; `datatype` is set if the field's datatype is given instead of guessed.
    pub(super) fn try_new(field: &Field, datatype: Option<Datatype>) -> Result<Self, InputError> {
        let wanted = datatype.map(|datatype| {
            if holds_bytes(datatype) {
                (datatype, CellValNum::Var)
            } else {
                (datatype, CellValNum::Fixed(1))
            }
        });
        let told = told_labels(field).filter(|told| wanted.is_none() && are_such(told, field));
        let of_labels = told
            .as_ref()
            .map(|told| (told.datatype(), told.cell_val_num()));
        let natural = wanted.or(of_labels).or_else(|| natural_type(field));
        let (datatype, cell_val_num) =
            natural.ok_or_else(|| no_datatype(field, &[field.name()]))?;
        let column = FieldInfo {
            name: field.name().clone(),
            datatype,
            cell_val_num,
            nullable: true,
            enumeration: None,
            field: FieldKind::Attribute(0),
        };
        let labels = match field.data_type() {
            DataType::Dictionary(keys, _) if wanted.is_none() => {
                index_type(keys).map(|index| SeenLabels::new(field, index, told.as_ref()))
            }
            _ => None,
        };
        Ok(Self {
            name: column.name.clone(),
            converter: ColumnConverter::try_new(field, &column)?,
            datatype,
            cell_val_num,
            has_null: false,
            is_ascii: true,
            range: SeenRange::default(),
            labels,
        })
    }

    /// Takes an array into account, whose first cell has number `first`.
    pub(super) fn see(&mut self, array: &ArrayRef, first: u64) -> Result<(), InputError> {
        self.has_null |= array.logical_null_count() > 0;
        let values = array
            .as_any_dictionary_opt()
            .map(|dictionary| dictionary.values());
        let distinct = values.unwrap_or(array);
        // Nothing else needs to be known about texts, so they are not copied.
        if self.labels.is_none()
            && let Some(is_ascii) = self.converter.is_ascii(distinct)
        {
            self.is_ascii &= is_ascii;
            return Ok(());
        }
        let column = self.converter.plain(distinct, first)?;
        self.is_ascii &= column.values.is_ascii();
        // Some readers expand dictionaries into single cells.
        self.see_labels(&column, distinct.len())?;
        self.range.see(&column);
        Ok(())
    }

    fn see_labels(&mut self, column: &Column, rows: usize) -> Result<(), Bug> {
        let Some(labels) = &mut self.labels else {
            return Ok(());
        };
        let mut before = None;
        for row in (0..rows).filter(|row| column.is_valid(*row)) {
            let label = column
                .cell(row)
                .ok_or_else(|| Bug::new("a column has fewer labels than it says"))?;
            let known = labels.places.get(label).copied();
            let place = known.unwrap_or(labels.values.len());
            if known.is_none() {
                labels.places.insert(label.to_vec(), place);
                labels.values.push(label.to_vec());
            }
            labels.in_order &= before < Some(place);
            before = Some(place);
        }
        if labels.values.len() > MOST_LABELS {
            self.labels = None;
        }
        Ok(())
    }

    pub(super) fn finish(self, rows: u64) -> ColumnGuess {
        let labels = self.labels.map(|labels| {
            let ordered = labels.are_ordered();
            let index = wide_enough(labels.index, labels.values.len());
            let labels = Labels {
                name: labels.name,
                datatype: self.datatype,
                cell_val_num: self.cell_val_num,
                ordered,
                values: labels.values,
            };
            (index, labels)
        });
        let (datatype, cell_val_num) = match &labels {
            Some((index, _)) => (*index, CellValNum::Fixed(1)),
            None => (self.datatype, self.cell_val_num),
        };
        ColumnGuess {
            name: self.name,
            datatype,
            cell_val_num,
            nullable: self.has_null,
            is_ascii: self.is_ascii,
            range: self.range.finish(),
            labels: labels.map(|(_, labels)| labels),
            cells: rows,
        }
    }
}

/// Whether the dictionary values of a column can be labels of this enumeration.
fn are_such(told: &Enumeration, field: &Field) -> bool {
    let DataType::Dictionary(_, values) = field.data_type() else {
        return false;
    };
    let (datatype, cell_val_num) = (told.datatype(), told.cell_val_num());
    Form::of(values, Some(datatype), datatype, cell_val_num).is_some()
}

/// The datatype of a dictionary's keys.
fn index_type(keys: &DataType) -> Option<Datatype> {
    Some(match keys {
        DataType::Int8 => Datatype::Int8,
        DataType::Int16 => Datatype::Int16,
        DataType::Int32 => Datatype::Int32,
        DataType::Int64 => Datatype::Int64,
        DataType::UInt8 => Datatype::UInt8,
        DataType::UInt16 => Datatype::UInt16,
        DataType::UInt32 => Datatype::UInt32,
        DataType::UInt64 => Datatype::UInt64,
        _ => return None,
    })
}

/// Returns an index type for this number of labels and one more, which enumerations require.
fn wide_enough(index: Datatype, labels: usize) -> Datatype {
    let most = match index.size() {
        size @ (1 | 2) => 1_usize << (8 * size - usize::from(index.is_signed())),
        _ => usize::MAX,
    };
    if labels + 1 < most {
        index
    } else {
        Datatype::Int32
    }
}
