use tdb_filters::FilterList;
use tdb_tile::{Datatype, FormatVersion, Record, Walk, WireError, WireErrorKind};

use crate::presence::since;
use crate::{
    ArrayType, AttributeRecord, CellOrder, CurrentDomainRecord, DimensionRecord,
    EnumerationEntryRecord, LabelRecord, Order,
};

/// An array schema in its stored form, whether or not it is valid.
///
/// [`ArraySchema`](crate::ArraySchema) is the validated form. The layout is described in
/// `docs/format/schema.md`, version by version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaRecord {
    /// The format version of all fields.
    pub version: u32,
    /// True if several cells may have the same coordinates (from version 5).
    pub allows_duplicates: bool,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// The order of space tiles.
    pub tile_order: Order,
    /// The order of cells within a tile, or along a Hilbert curve.
    pub cell_order: CellOrder,
    /// Maximum number of cells in a tile of a sparse array.
    pub capacity: u64,
    /// The filters of coordinates.
    pub coords_filters: FilterList,
    /// The filters of offsets tiles.
    pub offsets_filters: FilterList,
    /// The filters of validity tiles (from version 7).
    pub validity_filters: FilterList,
    /// The datatype that all dimensions share (up to version 4).
    pub domain_datatype: Datatype,
    /// The dimensions.
    pub dimensions: Vec<DimensionRecord>,
    /// The attributes.
    pub attributes: Vec<AttributeRecord>,
    /// The dimension labels (from version 18).
    pub labels: Vec<LabelRecord>,
    /// Names and files of the enumerations, in any order (from version 20).
    pub enumerations: Vec<EnumerationEntryRecord>,
    /// The current domain (from version 22).
    pub current_domain: CurrentDomainRecord,
}

impl Record for SchemaRecord {
    const NAME: &'static str = "ArraySchema";
    type Cx = ();

    fn walk<W: Walk>(&mut self, w: &mut W, _: &()) -> Result<(), WireError> {
        let Self {
            version,
            allows_duplicates,
            array_type,
            tile_order,
            cell_order,
            capacity,
            coords_filters,
            offsets_filters,
            validity_filters,
            domain_datatype,
            dimensions,
            attributes,
            labels,
            enumerations,
            current_domain,
        } = self;
        w.scalar("version", version)?;
        w.set_version(known(w, *version)?);
        w.flag_since(5, "allows_duplicates", allows_duplicates)?;
        w.code("array_type", array_type)?;
        w.code("tile_order", tile_order)?;
        w.code("cell_order", cell_order)?;
        w.scalar("capacity", capacity)?;
        w.nested("coords_filters", coords_filters, &())?;
        w.nested("offsets_filters", offsets_filters, &())?;
        if since(w, 7) {
            w.nested("validity_filters", validity_filters, &())?;
        } else if !validity_filters.filters.is_empty() {
            return Err(w.fail("validity_filters", WireErrorKind::NotBefore(7)));
        }
        if !since(w, 5) {
            w.code("domain_datatype", domain_datatype)?;
        }
        let n = w.count::<u32>("dimension count", dimensions.len())?;
        w.list("dimensions", n, dimensions, domain_datatype)?;
        let n = w.count::<u32>("attribute count", attributes.len())?;
        w.list("attributes", n, attributes, &())?;
        if since(w, 18) {
            let n = w.count::<u32>("label count", labels.len())?;
            w.list("labels", n, labels, &())?;
        } else if !labels.is_empty() {
            return Err(w.fail("labels", WireErrorKind::NotBefore(18)));
        }
        if since(w, 20) {
            let n = w.count::<u32>("enumeration count", enumerations.len())?;
            w.list("enumerations", n, enumerations, &())?;
        } else if !enumerations.is_empty() {
            return Err(w.fail("enumerations", WireErrorKind::NotBefore(20)));
        }
        if since(w, 22) {
            w.nested("current_domain", current_domain, dimensions.as_slice())?;
        } else if current_domain.is_set {
            return Err(w.fail("current_domain", WireErrorKind::NotBefore(22)));
        }
        Ok(())
    }
}

fn known<W: Walk>(w: &W, version: u32) -> Result<FormatVersion, WireError> {
    let kind = match FormatVersion::new(version) {
        known if known.is_known() => return Ok(known),
        _ if version == 0 => WireErrorKind::Invalid("there is no format version 0"),
        _ => WireErrorKind::NewerVersion {
            found: version,
            newest: FormatVersion::NEWEST.number(),
        },
    };
    Err(w.fail("version", kind))
}
