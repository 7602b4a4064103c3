use tdb_tile::Datatype;

use crate::{CellValNum, DataOrder, LabelRecord, SchemaError};

/// Other names for the positions along a dimension, kept in an array of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionLabel {
    /// Its name.
    pub name: String,
    /// The index of the dimension that it labels.
    pub dimension: u32,
    /// Whether [`DimensionLabel::uri`] is relative to the array.
    pub relative: bool,
    /// Where the array that holds the label stands.
    pub uri: String,
    /// The attribute of that array that holds the labels.
    pub attribute: String,
    /// How the labels are sorted.
    pub order: DataOrder,
    /// The datatype of the labels.
    pub datatype: Datatype,
    /// Values per label.
    pub cell_val_num: CellValNum,
    /// Whether the label's array is not part of this one.
    pub is_external: bool,
}

impl TryFrom<LabelRecord> for DimensionLabel {
    type Error = SchemaError;

    /// # Errors
    /// [`SchemaError::EscapesRoot`] for a relative URI that leaves the array.
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

/// Whether a relative path stays below where it starts.
fn stays_inside(path: &str) -> bool {
    !path.contains(['\\', '\0', ':'])
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
}
