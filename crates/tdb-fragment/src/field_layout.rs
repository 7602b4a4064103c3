use tdb_rtree::DimensionType;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::FormatVersion;

/// The facts from the schema that the layout of fragment metadata depends on: the number of
/// attributes, and the types of the dimensions.
///
/// All per-field lists of the metadata have the same order: the attributes; one slot for the
/// coordinates of all dimensions together, which is unused from format 5 on; the dimensions;
/// timestamps; deletion timestamps and deletion conditions. Later slots exist only if the fragment
/// has the fields. `docs/format/fragments.md`, "Fields".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldLayout {
    attributes: usize,
    dimensions: Vec<DimensionType>,
}

/// The fields of a fragment that TileDB adds to those of the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields {
    /// True if the fragment stores the timestamp of each cell.
    pub timestamps: bool,
    /// True if the fragment stores for each cell when it was deleted, and by which condition.
    pub deletes: bool,
}

impl FieldLayout {
    /// Creates the layout of an array with this number of attributes and these dimensions.
    #[must_use]
    pub fn new(attributes: usize, dimensions: Vec<DimensionType>) -> Self {
        Self {
            attributes,
            dimensions,
        }
    }

    /// Creates the layout of an array with this schema.
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

    /// True if the coordinates of all dimensions have a fixed size.
    #[must_use]
    pub fn has_fixed_dimensions(&self) -> bool {
        self.dimensions.iter().all(|dimension| !dimension.is_var)
    }

    /// The number of slots in per-field lists.
    #[must_use]
    pub fn fields(&self, version: FormatVersion, extra: ExtraFields) -> u64 {
        let with_coords = [self.attributes as u64, 1].into_iter();
        if version.zips_coordinates() {
            return with_coords.sum();
        }
        let deletes = u64::from(extra.deletes);
        with_coords
            .chain([self.dimensions.len() as u64])
            .chain([extra.timestamps.into(), deletes, deletes])
            .sum()
    }

    /// The number of slots in per-field lists of var-sized values.
    #[must_use]
    pub fn var_fields(&self, version: FormatVersion, extra: ExtraFields) -> u64 {
        if version.zips_coordinates() {
            self.attributes as u64
        } else {
            self.fields(version, extra)
        }
    }

    /// Returns the slot of a field; `None` if fragments of the version have no such field.
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
