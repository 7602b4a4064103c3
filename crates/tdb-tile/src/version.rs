use std::fmt;

/// The version of the array format that a record was written in.
///
/// Every behaviour that depends on the version has a method here; other code does not compare
/// versions, except for the fields that a version added (`since`, `until` of a walk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FormatVersion(u32);

impl FormatVersion {
    /// The newest version that this build reads.
    pub const NEWEST: Self = Self(23);
    /// The version that new arrays are written in: the newest that a released TileDB reads.
    pub const WRITTEN: Self = Self(22);

    /// The oldest version that fragments are written in. Fragments have the version of their array,
    /// but at least this one.
    pub const OLDEST_WRITTEN: Self = Self(7);

    /// Creates the version with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number as stored.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// True if this build reads records of this version.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0 >= 1 && self.0 <= Self::NEWEST.0
    }

    /// Fragment metadata is one generic tile without a footer (formats 1 and 2).
    #[must_use]
    pub const fn has_single_tile_metadata(self) -> bool {
        self.0 <= 2
    }

    /// The coordinates of all dimensions share the file `__coords.tdb`, and all dimensions share
    /// one datatype (formats 1 to 4).
    #[must_use]
    pub const fn zips_coordinates(self) -> bool {
        self.0 < 5
    }

    /// Without a coordinates compressor, `__coords.tdb` stores the coordinates cell by cell (format
    /// 1). With one, and always from format 2 on, each tile stores them dimension by dimension.
    #[must_use]
    pub const fn interleaves_uncompressed_coordinates(self) -> bool {
        self.0 == 1
    }

    /// A dimension without filters of its own uses the filters of the coordinates (from format 5).
    #[must_use]
    pub const fn dimensions_inherit_filters(self) -> bool {
        self.0 >= 5
    }

    /// The schema stores the fill value of each attribute (from format 6); before, it is the default of
    /// the attribute's datatype.
    #[must_use]
    pub const fn stores_fill_values(self) -> bool {
        self.0 >= 6
    }

    /// A commit object marks a fragment as complete (from format 5); before, its metadata file does.
    #[must_use]
    pub const fn has_commit_objects(self) -> bool {
        self.0 >= 5
    }

    /// Data files are named after the field, percent-encoded (format 8 only).
    #[must_use]
    pub const fn percent_encodes_names(self) -> bool {
        self.0 == 8
    }

    /// Data files are named after the field's index (from format 9).
    #[must_use]
    pub const fn names_by_index(self) -> bool {
        self.0 >= 9
    }

    /// The footer ends with its length even when all dimensions have a fixed size (from format 10).
    #[must_use]
    pub const fn always_stores_footer_length(self) -> bool {
        self.0 >= 10
    }

    /// The footer names the schema of its fragment (from format 10); before, an array has just one schema.
    #[must_use]
    pub const fn names_schema(self) -> bool {
        self.0 >= 10
    }

    /// Fragments store validity tiles of nullable attributes (from format 7).
    #[must_use]
    pub const fn stores_validity(self) -> bool {
        self.0 >= 7
    }

    /// Fragments store the minimum, maximum, sum and null count of each tile (from format 11).
    #[must_use]
    pub const fn stores_tile_statistics(self) -> bool {
        self.0 >= 11
    }

    /// Fragments store the minimum, maximum, sum and null count of all their cells (from format 12).
    #[must_use]
    pub const fn stores_fragment_statistics(self) -> bool {
        self.0 >= 12
    }

    /// Fragments store which delete conditions have been applied to them (from format 15).
    #[must_use]
    pub const fn stores_processed_conditions(self) -> bool {
        self.0 >= 15
    }

    /// The footer stores the offset of the processed conditions (from format 16).
    #[must_use]
    pub const fn finds_processed_conditions(self) -> bool {
        self.0 >= 16
    }

    /// The footer ends with sections that a reader may skip if it does not know them (from format 23).
    #[must_use]
    pub const fn has_footer_sections(self) -> bool {
        self.0 >= 23
    }

    /// Footers may be longer than expected (format 11): later libraries wrote one more offset into
    /// such fragments than the first ones did.
    #[must_use]
    pub const fn has_longer_footers(self) -> bool {
        self.0 == 11
    }

    /// Fragments are stored in `__fragments`, commits in `__commits` (from format 12).
    #[must_use]
    pub const fn has_fragment_folder(self) -> bool {
        self.0 >= 12
    }

    /// A sparse fragment may hold cells of several timestamps, and is selected if it overlaps the
    /// time window (from format 15).
    #[must_use]
    pub const fn selects_by_time_overlap(self) -> bool {
        self.0 >= 15
    }

    /// Consolidated sparse fragments store the timestamp of each cell (from format 15).
    #[must_use]
    pub const fn keeps_cell_times(self) -> bool {
        self.0 >= 15
    }

    /// Vacuum and ignore lists store names relative to the array (from format 19); before, they store
    /// whole URIs.
    #[must_use]
    pub const fn lists_relative_names(self) -> bool {
        self.0 >= 19
    }

    /// Run-length encoding of ASCII strings stores the offsets within the data (from format 12).
    #[must_use]
    pub const fn folds_ascii_rle_offsets(self) -> bool {
        self.0 >= 12
    }

    /// Dictionary encoding of ASCII strings stores the offsets within the data (from format 13).
    #[must_use]
    pub const fn folds_ascii_dictionary_offsets(self) -> bool {
        self.0 >= 13
    }

    /// Run-length and dictionary encoding of UTF-8 strings store the offsets within the data (from
    /// format 17).
    #[must_use]
    pub const fn folds_utf8_offsets(self) -> bool {
        self.0 >= 17
    }

    /// Bit-width reduction and positive delta apply to dates and times (from format 20).
    #[must_use]
    pub const fn reduces_datetimes(self) -> bool {
        self.0 >= 20
    }

    /// The options of the delta filter name the datatype that values are reinterpreted as (from
    /// format 19).
    #[must_use]
    pub const fn stores_delta_reinterpretation(self) -> bool {
        self.0 >= 19
    }

    /// The options of the double delta filter name the datatype that values are reinterpreted as
    /// (from format 20).
    #[must_use]
    pub const fn stores_double_delta_reinterpretation(self) -> bool {
        self.0 >= 20
    }

    /// Each filter sees the datatype that the previous filter outputs (writers from release 2.17,
    /// which stamp generic tiles with version 20 or more); before, every filter sees the datatype
    /// of the tile.
    #[must_use]
    pub const fn propagates_datatypes(self) -> bool {
        self.0 >= 20
    }

    /// Sparse cells are sorted by signed tile indices (formats 1 to 4): the distance from the domain's
    /// start wraps around in the signed type of 32- and 64-bit dimensions.
    #[must_use]
    pub const fn sorts_by_signed_tiles(self) -> bool {
        self.0 < 5
    }

    /// Sparse cells with float dimensions are sorted as if there were no tile extents (formats 1 to 4).
    #[must_use]
    pub const fn sorts_floats_without_tiles(self) -> bool {
        self.0 < 5
    }

    /// The tile index of a signed dimension is the quotient of the signed distance from the
    /// domain's start, and is compared as unsigned (formats 9 to 13).
    #[must_use]
    pub const fn misplaces_last_signed_tile(self) -> bool {
        self.0 >= 9 && self.0 <= 13
    }

    /// The writer computed the numbers of space tiles in floats (formats 5 to 8): a dense fragment whose
    /// tile numbers exceed 2^53 may lack tiles.
    #[must_use]
    pub const fn numbers_tiles_in_floats(self) -> bool {
        self.0 >= 5 && self.0 <= 8
    }

    /// Tile vectors of dense fragments written in global order may have zeros after the last tile,
    /// because the writer counted validity tiles, too (formats 7 and 8).
    #[must_use]
    pub const fn counts_validity_tiles(self) -> bool {
        self.0 >= 7 && self.0 <= 8
    }

    /// Positions on the Hilbert curve count the values of integer and date dimensions rather than
    /// the steps between values (formats 7 and 8).
    #[must_use]
    pub const fn counts_hilbert_values(self) -> bool {
        self.0 >= 7 && self.0 <= 8
    }

    /// The bounds of tiles along date dimensions may be wrong or out of order if the dates lie on
    /// both sides of 1970 (up to format 4).
    #[must_use]
    pub const fn misstates_date_bounds(self) -> bool {
        self.0 <= 4
    }

    /// If a lower bound is the empty string, the upper bound may be too small (formats 5 to 9).
    #[must_use]
    pub const fn misstates_empty_string_bounds(self) -> bool {
        self.0 >= 5 && self.0 <= 9
    }

    /// Minimum and maximum of tiles of nullable fixed-size strings may be wrong (up to format 20).
    #[must_use]
    pub const fn misstates_nullable_string_statistics(self) -> bool {
        self.0 <= 20
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<u32> for FormatVersion {
    fn from(number: u32) -> Self {
        Self(number)
    }
}
