use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, Record, Walk, WireError, WireErrorKind};

use crate::DataOrder;
use crate::presence::since;

/// An attribute in its stored form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeRecord {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Number of values per cell; `u32::MAX` if it varies.
    pub cell_val_num: u32,
    /// The filters of the values.
    pub filters: FilterList,
    /// The fill value of cells that were never written (from version 6).
    pub fill: Bytes,
    /// True if cells may be null (from version 7).
    pub nullable: bool,
    /// The validity of cells that were never written (from version 7).
    pub fill_valid: bool,
    /// The order of the values, if they are sorted (from version 17).
    pub order: DataOrder,
    /// The name of the enumeration; empty for none (from version 20).
    pub enumeration: String,
}

impl Record for AttributeRecord {
    const NAME: &'static str = "Attribute";
    const MIN_SIZE: usize = 17;
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            name,
            datatype,
            cell_val_num,
            filters,
            fill,
            nullable,
            fill_valid,
            order,
            enumeration,
        } = self;
        w.text32("name", name)?;
        w.code("datatype", datatype)?;
        w.scalar("cell_val_num", cell_val_num)?;
        w.nested("filters", filters, &())?;
        if since(w, 6) {
            w.bytes64("fill", fill)?;
        } else if !fill.is_empty() {
            return Err(w.fail("fill", WireErrorKind::NotBefore(6)));
        }
        w.flag_since(7, "nullable", nullable)?;
        w.flag_since(7, "fill_valid", fill_valid)?;
        if since(w, 17) {
            w.code("order", order)?;
        } else if *order != DataOrder::default() {
            return Err(w.fail("order", WireErrorKind::NotBefore(17)));
        }
        if since(w, 20) {
            w.text32("enumeration", enumeration)?;
        } else if !enumeration.is_empty() {
            return Err(w.fail("enumeration", WireErrorKind::NotBefore(20)));
        }
        Ok(())
    }
}
