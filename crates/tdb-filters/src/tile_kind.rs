use tdb_tile::{Datatype, FormatVersion};

/// The properties of a field's tiles in one fragment that filters depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileKind {
    /// Format version of the fragment.
    pub version: FormatVersion,
    /// True if each filter saw the datatype that the previous filter output, as with writers since
    /// release 2.17; see [`FormatVersion::propagates_datatypes`] of the version of the fragment's
    /// generic tiles.
    pub propagates: bool,
    /// Datatype of the values: the field's, `uint64` for offsets, `uint8` for validity.
    pub datatype: Datatype,
    /// Bytes of a cell, the unit of chunks and of run-length encoding: all values of a fixed-size
    /// cell, all coordinates of a cell before version 5, one value of a var-sized cell.
    pub cell_size: usize,
    /// True for the values tile of a var-sized field.
    pub is_var: bool,
}

impl TileKind {
    /// Creates the kind of a tile of fixed-size cells with one value each, as current releases
    /// write it.
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

    /// Sets the size of a cell in bytes.
    #[must_use]
    pub const fn with_cell_size(mut self, cell_size: usize) -> Self {
        self.cell_size = cell_size;
        self
    }

    /// Marks the values tile of a var-sized field.
    #[must_use]
    pub const fn var(mut self) -> Self {
        self.is_var = true;
        self
    }

    /// Sets whether the writer propagated datatypes from filter to filter.
    #[must_use]
    pub const fn propagating(mut self, propagates: bool) -> Self {
        self.propagates = propagates;
        self
    }

    /// Creates the kind of a generic tile.
    #[must_use]
    pub const fn generic(version: FormatVersion) -> Self {
        Self::new(version, Datatype::Char)
    }

    /// True for the values of var-sized text, into which a string filter may fold the offsets.
    #[must_use]
    pub const fn is_var_text(&self) -> bool {
        self.is_var && matches!(self.datatype, Datatype::StringAscii | Datatype::StringUtf8)
    }
}

/// A field of a new array, to be checked against a filter.
#[derive(Clone, Copy, Debug)]
pub struct FilteredField<'a> {
    /// The kind of the field's tiles.
    pub tile: TileKind,
    /// True if the array is dense.
    pub is_dense: bool,
    /// The datatypes of the array's dimensions.
    pub dimensions: &'a [Datatype],
}

/// The property of a field that does not suit a filter, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The datatype of the field.
    Datatype(&'static str),
    /// The array that contains the field.
    Array(&'static str),
}
