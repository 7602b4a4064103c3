use tdb_tile::Datatype;

/// The properties of a dimension that a tree depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DimensionType {
    /// The datatype of the coordinates.
    pub datatype: Datatype,
    /// True if the coordinates are strings, whose length varies.
    pub is_var: bool,
}

impl DimensionType {
    /// A dimension whose coordinates are single numbers.
    #[must_use]
    pub const fn fixed(datatype: Datatype) -> Self {
        Self {
            datatype,
            is_var: false,
        }
    }

    /// A dimension of strings.
    #[must_use]
    pub const fn var(datatype: Datatype) -> Self {
        Self {
            datatype,
            is_var: true,
        }
    }

    /// The size of a coordinate in bytes; `None` for strings.
    #[must_use]
    pub const fn coordinate_size(self) -> Option<usize> {
        if self.is_var {
            None
        } else {
            Some(self.datatype.size())
        }
    }
}

/// Returns the size of a rectangle over these dimensions in bytes; `None` if one of them is a
/// string dimension.
pub(crate) fn fixed_mbr_size(dimensions: &[DimensionType]) -> Option<u64> {
    let sizes = dimensions
        .iter()
        .map(|dimension| dimension.coordinate_size());
    sizes
        .flat_map(|size| [size.map(|size| size as u64); 2])
        .sum()
}
