use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, Exact, Record, Walk, WireError};

use crate::presence::since;

/// A dimension in its stored form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DimensionRecord {
    /// The name; may be empty in old arrays.
    pub name: String,
    /// The datatype; before version 5, that of all dimensions.
    pub datatype: Datatype,
    /// Number of values per coordinate; `u32::MAX` for strings.
    pub cell_val_num: u32,
    /// The filters of the dimension; from version 5, an empty list means the filters of the
    /// coordinates.
    pub filters: FilterList,
    /// The lower and the upper end of the domain, back to back; empty for strings.
    pub domain: Bytes,
    /// True if there is no tile extent.
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
            let size = (datatype.size() as u64)
                .exact_mul(2)
                .map_err(|bug| w.fail("domain", bug.into()))?;
            w.raw("domain", size, domain)?;
        }
        w.flag("null_extent", null_extent)?;
        if *null_extent {
            return Ok(());
        }
        w.raw("extent", datatype.size() as u64, extent)
    }
}
