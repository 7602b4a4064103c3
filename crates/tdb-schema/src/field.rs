use tdb_filters::FilterList;
use tdb_tile::Datatype;

use crate::attribute::cell_size;
use crate::{ArraySchema, Attribute, CellValNum};

/// The field of the coordinates of all dimensions, in fragments before version 5.
pub const COORDS: &str = "__coords";
/// The field of the timestamp at which each cell was written, in consolidated fragments.
pub const TIMESTAMPS: &str = "__timestamps";
/// The field of the timestamp at which each cell was deleted, in consolidated fragments.
pub const DELETE_TIMESTAMPS: &str = "__delete_timestamps";
/// The field of the condition that deleted each cell, in consolidated fragments.
pub const DELETE_CONDITION_INDEX: &str = "__delete_condition_index";

/// The kind of a [`Field`], with the index of an attribute or dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldKind {
    /// The attribute with this index.
    Attribute(usize),
    /// The dimension with this index.
    Dimension(usize),
    /// The field [`COORDS`].
    Coords,
    /// The field [`TIMESTAMPS`].
    Timestamps,
    /// The field [`DELETE_TIMESTAMPS`].
    DeleteTimestamps,
    /// The field [`DELETE_CONDITION_INDEX`].
    DeleteConditionIndex,
}

/// A column of an array: an attribute, a dimension or a field that TileDB adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field<'a> {
    /// The kind of the field.
    pub kind: FieldKind,
    /// The name.
    pub name: &'a str,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// True if cells may be null.
    pub nullable: bool,
    /// The filters of the field's tiles; offsets and validity tiles have their own.
    pub filters: &'a FilterList,
}

impl Field<'_> {
    /// True if cells vary in size.
    #[must_use]
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// The size of a cell in bytes; `None` if it varies.
    #[must_use]
    pub fn cell_size(&self) -> Option<u64> {
        cell_size(self.datatype, self.cell_val_num)
    }
}

/// Assumed bytes of a cell of varying size, for estimates.
const VAR_CELL: u64 = 32;

impl ArraySchema {
    /// Estimates the bytes of all fields of a cell in memory; at least 1.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        // A size is a number of 35 bits: memory cannot hold as many fields as it takes to overflow 64.
        let size = |field: Field<'_>| field.cell_size().unwrap_or(VAR_CELL);
        self.fields().map(size).chain([1]).sum()
    }

    /// Returns the field with this name: an attribute, a dimension, or a field that TileDB adds.
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

    /// Returns the index of the attribute with this name.
    #[must_use]
    pub fn attribute_index(&self, name: &str) -> Option<usize> {
        self.attributes.iter().position(|a| a.name == name)
    }

    /// True if the schema has an attribute of the same name with cells of the same type as
    /// `attribute`, which is from another schema of the array.
    #[must_use]
    pub fn has_same_attribute(&self, attribute: &Attribute) -> bool {
        self.attributes.iter().any(|own| {
            own.name == attribute.name
                && own.datatype == attribute.datatype
                && own.cell_val_num == attribute.cell_val_num
        })
    }

    /// Returns the index of the dimension with this name.
    #[must_use]
    pub fn dimension_index(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|d| d.name == name)
    }

    /// Returns the field of this kind; `None` if the schema does not have it.
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

    /// Iterates over the dimensions, then the attributes.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let dimensions = (0..self.dimensions.len()).map(FieldKind::Dimension);
        let attributes = (0..self.attributes.len()).map(FieldKind::Attribute);
        dimensions
            .chain(attributes)
            .filter_map(|kind| self.field_of(kind))
    }
}
