use tdb_tile::Datatype;

use crate::{CellValNum, DataOrder, LabelRecord, SchemaError};

/// A dimension label: other values that stand for the positions along a dimension, stored in an
/// array of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionLabel {
    /// The name of the label.
    pub name: String,
    /// The index of the labelled dimension.
    pub dimension: u32,
    /// True if [`DimensionLabel::uri`] is relative to the array.
    pub relative: bool,
    /// The URI of the array that stores the labels.
    pub uri: String,
    /// The attribute of that array that stores the labels.
    pub attribute: String,
    /// The order in which the labels are sorted.
    pub order: DataOrder,
    /// The datatype of the labels.
    pub datatype: Datatype,
    /// Number of values per label.
    pub cell_val_num: CellValNum,
    /// True if the label's array is not part of this array.
    pub is_external: bool,
}

impl TryFrom<LabelRecord> for DimensionLabel {
    type Error = SchemaError;

    /// # Errors
    /// [`SchemaError::EscapesRoot`] if a relative URI leads out of the array.
    fn try_from(record: LabelRecord) -> Result<Self, SchemaError> {
        let LabelRecord {
            dimension,
            name,
            relative,
            uri,
            attribute,
            order,
            datatype,
            cell_val_num,
            is_external,
        } = record;
        if relative && !stays_inside(&uri) {
            return Err(SchemaError::EscapesRoot {
                field: format!("uri of label {name:?}"),
                name: uri,
            });
        }
        Ok(Self {
            name,
            dimension,
            relative,
            uri,
            attribute,
            order,
            datatype,
            cell_val_num: cell_val_num.into(),
            is_external,
        })
    }
}

impl From<&DimensionLabel> for LabelRecord {
    fn from(label: &DimensionLabel) -> Self {
        Self {
            dimension: label.dimension,
            name: label.name.clone(),
            relative: label.relative,
            uri: label.uri.clone(),
            attribute: label.attribute.clone(),
            order: label.order,
            datatype: label.datatype,
            cell_val_num: label.cell_val_num.into(),
            is_external: label.is_external,
        }
    }
}

/// True if a relative path has no part that leads out of its folder.
fn stays_inside(path: &str) -> bool {
    !path.contains(['\\', '\0', ':'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
}
