use std::ops::Deref;

use tdb_array::{LabelParts, NameSource, SystemNames};
use tdb_schema::value::holds_bytes;
use tdb_schema::{
    ArraySchema, ArrayType, CellOrder, CellValNum, Enumeration, EnumerationRef, Order as TileOrder,
};
use tdb_tile::Datatype;

use crate::filter::filter_list;
use crate::interval::Axis;
use crate::{Error, Filter, Interval, Order, Result, Value};

/// A checked schema for a new array, with the labels of its enumerations.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    schema: ArraySchema,
    enumerations: Vec<Enumeration>,
    labels: Vec<LabelParts>,
}

impl Schema {
    /// Begins the schema of a sparse array, which stores only the cells that were written.
    ///
    /// ```
    /// use tdb_open::{Attribute, Datatype, Dimension, Filter, Schema};
    ///
    /// let schema = Schema::sparse()
    ///     .dimension(Dimension::new("day", Datatype::DateTimeDay).domain("2000-01-01"..="2099-12-31").tile(30))
    ///     .attribute(Attribute::new("temp", Datatype::Float32).nullable().filter(Filter::zstd(5)))
    ///     .attribute(Attribute::new("sky", Datatype::UInt8).enumeration("skies"))
    ///     .enumeration("skies", ["clear", "rain", "snow"])
    ///     .build()?;
    /// assert_eq!(schema.attributes.len(), 2);
    /// # Ok::<(), tdb_open::Error>(())
    /// ```
    pub fn sparse() -> SchemaBuilder {
        SchemaBuilder::new(ArrayType::Sparse)
    }

    /// Begins the schema of a dense array, which has a cell for each combination of coordinates.
    pub fn dense() -> SchemaBuilder {
        SchemaBuilder::new(ArrayType::Dense)
    }

    /// Creates a schema from parts built without [`SchemaBuilder`].
    ///
    /// # Errors
    /// Fails if the schema breaks a rule for new arrays.
    pub fn new(schema: ArraySchema, enumerations: Vec<Enumeration>) -> Result<Self> {
        schema
            .check_new()
            .map_err(|error| Error::invalid(error.to_string()))?;
        Ok(Self {
            schema,
            enumerations,
            labels: Vec::new(),
        })
    }

    /// Wraps the schema of an existing array, without checking it.
    pub fn of(schema: ArraySchema, enumerations: Vec<Enumeration>) -> Self {
        Self {
            schema,
            enumerations,
            labels: Vec::new(),
        }
    }

    /// Sets parts of the arrays of new labels, which have defaults else.
    pub fn with_label_parts(mut self, labels: Vec<LabelParts>) -> Self {
        self.labels = labels;
        self
    }

    /// Returns the parts of the arrays of new labels that were set.
    #[must_use]
    pub fn label_parts(&self) -> &[LabelParts] {
        &self.labels
    }

    /// Allows cells with equal coordinates; for sparse arrays.
    pub fn with_duplicates(mut self) -> Self {
        self.schema.allows_duplicates = true;
        self
    }

    /// Returns the enumerations, with their labels.
    #[must_use]
    pub fn enumerations(&self) -> &[Enumeration] {
        &self.enumerations
    }
}

impl Deref for Schema {
    type Target = ArraySchema;

    fn deref(&self) -> &ArraySchema {
        &self.schema
    }
}

/// A schema being built.
#[derive(Clone, Debug)]
#[must_use = "a schema is made by `build`"]
pub struct SchemaBuilder {
    array_type: ArrayType,
    dimensions: Vec<Dimension>,
    attributes: Vec<Attribute>,
    enumerations: Vec<(String, Vec<String>)>,
    cell_order: CellOrder,
    tile_order: TileOrder,
    capacity: Option<u64>,
    allows_duplicates: bool,
}

impl SchemaBuilder {
    fn new(array_type: ArrayType) -> Self {
        Self {
            array_type,
            dimensions: Vec::new(),
            attributes: Vec::new(),
            enumerations: Vec::new(),
            cell_order: CellOrder::RowMajor,
            tile_order: TileOrder::RowMajor,
            capacity: None,
            allows_duplicates: false,
        }
    }

    /// Adds a dimension; at least one is required.
    pub fn dimension(mut self, dimension: Dimension) -> Self {
        self.dimensions.push(dimension);
        self
    }

    /// Adds an attribute; at least one is required.
    pub fn attribute(mut self, attribute: Attribute) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Adds an enumeration: the labels that attributes referring to it can have.
    pub fn enumeration<V: Into<String>>(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.enumerations.push((name.to_owned(), values));
        self
    }

    /// Sets the order of cells within a tile: [`Order::Row`] (the default) or [`Order::Col`].
    pub fn cell_order(mut self, order: Order) -> Self {
        self.cell_order = if order == Order::Col {
            CellOrder::ColumnMajor
        } else {
            CellOrder::RowMajor
        };
        self
    }

    /// Sets the order of tiles: [`Order::Row`] (the default) or [`Order::Col`].
    pub fn tile_order(mut self, order: Order) -> Self {
        self.tile_order = if order == Order::Col {
            TileOrder::ColumnMajor
        } else {
            TileOrder::RowMajor
        };
        self
    }

    /// Sparse arrays: orders cells along a Hilbert curve, so that cells close to each other are stored close to each
    /// other.
    pub fn hilbert(mut self) -> Self {
        self.cell_order = CellOrder::Hilbert;
        self
    }

    /// Sparse arrays: sets the number of cells per tile; 10,000 by default.
    pub fn capacity(mut self, cells: u64) -> Self {
        self.capacity = Some(cells);
        self
    }

    /// Sparse arrays: allows cells with equal coordinates.
    pub fn duplicates(mut self) -> Self {
        self.allows_duplicates = true;
        self
    }

    /// Checks and returns the schema.
    ///
    /// # Errors
    /// Fails with the first rule that the schema breaks, and the field concerned.
    pub fn build(self) -> Result<Schema> {
        let dimensions = self
            .dimensions
            .iter()
            .map(Dimension::build)
            .collect::<Result<Vec<_>>>()?;
        let attributes = self
            .attributes
            .iter()
            .map(Attribute::build)
            .collect::<Result<Vec<_>>>()?;
        let mut schema = ArraySchema::new(self.array_type, dimensions, attributes);
        schema.cell_order = self.cell_order;
        schema.tile_order = self.tile_order;
        schema.allows_duplicates = self.allows_duplicates;
        if let Some(capacity) = self.capacity {
            schema.capacity = capacity;
        }
        let mut enumerations = Vec::new();
        for (name, values) in self.enumerations {
            let file = SystemNames.enumeration()?;
            let (datatype, values_of) = (Datatype::StringUtf8, CellValNum::Var);
            let made = Enumeration::from_values(&name, &file, datatype, values_of, false, &values);
            enumerations.push(made.map_err(|error| Error::invalid(error.to_string()))?);
            schema.enumerations.push(EnumerationRef { name, file });
        }
        Schema::new(schema, enumerations)
    }
}

/// A dimension being built.
#[derive(Clone, Debug)]
pub struct Dimension {
    name: String,
    datatype: Datatype,
    domain: Option<Interval>,
    tile: Option<Value>,
    filters: Vec<Filter>,
}

impl Dimension {
    /// Creates a dimension. Numbers, dates and times need a [`domain`](Self::domain); strings
    /// ([`Datatype::StringAscii`]) have none.
    #[must_use]
    pub fn new(name: &str, datatype: Datatype) -> Self {
        Self {
            name: name.to_owned(),
            datatype,
            domain: None,
            tile: None,
            filters: Vec::new(),
        }
    }

    /// Sets the range of valid coordinates: `0..=99`, `"2000-01-01"..="2099-12-31"`.
    #[must_use]
    pub fn domain(mut self, domain: impl Into<Interval>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// Sets the tile extent along this dimension, in coordinates.
    #[must_use]
    pub fn tile(mut self, extent: impl Into<Value>) -> Self {
        self.tile = Some(extent.into());
        self
    }

    /// Adds a filter to the end of the pipeline; filters run in this order when writing.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    fn build(&self) -> Result<tdb_schema::Dimension> {
        let mut dimension = tdb_schema::Dimension::strings(&self.name);
        dimension.datatype = self.datatype;
        dimension.filters = filter_list(&self.filters, &self.name)?;
        let is_string = self.datatype == Datatype::StringAscii;
        if !is_string {
            dimension.cell_val_num = CellValNum::Fixed(1);
        }
        if let Some(domain) = &self.domain {
            let axis = Axis {
                name: &self.name,
                datatype: self.datatype,
                cell_val_num: dimension.cell_val_num,
                bounds: None,
            };
            dimension.domain = Some(axis.range(domain, false)?);
        }
        let what = format!("tile of dimension {:?}", self.name);
        let extent = self
            .tile
            .as_ref()
            .map(|extent| extent.stored(self.datatype, false, &what));
        dimension.extent = extent.transpose()?.map(Into::into);
        Ok(dimension)
    }
}

/// An attribute being built.
#[derive(Clone, Debug)]
pub struct Attribute {
    name: String,
    datatype: Datatype,
    values: CellValNum,
    nullable: bool,
    fill: Option<Value>,
    enumeration: Option<String>,
    filters: Vec<Filter>,
}

impl Attribute {
    /// Creates an attribute with one value per cell; strings and blobs vary in size.
    #[must_use]
    pub fn new(name: &str, datatype: Datatype) -> Self {
        let varies = holds_bytes(datatype) && datatype != Datatype::Char;
        Self {
            name: name.to_owned(),
            datatype,
            values: if varies {
                CellValNum::Var
            } else {
                CellValNum::Fixed(1)
            },
            nullable: false,
            fill: None,
            enumeration: None,
            filters: Vec::new(),
        }
    }

    /// Sets a fixed number of values per cell.
    #[must_use]
    pub fn values(mut self, values: u32) -> Self {
        self.values = CellValNum::Fixed(values);
        self
    }

    /// Allows any number of values per cell.
    #[must_use]
    pub fn var(mut self) -> Self {
        self.values = CellValNum::Var;
        self
    }

    /// Allows null cells.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Sets the value of cells of a dense array that were never written.
    #[must_use]
    pub fn fill(mut self, value: impl Into<Value>) -> Self {
        self.fill = Some(value.into());
        self
    }

    /// Makes the values indexes into this enumeration; the datatype must be an integer type.
    #[must_use]
    pub fn enumeration(mut self, name: &str) -> Self {
        self.enumeration = Some(name.to_owned());
        self
    }

    /// Adds a filter to the end of the pipeline; filters run in this order when writing.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Converts to the form in which schemas store attributes.
    ///
    /// # Errors
    /// Fails if the filters or the fill value do not fit the datatype.
    pub fn build(&self) -> Result<tdb_schema::Attribute> {
        let mut attribute =
            tdb_schema::Attribute::new(&self.name, self.datatype).with_cell_val_num(self.values);
        attribute.nullable = self.nullable;
        attribute.enumeration.clone_from(&self.enumeration);
        attribute.filters = filter_list(&self.filters, &self.name)?;
        if let Some(fill) = &self.fill {
            let what = format!("fill value of attribute {:?}", self.name);
            let value = fill.stored(self.datatype, false, &what)?;
            let values = match self.values {
                CellValNum::Fixed(n) if !holds_bytes(self.datatype) => n,
                _ => 1,
            };
            attribute.fill = value.repeat(values as usize).into();
        }
        Ok(attribute)
    }
}
