use tdb_filters::{FilterList, FilterRecord, Registry, describe};
use tdb_tile::{FormatVersion, Range};

use crate::{ArraySchema, Attribute, Enumeration, EnumerationRef, FieldKind, Problem, SchemaError};

/// Schema evolution: changes that keep the cells of older fragments readable. Attributes and
/// enumerations can be added and removed; enumerations and the current domain can grow.
///
/// Each method takes one step. Its result is checked like a new schema, and has the version of
/// [`ArraySchema::upgraded`].
impl ArraySchema {
    /// Converts the schema to the version that is written now, filter options included.
    ///
    /// Before version 5, dimensions have no filters; later, an empty list means the filters of the
    /// coordinates. The dimensions of an old schema therefore get the filter `none`.
    #[must_use]
    pub fn upgraded(mut self) -> Self {
        let (from, to) = (self.version, self.version.max(FormatVersion::WRITTEN));
        if !from.dimensions_inherit_filters() && !self.coords_filters.is_empty() {
            for dimension in &mut self.dimensions {
                dimension.filters.filters = vec![FilterRecord::default()];
            }
        }
        let shared = [
            &mut self.coords_filters,
            &mut self.offsets_filters,
            &mut self.validity_filters,
        ];
        let dimensions = self.dimensions.iter_mut().map(|d| &mut d.filters);
        let attributes = self.attributes.iter_mut().map(|a| &mut a.filters);
        for list in shared.into_iter().chain(dimensions).chain(attributes) {
            upgrade_filters(list, from, to);
        }
        self.version = to;
        self
    }

    /// Adds an attribute, whose enumeration must exist.
    ///
    /// # Errors
    /// Fails if the name is in use, or if [`ArraySchema::check_new`] refuses the attribute.
    pub fn with_attribute(mut self, attribute: Attribute) -> Result<Self, SchemaError> {
        self.attributes.push(attribute);
        let schema = self.evolved()?;
        let added = schema.attributes.len().checked_sub(1);
        let field = added.and_then(|index| schema.field_of(FieldKind::Attribute(index)));
        field.map_or(Ok(()), |field| schema.check_field_filters(&field))?;
        Ok(schema)
    }

    /// Removes an attribute; its cells remain stored.
    ///
    /// # Errors
    /// Fails if no attribute has the name, or if it is the last attribute of a dense array.
    pub fn without_attribute(mut self, name: &str) -> Result<Self, SchemaError> {
        let index = self
            .attribute_index(name)
            .ok_or_else(|| absent("attribute", name))?;
        self.attributes.remove(index);
        self.evolved()
    }

    /// Adds an enumeration.
    ///
    /// # Errors
    /// Fails if the name is in use.
    pub fn with_enumeration(mut self, enumeration: &Enumeration) -> Result<Self, SchemaError> {
        self.enumerations.push(EnumerationRef {
            name: enumeration.name().to_owned(),
            file: enumeration.file().to_owned(),
        });
        self.check_indices(enumeration)?;
        self.evolved()
    }

    /// Replaces an enumeration by one that extends it.
    ///
    /// # Errors
    /// Fails if `old` does not exist, if `new` does not extend it, or if attributes cannot count
    /// the values.
    pub fn with_extended_enumeration(
        mut self,
        old: &Enumeration,
        new: &Enumeration,
    ) -> Result<Self, SchemaError> {
        let name = old.name();
        if !new.extends(old) {
            let problem = Problem::NotAllowed("the values it has must stay, in their order");
            return Err(SchemaError::invalid(
                format!("enumeration {name:?}"),
                problem,
            ));
        }
        let entry = self
            .enumerations
            .iter_mut()
            .find(|entry| entry.name == name)
            .ok_or_else(|| absent("enumeration", name))?;
        entry.file = new.file().to_owned();
        self.check_indices(new)?;
        self.evolved()
    }

    /// Removes an enumeration that no attribute uses.
    ///
    /// # Errors
    /// Fails if the enumeration does not exist or is in use.
    pub fn without_enumeration(mut self, name: &str) -> Result<Self, SchemaError> {
        let before = self.enumerations.len();
        self.enumerations.retain(|entry| entry.name != name);
        if self.enumerations.len() == before {
            return Err(absent("enumeration", name));
        }
        let mut users = self.attributes.iter();
        if let Some(user) = users.find(|a| a.enumeration.as_deref() == Some(name)) {
            let attribute = user.name.clone();
            let field = format!("enumeration {name:?}");
            return Err(SchemaError::invalid(field, Problem::InUse { attribute }));
        }
        self.evolved()
    }

    /// Sets the current domain, which must contain the present one.
    ///
    /// # Errors
    /// Fails if ranges are outside the domain, or exclude cells that were allowed.
    pub fn with_current_domain(mut self, ranges: Vec<Range>) -> Result<Self, SchemaError> {
        let old = self.current_domain.replace(ranges);
        let schema = self.evolved()?;
        let new = schema.current_domain.iter().flatten();
        let pairs = old.iter().flatten().zip(new).zip(&schema.dimensions);
        for ((old, new), dimension) in pairs {
            if !new.covers(dimension.datatype, old) {
                let field = format!("current domain of dimension {:?}", dimension.name);
                let problem = Problem::NotAllowed("can only grow");
                return Err(SchemaError::invalid(field, problem));
            }
        }
        Ok(schema)
    }

    /// Checks the rules that a step of evolution can break; other oddities of an old array may
    /// stay.
    fn evolved(self) -> Result<Self, SchemaError> {
        let schema = self.upgraded();
        schema.check()?;
        if schema.is_dense() && schema.attributes.is_empty() {
            return Err(SchemaError::invalid("attributes", Problem::Missing));
        }
        schema.check_new_attributes()?;
        Ok(schema)
    }
}

fn absent(what: &str, name: &str) -> SchemaError {
    SchemaError::invalid(format!("{what} {name:?}"), Problem::Absent)
}

/// Converts filter options to the length that they have in the newer version, since TileDB reads as
/// many bytes as the version implies. Unknown filters stay unchanged.
fn upgrade_filters(list: &mut FilterList, from: FormatVersion, to: FormatVersion) {
    let registry = Registry::builtin();
    for record in &mut list.filters {
        let upgraded =
            describe(record, from, registry).and_then(|filter| filter.record(to, registry));
        if let Ok(upgraded) = upgraded {
            *record = upgraded;
        }
    }
}
