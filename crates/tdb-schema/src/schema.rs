use bytes::Bytes;
use tdb_filters::{FilterList, filters};
use tdb_tile::{Datatype, FormatVersion, Limits, Range, Record};

use crate::{
    ArrayType, Attribute, CellOrder, Dimension, DimensionLabel, DimensionRecord,
    EnumerationEntryRecord, LabelRecord, Order, RangeRecord, SchemaError, SchemaRecord,
};
use crate::{CurrentDomainRecord, CurrentDomainType};

/// What an array is: its dimensions, attributes and the orders of its cells.
///
/// A schema that was decoded obeys the rules that reading relies on; one that was put
/// together by hand is checked by [`ArraySchema::check`], and by
/// [`ArraySchema::check_new`] before an array is made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArraySchema {
    /// The format version that it is stored in.
    pub version: FormatVersion,
    /// Dense or sparse.
    pub array_type: ArrayType,
    /// The order of space tiles.
    pub tile_order: Order,
    /// The order of cells.
    pub cell_order: CellOrder,
    /// Cells of a tile of a sparse array.
    pub capacity: u64,
    /// Whether cells may share their coordinates.
    pub allows_duplicates: bool,
    /// Filters of coordinates.
    pub coords_filters: FilterList,
    /// Filters of offsets tiles.
    pub offsets_filters: FilterList,
    /// Filters of validity tiles.
    pub validity_filters: FilterList,
    /// The axes.
    pub dimensions: Vec<Dimension>,
    /// The columns of values.
    pub attributes: Vec<Attribute>,
    /// Other names for positions along a dimension.
    pub labels: Vec<DimensionLabel>,
    /// The enumerations that attributes refer to.
    pub enumerations: Vec<EnumerationRef>,
    /// The part of the domain in use, one range for each dimension.
    pub current_domain: Option<Vec<Range>>,
}

/// Where an enumeration is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationRef {
    /// Its name, as attributes refer to it.
    pub name: String,
    /// The file in `__schema/__enumerations` that holds it.
    pub file: String,
}

/// What is odd about a stored schema, and no reason to refuse it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaWarning {
    /// Bytes follow the schema: perhaps of a newer version. They are not read.
    #[error("{left} bytes follow the array schema")]
    TrailingBytes {
        /// How many.
        left: u64,
    },
    /// A field has no name.
    #[error("dimension {index} has no name")]
    AnonymousDimension {
        /// Which dimension.
        index: usize,
    },
}

/// Cells of a sparse tile, where nothing else is said.
pub(crate) const DEFAULT_CAPACITY: u64 = 10_000;

impl ArraySchema {
    /// A schema with the defaults of TileDB: row-major, no duplicates, 10,000 cells to a
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

    /// Decodes a schema file, once its generic tile is opened.
    ///
    /// # Errors
    /// Bytes that break the format, a newer version, and a schema that makes no sense.
    pub fn decode(payload: &Bytes, limits: &Limits) -> Result<Self, SchemaError> {
        Self::decode_with_warnings(payload, limits).map(|(schema, _)| schema)
    }

    /// As [`ArraySchema::decode`]; also says what is odd about the schema.
    ///
    /// # Errors
    /// As there.
    pub fn decode_with_warnings(
        payload: &Bytes,
        limits: &Limits,
    ) -> Result<(Self, Vec<SchemaWarning>), SchemaError> {
        let (record, end) =
            SchemaRecord::decode_prefix(payload, FormatVersion::default(), &(), limits)?;
        let schema = Self::from_record(record, limits)?;
        let left = payload.len().saturating_sub(end) as u64;
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

    /// The content of a schema file, in the version of the schema.
    ///
    /// # Errors
    /// Where the version has no place for something that is set.
    pub fn encode(&self) -> Result<Vec<u8>, SchemaError> {
        Ok(SchemaRecord::from(self).encode(self.version, &())?)
    }

    /// The bytes of a schema, field by field, as text; and the schema or what is wrong with it.
    pub fn describe(payload: &Bytes, limits: &Limits) -> (String, Result<Self, SchemaError>) {
        let (text, record) = SchemaRecord::describe(payload, FormatVersion::default(), &(), limits);
        let schema = record
            .map_err(SchemaError::from)
            .and_then(|record| Self::from_record(record, limits));
        (text, schema)
    }

    /// The filters that the tiles of a dimension go through: its own, or, where it has
    /// none, those of the coordinates (from format version 5).
    #[must_use]
    pub fn dimension_filters(&self, index: usize) -> Option<&FilterList> {
        let own = &self.dimensions.get(index)?.filters;
        let inherits = own.is_empty() && self.version.dimensions_inherit_filters();
        Some(if inherits { &self.coords_filters } else { own })
    }

    /// Whether cells are addressed by position.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.array_type == ArrayType::Dense
    }

    /// The part of the domain that may hold cells: the current domain where there is one.
    ///
    /// `None` stands for any string.
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
            // Later versions do not store it, and read the code 0.
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
