use tdb_tile::{Record, Walk, WireError};

/// The offsets of the generic tiles in a fragment's metadata file.
///
/// Lists have one entry per field ([`FieldLayout`](crate::FieldLayout)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GenericTileOffsets {
    /// Offset of the R-tree.
    pub rtree: u64,
    /// For each field, the offset of its list of data tile offsets.
    pub tile_offsets: Vec<u64>,
    /// For each field, the offset of its list of tile offsets of var-sized values; before format 5
    /// for attributes only.
    pub var_offsets: Vec<u64>,
    /// For each field, the offset of its list of unfiltered tile sizes of var-sized values; before
    /// format 5 for attributes only.
    pub var_sizes: Vec<u64>,
    /// For each field, the offset of its list of validity tile offsets (from format 7).
    pub validity_offsets: Vec<u64>,
    /// For each field, the offset of the minimum values of its tiles (from format 11).
    pub mins: Vec<u64>,
    /// For each field, the offset of the maximum values of its tiles (from format 11).
    pub maxs: Vec<u64>,
    /// For each field, the offset of the sums of its tiles (from format 11).
    pub sums: Vec<u64>,
    /// For each field, the offset of the null counts of its tiles (from format 11).
    pub null_counts: Vec<u64>,
    /// Offset of the statistics of the whole fragment (from format 12).
    pub fragment_statistics: u64,
    /// Offset of the delete conditions that have been applied to the fragment (from format 16).
    pub processed_conditions: u64,
}

impl Record for GenericTileOffsets {
    const NAME: &'static str = "GenericTileOffsets";
    const MIN_SIZE: usize = 8;
    /// The number of fields, and the number of fields in lists of var-sized values.
    type Cx = (u64, u64);

    fn walk<W: Walk>(&mut self, w: &mut W, cx: &(u64, u64)) -> Result<(), WireError> {
        let (fields, var_fields) = *cx;
        let Self {
            rtree,
            tile_offsets,
            var_offsets,
            var_sizes,
            validity_offsets,
            mins,
            maxs,
            sums,
            null_counts,
            fragment_statistics,
            processed_conditions,
        } = self;
        w.scalar("rtree", rtree)?;
        w.array("tile_offsets", fields, tile_offsets)?;
        w.array("var_offsets", var_fields, var_offsets)?;
        w.array("var_sizes", var_fields, var_sizes)?;
        w.array_since(7, "validity_offsets", fields, validity_offsets)?;
        w.array_since(11, "mins", fields, mins)?;
        w.array_since(11, "maxs", fields, maxs)?;
        w.array_since(11, "sums", fields, sums)?;
        w.array_since(11, "null_counts", fields, null_counts)?;
        w.since(12, "fragment_statistics", fragment_statistics)?;
        w.since(16, "processed_conditions", processed_conditions)
    }
}

impl GenericTileOffsets {
    pub(crate) fn all(&self) -> impl Iterator<Item = u64> {
        let lists = [
            &self.tile_offsets,
            &self.var_offsets,
            &self.var_sizes,
            &self.validity_offsets,
            &self.mins,
            &self.maxs,
            &self.sums,
            &self.null_counts,
        ];
        [
            self.rtree,
            self.fragment_statistics,
            self.processed_conditions,
        ]
        .into_iter()
        .chain(lists.into_iter().flatten().copied())
    }
}
