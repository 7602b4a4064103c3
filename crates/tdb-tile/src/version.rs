use std::fmt;

/// The version of the array format that a record was written in.
///
/// What old versions do differently has a name here; nowhere else is a version
/// compared, except by the fields that it brought (`since`, `until` of a walk).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FormatVersion(u32);

impl FormatVersion {
    /// The newest version that is read.
    pub const NEWEST: Self = Self(23);
    /// The version that is written: the newest that a released TileDB reads.
    pub const WRITTEN: Self = Self(22);

    /// The oldest version that fragments are still written in: they are of the version of their array,
    /// but where that is older than this.
    pub const OLDEST_WRITTEN: Self = Self(7);

    /// The version with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number as stored.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// Whether this build reads records of this version.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0 >= 1 && self.0 <= Self::NEWEST.0
    }

    /// Fragment metadata is one generic tile without a footer (1 and 2).
    #[must_use]
    pub const fn has_single_tile_metadata(self) -> bool {
        self.0 <= 2
    }

    /// Coordinates of all dimensions share the file `__coords.tdb`, and all dimensions one datatype (1 to 4).
    #[must_use]
    pub const fn zips_coordinates(self) -> bool {
        self.0 < 5
    }

    /// Without a coordinates compressor the cells of `__coords.tdb` are tuples (1);
    /// from 2 on, and with a compressor, each tile holds dimension after dimension.
    #[must_use]
    pub const fn interleaves_uncompressed_coordinates(self) -> bool {
        self.0 == 1
    }

    /// A dimension without filters of its own uses those of the coordinates (from 5).
    #[must_use]
    pub const fn dimensions_inherit_filters(self) -> bool {
        self.0 >= 5
    }

    /// An attribute states its fill value (from 6); before, it is the default of its datatype.
    #[must_use]
    pub const fn stores_fill_values(self) -> bool {
        self.0 >= 6
    }

    /// A commit object says that a fragment is complete (from 5); before, its metadata does.
    #[must_use]
    pub const fn has_commit_objects(self) -> bool {
        self.0 >= 5
    }

    /// Data files are named after the percent-encoded field (8 only).
    #[must_use]
    pub const fn percent_encodes_names(self) -> bool {
        self.0 == 8
    }

    /// Data files are named after the field's index (from 9).
    #[must_use]
    pub const fn names_by_index(self) -> bool {
        self.0 >= 9
    }

    /// The footer ends with its length even when all dimensions have a fixed size (from 10).
    #[must_use]
    pub const fn always_stores_footer_length(self) -> bool {
        self.0 >= 10
    }

    /// The footer names its schema (from 10); before, the array has just one.
    #[must_use]
    pub const fn names_schema(self) -> bool {
        self.0 >= 10
    }

    /// Fragments keep validity tiles of nullable attributes (from 7).
    #[must_use]
    pub const fn stores_validity(self) -> bool {
        self.0 >= 7
    }

    /// Fragments keep minimum, maximum, sum and null count of tiles (from 11).
    #[must_use]
    pub const fn stores_tile_statistics(self) -> bool {
        self.0 >= 11
    }

    /// Fragments keep minimum, maximum, sum and null count of themselves (from 12).
    #[must_use]
    pub const fn stores_fragment_statistics(self) -> bool {
        self.0 >= 12
    }

    /// Fragments keep which delete conditions they have taken in (from 15).
    #[must_use]
    pub const fn stores_processed_conditions(self) -> bool {
        self.0 >= 15
    }

    /// The footer tells where the processed conditions are (from 16).
    #[must_use]
    pub const fn finds_processed_conditions(self) -> bool {
        self.0 >= 16
    }

    /// The footer ends with sections that a reader may not know (from 23).
    #[must_use]
    pub const fn has_footer_sections(self) -> bool {
        self.0 >= 23
    }

    /// Footers may be longer than their fields: later libraries wrote one more offset into
    /// fragments of arrays of version 11 than those who defined it.
    #[must_use]
    pub const fn has_longer_footers(self) -> bool {
        self.0 == 11
    }

    /// Fragments live in `__fragments`, commits in `__commits` (from 12).
    #[must_use]
    pub const fn has_fragment_folder(self) -> bool {
        self.0 >= 12
    }

    /// A sparse fragment may hold cells of several times, and is selected by overlap with the time window (from 15).
    #[must_use]
    pub const fn selects_by_time_overlap(self) -> bool {
        self.0 >= 15
    }

    /// Sparse fragments that replace others keep when each cell was written (from 15).
    #[must_use]
    pub const fn keeps_cell_times(self) -> bool {
        self.0 >= 15
    }

    /// Lists of replaced fragments say where these are in the array (from 19); before, they hold whole URIs.
    #[must_use]
    pub const fn lists_relative_names(self) -> bool {
        self.0 >= 19
    }

    /// Run-length encoding of ASCII strings folds the offsets into the data (from 12).
    #[must_use]
    pub const fn folds_ascii_rle_offsets(self) -> bool {
        self.0 >= 12
    }

    /// Dictionary encoding of ASCII strings folds the offsets into the data (from 13).
    #[must_use]
    pub const fn folds_ascii_dictionary_offsets(self) -> bool {
        self.0 >= 13
    }

    /// Run-length and dictionary encoding of UTF-8 strings fold the offsets into the data (from 17).
    #[must_use]
    pub const fn folds_utf8_offsets(self) -> bool {
        self.0 >= 17
    }

    /// Bit-width reduction and positive delta act on dates and times (from 20).
    #[must_use]
    pub const fn reduces_datetimes(self) -> bool {
        self.0 >= 20
    }

    /// The options of the delta filter name the type that values are taken for (from 19).
    #[must_use]
    pub const fn stores_delta_reinterpretation(self) -> bool {
        self.0 >= 19
    }

    /// The options of the double delta filter name the type that values are taken for (from 20).
    #[must_use]
    pub const fn stores_double_delta_reinterpretation(self) -> bool {
        self.0 >= 20
    }

    /// Each filter sees the datatype that the one before leaves (writers from 2.17,
    /// which stamp generic tiles with 20 or more); before, all see that of the tile.
    #[must_use]
    pub const fn propagates_datatypes(self) -> bool {
        self.0 >= 20
    }

    /// Sparse cells are sorted by signed tile indices: the distance from the domain's start
    /// wraps around in the signed type of 32- and 64-bit dimensions (1 to 4).
    #[must_use]
    pub const fn sorts_by_signed_tiles(self) -> bool {
        self.0 < 5
    }

    /// Sparse cells of dimensions of floats are sorted as if there were no tile extents (1 to 4).
    #[must_use]
    pub const fn sorts_floats_without_tiles(self) -> bool {
        self.0 < 5
    }

    /// The tile index of a signed dimension is the quotient of the signed distance from the
    /// domain's start, compared without a sign (9 to 13).
    #[must_use]
    pub const fn misplaces_last_signed_tile(self) -> bool {
        self.0 >= 9 && self.0 <= 13
    }

    /// The numbers of space tiles went through floats: of dense fragments whose tiles are numbered beyond 2^53
    /// not all tiles may be stored (5 to 8).
    #[must_use]
    pub const fn numbers_tiles_in_floats(self) -> bool {
        self.0 >= 5 && self.0 <= 8
    }

    /// Tile vectors of dense fragments written in global order may have zeros behind the last tile, as validity tiles were
    /// counted, too (7 and 8).
    #[must_use]
    pub const fn counts_validity_tiles(self) -> bool {
        self.0 >= 7 && self.0 <= 8
    }

    /// Places on the Hilbert curve count the values of integer and date dimensions, rather
    /// than the steps between them (7 and 8).
    #[must_use]
    pub const fn counts_hilbert_values(self) -> bool {
        self.0 >= 7 && self.0 <= 8
    }

    /// Bounds of tiles along dimensions of dates may be wrong, or out of order, where dates lie on both sides of 1970 (up to 4).
    #[must_use]
    pub const fn misstates_date_bounds(self) -> bool {
        self.0 <= 4
    }

    /// A lower bound that is the empty string has an upper bound that may be too small (5 to 9).
    #[must_use]
    pub const fn misstates_empty_string_bounds(self) -> bool {
        self.0 >= 5 && self.0 <= 9
    }

    /// Least and greatest values of tiles of nullable fixed-size strings may be wrong (up to 20).
    #[must_use]
    pub const fn misstates_nullable_string_statistics(self) -> bool {
        self.0 <= 20
    }

    /// Bounds of dates that span 1970 were built with unsigned comparison (1 to 4).
    #[must_use]
    pub const fn misstates_datetime_bounds(self) -> bool {
        self.0 < 5
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
