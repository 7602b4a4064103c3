use tdb_tile::{Datatype, FormatVersion};

/// What a tile of one field in one fragment is, beyond its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileKind {
    /// Format version of the fragment.
    pub version: FormatVersion,
    /// Whether each filter saw the datatype that the one before left, as it does for writers since
    /// 2.17; see [`FormatVersion::propagates_datatypes`] of the fragment's generic tiles.
    pub propagates: bool,
    /// Type of the values: the field's, `uint64` for offsets, `uint8` for validity, and so on.
    pub datatype: Datatype,
    /// Bytes of a cell, the unit of chunks and of run-length encoding: all values of a fixed-size
    /// cell, all coordinates of a cell before version 5, one value of a var-sized cell.
    pub cell_size: usize,
    /// Whether this is the values tile of a var-sized field.
    pub is_var: bool,
}

impl TileKind {
    /// A tile of fixed-size cells of one value each, as today's releases write it.
    #[must_use]
    pub const fn new(version: FormatVersion, datatype: Datatype) -> Self {
        Self {
            version,
            propagates: true,
            datatype,
            cell_size: datatype.size(),
            is_var: false,
        }
    }

    /// The same with `cell_size` bytes per cell.
    #[must_use]
    pub const fn with_cell_size(mut self, cell_size: usize) -> Self {
        self.cell_size = cell_size;
        self
    }

    /// The values tile of a var-sized field.
    #[must_use]
    pub const fn var(mut self) -> Self {
        self.is_var = true;
        self
    }

    /// A tile by a writer that did or did not hand datatypes from filter to filter.
    #[must_use]
    pub const fn propagating(mut self, propagates: bool) -> Self {
        self.propagates = propagates;
        self
    }

    /// A generic tile.
    #[must_use]
    pub const fn generic(version: FormatVersion) -> Self {
        Self::new(version, Datatype::Char)
    }

    /// Whether these are the values of var-sized text, whose offsets a filter for strings may fold into them.
    #[must_use]
    pub const fn is_var_text(&self) -> bool {
        self.is_var && matches!(self.datatype, Datatype::StringAscii | Datatype::StringUtf8)
    }
}

/// A field of a new array whose tiles are to go through a filter.
#[derive(Clone, Copy, Debug)]
pub struct FilteredField<'a> {
    /// What its tiles are.
    pub tile: TileKind,
    /// Whether the array is dense.
    pub is_dense: bool,
    /// The types of the array's dimensions.
    pub dimensions: &'a [Datatype],
}

/// What about a field a filter does not fit, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The type of the field, as it is in the schema.
    Datatype(&'static str),
    /// The array that has the field.
    Array(&'static str),
}
