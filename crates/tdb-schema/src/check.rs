use std::collections::HashSet;

use tdb_tile::{FormatVersion, Limits, Range};

use crate::AttributeRecord;
use crate::attribute::cell_size;
use crate::enumeration::check_file_name;
use crate::{
    ArraySchema, ArrayType, Attribute, CellOrder, DataOrder, Dimension, DimensionLabel,
    EnumerationRef, Problem, SchemaError, SchemaRecord,
};

/// Maximum number of dimensions of a Hilbert curve.
const HILBERT_DIMENSIONS: usize = 16;

impl TryFrom<SchemaRecord> for ArraySchema {
    type Error = SchemaError;

    /// # Errors
    /// The schema breaks a rule, or exceeds the default [`Limits`].
    fn try_from(record: SchemaRecord) -> Result<Self, SchemaError> {
        Self::from_record(record, &Limits::default())
    }
}

impl ArraySchema {
    /// Converts the stored form of a schema, and checks it.
    ///
    /// # Errors
    /// Fails if the schema breaks a rule, or if its cells or tiles exceed the limits.
    pub fn from_record(record: SchemaRecord, limits: &Limits) -> Result<Self, SchemaError> {
        let SchemaRecord {
            version,
            allows_duplicates,
            array_type,
            tile_order,
            cell_order,
            capacity,
            coords_filters,
            offsets_filters,
            validity_filters,
            domain_datatype: _,
            dimensions,
            attributes,
            labels,
            enumerations,
            current_domain,
        } = record;
        let version = FormatVersion::new(version);
        for attribute in &attributes {
            check_cell_size(attribute, limits)?;
        }
        let schema = Self {
            version,
            array_type,
            tile_order,
            cell_order,
            capacity,
            allows_duplicates,
            coords_filters,
            offsets_filters,
            validity_filters,
            dimensions: dimensions
                .into_iter()
                .map(Dimension::try_from)
                .collect::<Result<_, _>>()?,
            attributes: attributes
                .into_iter()
                .map(|attribute| Attribute::from_record(attribute, version))
                .collect::<Result<_, _>>()?,
            labels: labels
                .into_iter()
                .map(DimensionLabel::try_from)
                .collect::<Result<_, _>>()?,
            enumerations: enumerations
                .into_iter()
                .map(|entry| EnumerationRef {
                    name: entry.name,
                    file: entry.file,
                })
                .collect(),
            current_domain: current_domain
                .is_set
                .then(|| current_domain.ranges.into_iter().map(Range::from).collect()),
        };
        schema.check()?;
        schema.check_capacity(limits)?;
        Ok(schema)
    }

    /// Fails if the capacity exceeds the limit of a data tile: a tile of a sparse array takes at
    /// least one byte per cell.
    pub(crate) fn check_capacity(&self, limits: &Limits) -> Result<(), SchemaError> {
        if self.is_dense() {
            return Ok(());
        }
        let most = limits.data_tile;
        let checked = Limits::check("cells of a tile", "data_tile", self.capacity, most);
        checked.map_err(|limit| SchemaError::Limit {
            field: "capacity".to_owned(),
            limit,
        })
    }

    /// Checks the rules that reading relies on.
    ///
    /// # Errors
    /// The first rule that the schema breaks.
    pub fn check(&self) -> Result<(), SchemaError> {
        let fail = |field: &str, problem| Err(SchemaError::invalid(field, problem));
        if self.dimensions.is_empty() {
            return fail("dimensions", Problem::Missing);
        }
        self.dimensions.iter().try_for_each(Dimension::check)?;
        self.attributes.iter().try_for_each(Attribute::check)?;
        match self.array_type {
            ArrayType::Dense => self.check_dense()?,
            ArrayType::Sparse if self.capacity == 0 => {
                return fail("capacity", Problem::NotPositive);
            }
            ArrayType::Sparse => {}
        }
        let found = self.dimensions.len();
        if self.cell_order == CellOrder::Hilbert && found > HILBERT_DIMENSIONS {
            let most = HILBERT_DIMENSIONS;
            return fail(
                "dimensions of a Hilbert curve",
                Problem::TooMany { found, most },
            );
        }
        self.check_names()?;
        self.check_references()?;
        self.check_current_domain()
    }

    fn check_dense(&self) -> Result<(), SchemaError> {
        if self.cell_order == CellOrder::Hilbert {
            let problem = Problem::NotAllowed("a Hilbert curve needs a sparse array");
            return Err(SchemaError::invalid("cell_order", problem));
        }
        let first = self.dimensions.first().map(|d| d.datatype);
        for dimension in &self.dimensions {
            let found = dimension.datatype;
            let why = if dimension.is_var() || found.is_real() {
                "dimensions of a dense array are integers, dates or times"
            } else if Some(found) != first {
                "dimensions of a dense array share one datatype"
            } else {
                continue;
            };
            let field = format!("datatype of dimension {:?}", dimension.name);
            return Err(SchemaError::invalid(
                field,
                Problem::Datatype { found, why },
            ));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), SchemaError> {
        let dimensions = self.dimensions.iter().map(|d| ("dimension", &d.name));
        let attributes = self.attributes.iter().map(|a| ("attribute", &a.name));
        let labels = self.labels.iter().map(|l| ("label", &l.name));
        let mut seen = HashSet::new();
        for (what, name) in dimensions.chain(attributes).chain(labels) {
            // Old arrays have fields without a name.
            if !name.is_empty() && !seen.insert(name) {
                let field = format!("{what} {name:?}");
                return Err(SchemaError::invalid(field, Problem::DuplicateName));
            }
        }
        let mut seen = HashSet::new();
        for EnumerationRef { name, file } in &self.enumerations {
            check_file_name(name, file)?;
            if !seen.insert(name) {
                let field = format!("enumeration {name:?}");
                return Err(SchemaError::invalid(field, Problem::DuplicateName));
            }
        }
        Ok(())
    }

    fn check_references(&self) -> Result<(), SchemaError> {
        for attribute in &self.attributes {
            let field = |what| format!("{what} of attribute {:?}", attribute.name);
            if let Some(name) = &attribute.enumeration
                && !self.enumerations.iter().any(|entry| entry.name == *name)
            {
                let (what, name) = ("enumeration", name.clone());
                let problem = Problem::Dangling { what, name };
                return Err(SchemaError::invalid(field("enumeration"), problem));
            }
            let is_ordered = attribute.order != DataOrder::Unordered;
            if is_ordered && (!self.is_dense() || self.dimensions.len() != 1) {
                let problem =
                    Problem::NotAllowed("only one-dimensional dense arrays hold sorted values");
                return Err(SchemaError::invalid(field("order"), problem));
            }
        }
        for label in &self.labels {
            if self.dimensions.len() <= label.dimension as usize {
                let (what, name) = ("dimension", label.dimension.to_string());
                let problem = Problem::Dangling { what, name };
                return Err(SchemaError::invalid(
                    format!("label {:?}", label.name),
                    problem,
                ));
            }
        }
        Ok(())
    }

    fn check_current_domain(&self) -> Result<(), SchemaError> {
        let Some(ranges) = &self.current_domain else {
            return Ok(());
        };
        let (wanted, found) = (self.dimensions.len() as u64, ranges.len() as u64);
        if wanted != found {
            return Err(SchemaError::invalid(
                "ranges of the current domain",
                Problem::Length { wanted, found },
            ));
        }
        for (range, dimension) in ranges.iter().zip(&self.dimensions) {
            let problem = match &dimension.domain {
                _ if !range.is_ordered(dimension.datatype) => Problem::Reversed,
                Some(domain) if !domain.covers(dimension.datatype, range) => Problem::OutsideDomain,
                _ => continue,
            };
            let field = format!("current domain of dimension {:?}", dimension.name);
            return Err(SchemaError::invalid(field, problem));
        }
        Ok(())
    }
}

fn check_cell_size(attribute: &AttributeRecord, limits: &Limits) -> Result<(), SchemaError> {
    let name = &attribute.name;
    let Some(cell) = cell_size(attribute.datatype, attribute.cell_val_num.into()) else {
        return Ok(());
    };
    Limits::check("bytes of a cell", "data_tile", cell, limits.data_tile).map_err(|limit| {
        SchemaError::Limit {
            field: format!("cell_val_num of attribute {name:?}"),
            limit,
        }
    })
}
