use tdb_tile::Datatype;

/// What a tree must know of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DimensionType {
    /// Type of the coordinates.
    pub datatype: Datatype,
    /// Whether their length varies: strings.
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

    /// Bytes of one coordinate, where all take the same.
    #[must_use]
    pub const fn coordinate_size(self) -> Option<usize> {
        if self.is_var {
            None
        } else {
            Some(self.datatype.size())
        }
    }
}

/// Bytes of a rectangle over these dimensions, where all take the same.
pub(crate) fn fixed_mbr_size(dimensions: &[DimensionType]) -> Option<u64> {
    dimensions.iter().try_fold(0_u64, |sum, dimension| {
        let size = dimension.coordinate_size()? as u64;
        Some(sum.saturating_add(size.saturating_mul(2)))
    })
}
