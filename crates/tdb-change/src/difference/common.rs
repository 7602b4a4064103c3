//! The attributes that two reads have in common, and how their values are compared.

use tdb_open::{Array, Result};
use tdb_query::ReadOptions;
use tdb_schema::{Attribute, CellValNum};
use tdb_tile::{Code, Datatype};

use super::form::{Form, forms};

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
    pub(super) fn find(old: (&Array, &ReadOptions), new: (&Array, &ReadOptions)) -> Result<Self> {
        let is_asked = |options: &ReadOptions, name: &str| {
            let asked = options.attributes.as_ref();
            asked.is_none_or(|names| names.iter().any(|asked| asked == name))
        };
        let mut common = Self::default();
        for after in &new.0.schema().attributes {
            let name = &after.name;
            let before = old
                .0
                .schema()
                .attributes
                .iter()
                .find(|before| before.name == *name);
            let Some(before) = before.filter(|_| is_asked(old.1, name) && is_asked(new.1, name))
            else {
                continue;
            };
            let (before, after) = (shown_type(old.0, before)?, shown_type(new.0, after)?);
            match forms(before, after) {
                Some(forms) => {
                    common.names.push(name.clone());
                    common.forms.push(forms);
                }
                None => {
                    let (before, after) = (before.0.name(), after.0.name());
                    let other = format!("{name}: not compared: {before} and {after}");
                    common.others.push(other);
                }
            }
        }
        Ok(common)
    }
}

/// Returns the type of an attribute's values; for an enumerated attribute, that of its labels.
fn shown_type(array: &Array, attribute: &Attribute) -> Result<(Datatype, CellValNum)> {
    let Some(name) = &attribute.enumeration else {
        return Ok((attribute.datatype, attribute.cell_val_num));
    };
    let labels = array
        .engine()
        .enumeration(name)
        .map_err(|error| array.failed(error))?;
    Ok((labels.datatype(), labels.cell_val_num()))
}
