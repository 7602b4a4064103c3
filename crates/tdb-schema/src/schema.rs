use bytes::Bytes;
use tdb_filters::{FilterList, filters};
use tdb_tile::{Datatype, Exact, FormatVersion, Limits, Range, Record, WireError};

use crate::{
    ArrayType, Attribute, CellOrder, Dimension, DimensionLabel, DimensionRecord,
    EnumerationEntryRecord, LabelRecord, Order, RangeRecord, SchemaError, SchemaRecord,
};
use crate::{CurrentDomainRecord, CurrentDomainType};

/// The schema of an array: its dimensions, attributes and the orders of its cells.
///
/// A decoded schema obeys the rules that reading relies on. For a schema built in memory,
/// [`ArraySchema::check`] checks these rules, and [`ArraySchema::check_new`] those for creating an
/// array.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySchema {
    /// The format version in which the schema is stored.
    pub version: FormatVersion,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// The order of space tiles.
    pub tile_order: Order,
    /// The order of cells within a tile, or along a Hilbert curve.
    pub cell_order: CellOrder,
    /// Maximum number of cells in a tile of a sparse array.
    pub capacity: u64,
    /// True if several cells may have the same coordinates.
    pub allows_duplicates: bool,
    /// The filters of coordinates.
    pub coords_filters: FilterList,
    /// The filters of offsets tiles.
    pub offsets_filters: FilterList,
    /// The filters of validity tiles.
    pub validity_filters: FilterList,
    /// The dimensions, in order.
    pub dimensions: Vec<Dimension>,
    /// The attributes, in order.
    pub attributes: Vec<Attribute>,
    /// The dimension labels.
    pub labels: Vec<DimensionLabel>,
    /// The enumerations that attributes refer to.
    pub enumerations: Vec<EnumerationRef>,
    /// The current domain, one range per dimension: the part of the domain that may contain cells.
    pub current_domain: Option<Vec<Range>>,
}

/// A reference to an enumeration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationRef {
    /// The name that attributes refer to.
    pub name: String,
    /// The name of the file in `__schema/__enumerations` that stores the enumeration.
    pub file: String,
}

/// An oddity of a stored schema that is no reason to refuse it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaWarning {
    /// Bytes follow the schema, perhaps fields of a newer version. They are ignored.
    #[error("{left} bytes follow the array schema")]
    TrailingBytes {
        /// The number of bytes.
        left: u64,
    },
    /// A dimension has no name.
    #[error("dimension {index} has no name")]
    AnonymousDimension {
        /// The index of the dimension.
        index: usize,
    },
}

/// Default number of cells in a tile of a sparse array.
pub(crate) const DEFAULT_CAPACITY: u64 = 10_000;

impl ArraySchema {
    /// Creates a schema with the defaults of TileDB: row-major, no duplicates, 10,000 cells per
    /// sparse tile; coordinates and offsets compressed with zstd, validity run-length encoded.
    #[must_use]
    pub fn new(
        array_type: ArrayType,
        dimensions: Vec<Dimension>,
        attributes: Vec<Attribute>,
    ) -> Self {
        let only = |filter| FilterList::new(vec![filter]);
        Self {
            version: FormatVersion::WRITTEN,
            array_type,
            tile_order: Order::RowMajor,
            cell_order: CellOrder::RowMajor,
            capacity: DEFAULT_CAPACITY,
            allows_duplicates: false,
            coords_filters: only(filters::default_zstd()),
            offsets_filters: only(filters::default_zstd()),
            validity_filters: only(filters::default_rle()),
            dimensions,
            attributes,
            labels: Vec::new(),
            enumerations: Vec::new(),
            current_domain: None,
        }
    }

    /// Decodes a schema file whose generic tile was opened.
    ///
    /// # Errors
    /// Fails if the bytes break the format or have a newer version, or if the schema breaks a rule.
    pub fn decode(payload: &Bytes, limits: &Limits) -> Result<Self, SchemaError> {
        Self::decode_with_warnings(payload, limits).map(|(schema, _)| schema)
    }

    /// Like [`ArraySchema::decode`]; also returns the oddities of the schema.
    ///
    /// # Errors
    /// As for [`ArraySchema::decode`].
    pub fn decode_with_warnings(
        payload: &Bytes,
        limits: &Limits,
    ) -> Result<(Self, Vec<SchemaWarning>), SchemaError> {
        let (record, end) =
            SchemaRecord::decode_prefix(payload, FormatVersion::default(), &(), limits)?;
        let schema = Self::from_record(record, limits)?;
        let behind = payload
            .len()
            .exact_sub(end)
            .map_err(|bug| WireError::new(SchemaRecord::NAME, "end", end, bug.into()))?;
        let left = behind as u64;
        let trailing = (left > 0).then_some(SchemaWarning::TrailingBytes { left });
        let anonymous = schema
            .dimensions
            .iter()
            .enumerate()
            .filter(|(_, dimension)| dimension.name.is_empty())
            .map(|(index, _)| SchemaWarning::AnonymousDimension { index });
        let warnings = trailing.into_iter().chain(anonymous).collect();
        Ok((schema, warnings))
    }

    /// Encodes the content of a schema file, in the version of the schema.
    ///
    /// # Errors
    /// Fails if the version cannot store a field that is set.
    pub fn encode(&self) -> Result<Vec<u8>, SchemaError> {
        Ok(SchemaRecord::from(self).encode(self.version, &())?)
    }

    /// Describes the stored bytes of a schema, one line per field; also returns the schema or the
    /// error.
    pub fn describe(payload: &Bytes, limits: &Limits) -> (String, Result<Self, SchemaError>) {
        let (text, record) = SchemaRecord::describe(payload, FormatVersion::default(), &(), limits);
        let schema = record
            .map_err(SchemaError::from)
            .and_then(|record| Self::from_record(record, limits));
        (text, schema)
    }

    /// Returns the filters of a dimension's tiles: its own or, from format version 5, those of the
    /// coordinates if it has none.
    #[must_use]
    pub fn dimension_filters(&self, index: usize) -> Option<&FilterList> {
        let own = &self.dimensions.get(index)?.filters;
        let inherits = own.is_empty() && self.version.dimensions_inherit_filters();
        Some(if inherits { &self.coords_filters } else { own })
    }

    /// True if cells are addressed by position.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    /// Returns the range of a dimension that may contain cells: the current domain or, without one,
    /// the domain.
    ///
    /// `None` if there is neither: any string is allowed.
    #[must_use]
    pub fn bounds(&self, dimension: usize) -> Option<&Range> {
        match &self.current_domain {
            Some(ranges) => ranges.get(dimension),
            None => self.dimensions.get(dimension)?.domain.as_ref(),
        }
    }
}

impl From<&ArraySchema> for SchemaRecord {
    fn from(schema: &ArraySchema) -> Self {
        let datatype = schema.dimensions.first().map(|d| d.datatype);
        let current_domain = match &schema.current_domain {
            None => CurrentDomainRecord::default(),
            Some(ranges) => CurrentDomainRecord {
                version: 0,
                is_set: true,
                shape: CurrentDomainType::Rectangle,
                ranges: ranges.iter().cloned().map(RangeRecord).collect(),
            },
        };
        Self {
            version: schema.version.number(),
            allows_duplicates: schema.allows_duplicates,
            array_type: schema.array_type,
            tile_order: schema.tile_order,
            cell_order: schema.cell_order,
            capacity: schema.capacity,
            coords_filters: schema.coords_filters.clone(),
            offsets_filters: schema.offsets_filters.clone(),
            validity_filters: schema.validity_filters.clone(),
            // Later versions do not store the field; decoding leaves its default, the code 0.
            domain_datatype: datatype
                .filter(|_| schema.version.zips_coordinates())
                .unwrap_or(Datatype::Int32),
            dimensions: schema
                .dimensions
                .iter()
                .map(DimensionRecord::from)
                .collect(),
            attributes: schema
                .attributes
                .iter()
                .map(|attribute| attribute.to_record(schema.version))
                .collect(),
            labels: schema.labels.iter().map(LabelRecord::from).collect(),
            enumerations: schema
                .enumerations
                .iter()
                .map(|entry| EnumerationEntryRecord {
                    name: entry.name.clone(),
                    file: entry.file.clone(),
                })
                .collect(),
            current_domain,
        }
    }
}
