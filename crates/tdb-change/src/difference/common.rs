//! The attributes that two reads have in common, and how their values are compared.

use tdb_open::{Array, Result};
use tdb_query::ReadOptions;
use tdb_schema::Attribute;
use tdb_tile::Code;

use super::form::{CellType, Form, forms};
use super::selected_cells::SelectedCells;

/// The attributes that both reads request.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Attributes that are compared.
    pub(super) names: Vec<String>,
    /// How the values of each compared attribute are compared, in the old and in the new read.
    pub(super) forms: Vec<(Form, Form)>,
    /// Attributes that cannot be compared, each described with both types.
    pub(super) others: Vec<String>,
}

impl Common {
    pub(super) fn find(old: &SelectedCells<'_>, new: &SelectedCells<'_>) -> Result<Self> {
        let is_asked = |options: &ReadOptions, name: &str| {
            let asked = options.attributes.as_ref();
            asked.is_none_or(|names| names.iter().any(|asked| asked == name))
        };
        let mut common = Self::default();
        for after in &new.array.schema().attributes {
            let name = &after.name;
            let before = old
                .array
                .schema()
                .attributes
                .iter()
                .find(|before| before.name == *name);
            let is_in_both = is_asked(&old.options, name) && is_asked(&new.options, name);
            let Some(before) = before.filter(|_| is_in_both) else {
                continue;
            };
            let before = shown_type(old.array, before)?;
            let after = shown_type(new.array, after)?;
            match forms(before, after) {
                Some(forms) => {
                    common.names.push(name.clone());
                    common.forms.push(forms);
                }
                None => {
                    let (before, after) = (before.datatype.name(), after.datatype.name());
                    let other = format!("{name}: not compared: {before} and {after}");
                    common.others.push(other);
                }
            }
        }
        Ok(common)
    }
}

/// Returns the type of an attribute's values; for an enumerated attribute, that of its labels.
fn shown_type(array: &Array, attribute: &Attribute) -> Result<CellType> {
    let Some(name) = &attribute.enumeration else {
        return Ok(CellType {
            datatype: attribute.datatype,
            values: attribute.cell_val_num,
        });
    };
    let labels = array
        .engine()
        .enumeration(name)
        .map_err(|error| array.failed(error))?;
    Ok(CellType {
        datatype: labels.datatype(),
        values: labels.cell_val_num(),
    })
}
