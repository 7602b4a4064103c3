use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, Record, Walk, WireError};

use crate::presence::since;

/// A dimension as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DimensionRecord {
    /// Its name; may be empty in old arrays.
    pub name: String,
    /// Its datatype; that of the domain before version 5.
    pub datatype: Datatype,
    /// Values per coordinate; `u32::MAX` for strings.
    pub cell_val_num: u32,
    /// Its own filters; none means those of the coordinates, from version 5.
    pub filters: FilterList,
    /// Lower and upper end, one behind the other; empty for strings.
    pub domain: Bytes,
    /// Whether there is no tile extent.
    pub null_extent: bool,
    /// The tile extent, if there is one.
    pub extent: Bytes,
}

impl Record for DimensionRecord {
    const NAME: &'static str = "Dimension";
    const MIN_SIZE: usize = 5;
    /// The datatype that all dimensions share before version 5.
    type Cx = Datatype;

    fn walk<W: Walk>(&mut self, w: &mut W, shared: &Datatype) -> Result<(), WireError> {
        let Self {
            name,
            datatype,
            cell_val_num,
            filters,
            domain,
            null_extent,
            extent,
        } = self;
        w.text32("name", name)?;
        if since(w, 5) {
            w.code("datatype", datatype)?;
            w.scalar("cell_val_num", cell_val_num)?;
            w.nested("filters", filters, &())?;
            w.bytes64("domain", domain)?;
        } else {
            *datatype = *shared;
            *cell_val_num = 1;
            *filters = FilterList::default();
            w.raw("domain", (datatype.size() as u64).saturating_mul(2), domain)?;
        }
        w.flag("null_extent", null_extent)?;
        if *null_extent {
            return Ok(());
        }
        w.raw("extent", datatype.size() as u64, extent)
    }
}
