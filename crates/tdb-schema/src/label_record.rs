use tdb_tile::{Datatype, Record, Walk, WireError};

use crate::DataOrder;

/// A dimension label in its stored form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelRecord {
    /// The index of the labelled dimension.
    pub dimension: u32,
    /// The name of the label.
    pub name: String,
    /// True if [`LabelRecord::uri`] is relative to the array.
    pub relative: bool,
    /// The URI of the array that stores the labels.
    pub uri: String,
    /// The attribute of that array that stores the labels.
    pub attribute: String,
    /// The order in which the labels are sorted.
    pub order: DataOrder,
    /// The datatype of the labels.
    pub datatype: Datatype,
    /// Number of values per label; `u32::MAX` if it varies.
    pub cell_val_num: u32,
    /// True if the label's array is not part of this array.
    pub is_external: bool,
}

impl Record for LabelRecord {
    const NAME: &'static str = "DimensionLabel";
    const MIN_SIZE: usize = 28;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            dimension,
            name,
            relative,
            uri,
            attribute,
            order,
            datatype,
            cell_val_num,
            is_external,
        } = self;
        w.scalar("dimension", dimension)?;
        w.text32("name", name)?;
        w.flag("relative", relative)?;
        w.text64("uri", uri)?;
        w.text32("attribute", attribute)?;
        w.code("order", order)?;
        w.code("datatype", datatype)?;
        w.scalar("cell_val_num", cell_val_num)?;
        w.flag("is_external", is_external)
    }
}
