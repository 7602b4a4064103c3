//! Fragment metadata of formats 1 and 2: a single generic tile without a footer.
use bytes::Bytes;
use tdb_rtree::{Mbr, RTree};
use tdb_tile::{FormatVersion, Limits, Record, Walk, WireError, WireErrorKind};

use crate::{ExtraFields, FieldLayout, TileVector};

/// The content of that generic tile. `docs/format/fragments.md`, "Formats 1 and 2".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegacyMetadata {
    /// The format version of the fragment, 1 or 2.
    pub version: FormatVersion,
    /// The bounding box of the written cells.
    pub non_empty_domain: Mbr,
    /// The MBR of each tile; empty in dense fragments.
    pub mbrs: Vec<Mbr>,
    /// First and last coordinates of each tile; not used for reading.
    pub bounding_coordinates: Vec<Mbr>,
    /// The offsets of the data tiles: attributes, then the coordinates.
    pub tile_offsets: Vec<TileVector>,
    /// The offsets of the tiles of var-sized values, for each attribute.
    pub var_offsets: Vec<TileVector>,
    /// The unfiltered sizes of the tiles of var-sized values, for each attribute.
    pub var_sizes: Vec<TileVector>,
    /// The number of cells in the last tile.
    pub last_tile_cells: u64,
    /// The size in bytes of each attribute's data file, then of the coordinates' file.
    pub file_sizes: Vec<u64>,
    /// The size in bytes of each attribute's file of var-sized values.
    pub var_file_sizes: Vec<u64>,
}

impl Record for LegacyMetadata {
    const NAME: &'static str = "LegacyMetadata";
    const MIN_SIZE: usize = 36;
    type Cx = FieldLayout;

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &FieldLayout) -> Result<(), WireError> {
        let Self {
            version,
            non_empty_domain,
            mbrs,
            bounding_coordinates,
            tile_offsets,
            var_offsets,
            var_sizes,
            last_tile_cells,
            file_sizes,
            var_file_sizes,
        } = self;
        walk_version(w, version)?;
        let dimensions = cx.dimensions();
        let fields = cx.fields(*version, ExtraFields::default());
        let var_fields = cx.var_fields(*version, ExtraFields::default());
        walk_domain(w, non_empty_domain, cx)?;
        let n = w.count::<u64>("mbr count", mbrs.len())?;
        w.list("mbrs", n, mbrs, dimensions)?;
        let n = w.count::<u64>("bounding coordinate count", bounding_coordinates.len())?;
        w.list("bounding_coordinates", n, bounding_coordinates, dimensions)?;
        w.list("tile_offsets", fields, tile_offsets, &())?;
        w.list("var_offsets", var_fields, var_offsets, &())?;
        w.list("var_sizes", var_fields, var_sizes, &())?;
        w.scalar("last_tile_cells", last_tile_cells)?;
        w.array("file_sizes", fields, file_sizes)?;
        w.array("var_file_sizes", var_fields, var_file_sizes)
    }
}

fn walk_version<W: Walk>(w: &mut W, version: &mut FormatVersion) -> Result<(), WireError> {
    let mut number = version.number();
    w.scalar("version", &mut number)?;
    *version = FormatVersion::new(number);
    if number == 0 || !version.has_single_tile_metadata() {
        let kind = WireErrorKind::Invalid("no version without a footer");
        return Err(w.fail("version", kind));
    }
    w.set_version(*version);
    Ok(())
}

/// Visits the domain and the size before it, which must be that of the dimensions' ranges.
fn walk_domain<W: Walk>(w: &mut W, domain: &mut Mbr, cx: &FieldLayout) -> Result<(), WireError> {
    let ends = cx.dimensions().iter().flat_map(|d| [d.datatype.size(); 2]);
    let wanted: usize = ends.sum();
    let found = w.count::<u64>("domain size", wanted)?;
    if found != wanted as u64 {
        let kind = WireErrorKind::Mismatch {
            what: "size",
            wanted: wanted as u64,
            found,
        };
        return Err(w.fail("domain size", kind));
    }
    w.nested("non_empty_domain", domain, cx.dimensions())
}

impl LegacyMetadata {
    /// Decodes the content of the metadata file, whose generic tile was opened.
    ///
    /// # Errors
    /// Fails if the bytes break the format.
    pub fn read(payload: &Bytes, layout: &FieldLayout, limits: &Limits) -> Result<Self, WireError> {
        Self::decode(payload, FormatVersion::default(), layout, limits)
    }

    /// Builds the R-tree over the tiles and encodes it as the metadata part that newer fragments
    /// store.
    pub(crate) fn rtree(&self, layout: &FieldLayout) -> Result<Bytes, WireError> {
        let fail = |_| {
            let kind = WireErrorKind::Invalid("rectangles of other dimensions");
            WireError::new(Self::NAME, "mbrs", 0, kind)
        };
        let tree = RTree::build(layout.dimensions(), &self.mbrs).map_err(fail)?;
        Ok(tree.encode(self.version, layout.dimensions())?.into())
    }
}
