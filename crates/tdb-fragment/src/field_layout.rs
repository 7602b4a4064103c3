use tdb_rtree::DimensionType;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::FormatVersion;

/// What the layout of fragment metadata depends on outside of it: how many attributes the
/// schema has, and the types of its dimensions.
///
/// All that is kept per field is numbered alike: the attributes; a slot for the coordinates of
/// all dimensions together, which nothing fills from format 5 on; from there the
/// dimensions; then timestamps, and deletion timestamps and conditions, where the fragment has them.
/// `docs/format/fragments.md`, "Fields".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldLayout {
    attributes: usize,
    dimensions: Vec<DimensionType>,
}

/// Which of the fields that TileDB keeps for itself a fragment has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields {
    /// When each cell was written.
    pub timestamps: bool,
    /// When each cell was deleted, and by which condition.
    pub deletes: bool,
}

impl FieldLayout {
    /// The layout of an array with so many attributes and these dimensions.
    #[must_use]
    pub fn new(attributes: usize, dimensions: Vec<DimensionType>) -> Self {
        Self {
            attributes,
            dimensions,
        }
    }

    /// The layout of an array with this schema.
    #[must_use]
    pub fn of(schema: &ArraySchema) -> Self {
        let dimensions = schema.dimensions.iter().map(|dimension| DimensionType {
            datatype: dimension.datatype,
            is_var: dimension.is_var(),
        });
        Self::new(schema.attributes.len(), dimensions.collect())
    }

    /// The types of the dimensions.
    #[must_use]
    pub fn dimensions(&self) -> &[DimensionType] {
        &self.dimensions
    }

    /// Whether coordinates of all dimensions have a fixed size.
    #[must_use]
    pub fn has_fixed_dimensions(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var)
    }

    /// How many fields are numbered.
    #[must_use]
    pub fn fields(&self, version: FormatVersion, extra: ExtraFields) -> u64 {
        let with_coords = (self.attributes as u64).saturating_add(1);
        if version.zips_coordinates() {
            return with_coords;
        }
        with_coords
            .saturating_add(self.dimensions.len() as u64)
            .saturating_add(u64::from(extra.timestamps))
            .saturating_add(u64::from(extra.deletes).saturating_mul(2))
    }

    /// How many fields are numbered in what is kept of var-sized values.
    #[must_use]
    pub fn var_fields(&self, version: FormatVersion, extra: ExtraFields) -> u64 {
        if version.zips_coordinates() {
            self.attributes as u64
        } else {
            self.fields(version, extra)
        }
    }

    /// The number of a field; `None` where fragments of the version have no such field.
    #[must_use]
    pub fn index(
        &self,
        field: FieldKind,
        version: FormatVersion,
        extra: ExtraFields,
    ) -> Option<usize> {
        let coords = self.attributes;
        let dimensions = coords.checked_add(1)?;
        let timestamps = dimensions.checked_add(self.dimensions.len())?;
        let deletes = timestamps.checked_add(usize::from(extra.timestamps))?;
        let splits = !version.zips_coordinates();
        match field {
            FieldKind::Attribute(index) => (index < coords).then_some(index),
            FieldKind::Coords => Some(coords),
            FieldKind::Dimension(index) if splits && index < self.dimensions.len() => {
                dimensions.checked_add(index)
            }
            FieldKind::Timestamps if splits && extra.timestamps => Some(timestamps),
            FieldKind::DeleteTimestamps if splits && extra.deletes => Some(deletes),
            FieldKind::DeleteConditionIndex if splits && extra.deletes => deletes.checked_add(1),
            _ => None,
        }
    }
}
