use tdb_filters::FilterList;
use tdb_tile::Datatype;

use crate::attribute::cell_size;
use crate::{ArraySchema, Attribute, CellValNum};

/// The coordinates of all dimensions, in fragments before version 5.
pub const COORDS: &str = "__coords";
/// When each cell was written, in consolidated fragments.
pub const TIMESTAMPS: &str = "__timestamps";
/// When each cell was deleted, in consolidated fragments.
pub const DELETE_TIMESTAMPS: &str = "__delete_timestamps";
/// The condition that deleted each cell, in consolidated fragments.
pub const DELETE_CONDITION_INDEX: &str = "__delete_condition_index";

/// What a [`Field`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldKind {
    /// The attribute with this index.
    Attribute(usize),
    /// The dimension with this index.
    Dimension(usize),
    /// [`COORDS`].
    Coords,
    /// [`TIMESTAMPS`].
    Timestamps,
    /// [`DELETE_TIMESTAMPS`].
    DeleteTimestamps,
    /// [`DELETE_CONDITION_INDEX`].
    DeleteConditionIndex,
}

/// One column of an array, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    /// Attribute, dimension or one that TileDB keeps for itself.
    pub kind: FieldKind,
    /// Its name.
    pub name: &'a str,
    /// The datatype of its values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Whether cells may be null.
    pub nullable: bool,
    /// The filters that its tiles go through; offsets and validity tiles have their own.
    pub filters: &'a FilterList,
}

impl Field<'_> {
    /// Whether cells vary in size.
    #[must_use]
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// Bytes of a cell, unless they vary.
    #[must_use]
    pub fn cell_size(&self) -> Option<u64> {
        cell_size(self.datatype, self.cell_val_num)
    }
}

impl ArraySchema {
    /// The field with this name: attribute, dimension, or one that TileDB keeps for itself.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Field<'_>> {
        let special = match name {
            COORDS => Some(FieldKind::Coords),
            TIMESTAMPS => Some(FieldKind::Timestamps),
            DELETE_TIMESTAMPS => Some(FieldKind::DeleteTimestamps),
            DELETE_CONDITION_INDEX => Some(FieldKind::DeleteConditionIndex),
            _ => None,
        };
        let attribute = || Some(FieldKind::Attribute(self.attribute_index(name)?));
        let dimension = || Some(FieldKind::Dimension(self.dimension_index(name)?));
        self.field_of(special.or_else(attribute).or_else(dimension)?)
    }

    /// The index of the attribute with this name.
    #[must_use]
    pub fn attribute_index(&self, name: &str) -> Option<usize> {
        self.attributes.iter().position(|a| a.name == name)
    }

    /// Whether the schema has an attribute of another schema of the array: of the same name, with cells of the same type.
    #[must_use]
    pub fn has_same_attribute(&self, attribute: &Attribute) -> bool {
        self.attributes.iter().any(|own| {
            own.name == attribute.name
                && own.datatype == attribute.datatype
                && own.cell_val_num == attribute.cell_val_num
        })
    }

    /// The index of the dimension with this name.
    #[must_use]
    pub fn dimension_index(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|d| d.name == name)
    }

    /// The field of this kind, if the schema has it.
    #[must_use]
    pub fn field_of(&self, kind: FieldKind) -> Option<Field<'_>> {
        let special = |name, datatype, n| Field {
            kind,
            name,
            datatype,
            cell_val_num: CellValNum::Fixed(n),
            nullable: false,
            filters: &self.coords_filters,
        };
        Some(match kind {
            FieldKind::Attribute(index) => {
                let attribute = self.attributes.get(index)?;
                Field {
                    kind,
                    name: &attribute.name,
                    datatype: attribute.datatype,
                    cell_val_num: attribute.cell_val_num,
                    nullable: attribute.nullable,
                    filters: &attribute.filters,
                }
            }
            FieldKind::Dimension(index) => {
                let dimension = self.dimensions.get(index)?;
                Field {
                    kind,
                    name: &dimension.name,
                    datatype: dimension.datatype,
                    cell_val_num: dimension.cell_val_num,
                    nullable: false,
                    filters: self.dimension_filters(index)?,
                }
            }
            FieldKind::Coords => {
                let n = u32::try_from(self.dimensions.len()).ok()?;
                special(COORDS, self.dimensions.first()?.datatype, n)
            }
            FieldKind::Timestamps => special(TIMESTAMPS, Datatype::UInt64, 1),
            FieldKind::DeleteTimestamps => special(DELETE_TIMESTAMPS, Datatype::UInt64, 1),
            FieldKind::DeleteConditionIndex => special(DELETE_CONDITION_INDEX, Datatype::UInt64, 1),
        })
    }

    /// The dimensions, then the attributes, as fields.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let dimensions = (0..self.dimensions.len()).map(FieldKind::Dimension);
        let attributes = (0..self.attributes.len()).map(FieldKind::Attribute);
        dimensions
            .chain(attributes)
            .filter_map(|kind| self.field_of(kind))
    }
}
