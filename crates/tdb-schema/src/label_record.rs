use tdb_tile::{Datatype, Record, Walk, WireError};

use crate::DataOrder;

/// A dimension label as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelRecord {
    /// The index of the dimension that it labels.
    pub dimension: u32,
    /// Its name.
    pub name: String,
    /// Whether [`LabelRecord::uri`] is relative to the array.
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
    pub cell_val_num: u32,
    /// Whether the label's array is not part of this one.
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
