//! The object that schemas' handles stand for.

mod checks;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::engine::array::{Array, LabelParts, NameSource as _, StoredSchema, SystemNames};
use tdb::engine::filters::FilterList;
use tdb::engine::schema::{
    ArraySchema as Fields, ArrayType, Attribute, CellOrder, Dimension, DimensionLabel, Enumeration,
    EnumerationRef,
};
use tdb::{OpenArray, Schema};

use checks::{
    RESERVED, check, check_coords_filters, check_dimensions, check_enumerated, check_label, failed,
};
pub(crate) use checks::{no_label, unknown_enumeration};

use crate::border::Result;
use crate::dump;
use crate::shapes::CurrentDomain;

/// Where enumerations come from that were not read yet.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A schema was loaded, without the rest of its array.
    Stored(Arc<StoredSchema>),
    /// An array is open.
    Array(Arc<Array>),
}

impl Source {
    fn read(&self, name: &str) -> Result<Enumeration> {
        let read = match self {
            Self::Stored(schema) => schema.enumeration(name),
            Self::Array(array) => array.enumeration(name),
        };
        let values = read.map_err(|error| failed(error.to_string()))?;
        Ok(Enumeration::clone(&values))
    }
}

/// A schema, complete or not.
#[derive(Debug)]
pub(crate) struct ArraySchema {
    state: Mutex<State>,
    current_domain: Mutex<Arc<CurrentDomain>>,
    source: Option<Source>,
    /// The URI of the array; empty if there is none yet.
    uri: String,
    times: Option<(u64, u64)>,
    /// The program set the time.
    has_own_time: bool,
}

#[derive(Clone, Debug)]
struct State {
    /// Without the current domain, which handles share.
    fields: Fields,
    /// Those that were read or added.
    enumerations: Vec<Enumeration>,
    /// Of the arrays of labels that were added.
    label_parts: Vec<LabelParts>,
}

impl ArraySchema {
    /// Creates a schema without dimensions and attributes, of an array that begins now or at a time.
    pub(crate) fn new(array_type: ArrayType, time: Option<u64>) -> Self {
        let fields = Fields::new(array_type, Vec::new(), Vec::new());
        let begin = time.unwrap_or_else(|| SystemNames.now());
        Self {
            has_own_time: time.is_some(),
            times: Some((begin, begin)),
            ..Self::of(fields, Vec::new())
        }
    }

    /// Wraps the schema of an array, with those of its enumerations that were read.
    pub(crate) fn of(mut fields: Fields, enumerations: Vec<Enumeration>) -> Self {
        let ranges = fields.current_domain.take();
        let current_domain = CurrentDomain::of(&fields.dimensions, ranges.as_deref());
        Self {
            state: Mutex::new(State {
                fields,
                enumerations,
                label_parts: Vec::new(),
            }),
            current_domain: Mutex::new(Arc::new(current_domain)),
            source: None,
            uri: String::new(),
            times: None,
            has_own_time: false,
        }
    }

    /// Sets the URI of the array, where the other enumerations come from, and the times in the schema's name, which
    /// schemas of old versions do not have.
    pub(crate) fn stored(self, uri: &str, source: Source, times: Option<(u64, u64)>) -> Self {
        inherit_filters(&mut self.lock().fields);
        Self {
            uri: uri.to_owned(),
            source: Some(source),
            times,
            ..self
        }
    }

    /// Wraps the schema of an open array.
    pub(crate) fn of_array(array: &OpenArray) -> Self {
        let engine = array.engine();
        let entry = engine.directory().schema();
        let name = entry.and_then(|entry| entry.name.as_ref());
        let times = name.map(|name| (name.start(), name.end()));
        let fields = Fields::clone(engine.schema());
        let source = Source::Array(Arc::clone(engine));
        Self::of(fields, Vec::new()).stored(array.uri(), source, times)
    }

    /// Returns the URI of the array; empty if there is none yet.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns a copy of the schema's fields, without the current domain.
    pub(crate) fn fields(&self) -> Fields {
        self.lock().fields.clone()
    }

    /// Returns the times in the schema's name, in milliseconds since 1970, if it has one.
    pub(crate) fn times(&self) -> Option<(u64, u64)> {
        self.times
    }

    /// Returns the time that the program set for the array to be created at.
    pub(crate) fn own_time(&self) -> Option<u64> {
        let (begin, _) = self.times?;
        self.has_own_time.then_some(begin)
    }

    /// Returns the current domain, which this schema and handles share.
    pub(crate) fn current_domain(&self) -> Arc<CurrentDomain> {
        let current_domain = self.current_domain.lock();
        Arc::clone(&current_domain.unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the current domain, which this schema and handles share.
    pub(crate) fn set_current_domain(&self, current_domain: Arc<CurrentDomain>) {
        let place = self.current_domain.lock();
        *place.unwrap_or_else(PoisonError::into_inner) = current_domain;
    }

    /// Changes fields of the schema.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Fields) -> Result<T>) -> Result<T> {
        change(&mut self.lock().fields)
    }

    /// Sets the dimensions.
    pub(crate) fn set_dimensions(&self, dimensions: Vec<Dimension>) -> Result<()> {
        self.change(|fields| {
            check_dimensions(fields.array_type, &dimensions)?;
            if fields.cell_order == CellOrder::Hilbert {
                fields.dimensions = dimensions;
                return Ok(());
            }
            let whole = Fields::new(fields.array_type, dimensions, Vec::new());
            fields.dimensions = whole.with_extents().dimensions;
            Ok(())
        })
    }

    /// Sets the filters of coordinates.
    pub(crate) fn set_coords_filters(&self, filters: FilterList) -> Result<()> {
        self.change(|fields| {
            let coords_filters = std::mem::replace(&mut fields.coords_filters, filters);
            let checked = check_coords_filters(fields);
            if checked.is_err() {
                fields.coords_filters = coords_filters;
            }
            checked
        })
    }

    /// Adds an attribute, whose enumeration must be there.
    pub(crate) fn add_attribute(&self, attribute: Attribute) -> Result<()> {
        if attribute.name.starts_with(RESERVED) {
            return Err(failed(format!(
                "Cannot add attribute: names starting with '{RESERVED}' are reserved"
            )));
        }
        let mut state = self.lock();
        if let Some(name) = &attribute.enumeration {
            if !state.has(name) {
                return Err(unknown_enumeration(name));
            }
            check_enumerated(&attribute)?;
            let enumeration = state.read(name, self.source.as_ref())?;
            let counted = Fields::new(ArrayType::Sparse, Vec::new(), vec![attribute.clone()]);
            if counted.check_new_indices(&enumeration).is_err() {
                return Err(failed(format!(
                    "Unable to use enumeration '{name}' for attribute '{}' because the attribute's type is not \
                     large enough to represent all enumeration values.",
                    attribute.name
                )));
            }
        }
        state.fields.attributes.push(attribute);
        Ok(())
    }

    /// Adds an enumeration.
    pub(crate) fn add_enumeration(&self, enumeration: Enumeration) -> Result<()> {
        let mut state = self.lock();
        let name = enumeration.name();
        if state.has(name) {
            return Err(failed(format!(
                "Error adding enumeration. Enumeration with name '{name}' already exists in this ArraySchema."
            )));
        }
        state.fields.enumerations.push(EnumerationRef {
            name: name.to_owned(),
            file: enumeration.file().to_owned(),
        });
        state.enumerations.push(enumeration);
        Ok(())
    }

    /// Returns an enumeration, which is read if it was not yet.
    pub(crate) fn enumeration(&self, name: &str) -> Result<Enumeration> {
        let mut state = self.lock();
        if !state.has(name) {
            return Err(failed(format!(
                "Unable to check if unknown enumeration is loaded. No enumeration named '{name}'."
            )));
        }
        state.read(name, self.source.as_ref())
    }

    /// Reads all enumerations that were not read yet.
    pub(crate) fn read_enumerations(&self) -> Result<()> {
        self.lock().read_all(self.source.as_ref())
    }

    /// Adds a label of a dimension.
    pub(crate) fn add_label(&self, label: DimensionLabel) -> Result<()> {
        let mut state = self.lock();
        check_label(&state.fields, &label)?;
        state.label_parts.push(LabelParts {
            name: label.name.clone(),
            filters: FilterList::default(),
            extent: None,
        });
        state.fields.labels.push(label);
        Ok(())
    }

    /// Changes parts of the array of a label that was added; the dimension is the labelled one.
    pub(crate) fn change_label(
        &self,
        name: &str,
        change: impl FnOnce(&mut LabelParts, &Dimension, &DimensionLabel) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.lock();
        let State {
            fields,
            label_parts,
            ..
        } = &mut *state;
        let mut labels = fields.labels.iter();
        let label = labels
            .find(|label| label.name == name)
            .ok_or_else(|| no_label(name))?;
        let dimension = fields.dimensions.get(label.dimension as usize);
        let parts = label_parts.iter_mut().find(|parts| parts.name == name);
        let (Some(parts), Some(dimension)) = (parts, dimension) else {
            return Err(failed(format!(
                "Cannot change dimension label '{name}'; No dimension label schema is set."
            )));
        };
        change(parts, dimension, label)
    }

    /// Fails if no array can be created from the schema, whatever its current domain is.
    pub(crate) fn check(&self) -> Result<()> {
        let state = self.lock();
        check(&state.fields)?;
        let whole = state.fields.clone().with_image_shapes();
        let checked = whole.and_then(|whole| whole.check_new());
        checked.map_err(|error| failed(error.to_string()))
    }

    /// Returns the schema for creating an array.
    ///
    /// # Errors
    /// Fails if the schema breaks a rule of new arrays, or if an enumeration cannot be read.
    pub(crate) fn build(&self) -> Result<Schema> {
        self.check()?;
        let mut state = self.lock();
        state.read_all(self.source.as_ref())?;
        let whole = state.fields.clone().with_image_shapes();
        let mut fields = whole.map_err(|error| failed(error.to_string()))?;
        fields.current_domain = self.current_domain().ranges(&fields.dimensions)?;
        let schema = Schema::new(fields, state.enumerations.clone())?;
        Ok(schema.with_label_parts(state.label_parts.clone()))
    }

    /// Describes the schema.
    pub(crate) fn describe(&self) -> String {
        let state = self.lock();
        let mut out = dump::schema(&state.fields);
        for entry in &state.fields.enumerations {
            let known = state.enumerations.iter().find(|e| e.name() == entry.name);
            let text = known.map(dump::enumeration);
            out.push('\n');
            out.push_str(&text.unwrap_or_else(|| dump::unread_enumeration(&entry.name)));
        }
        for label in &state.fields.labels {
            out.push('\n');
            out.push_str(&dump::label(label));
        }
        out.push('\n');
        out.push_str(&self.current_domain().describe());
        out
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has(&self, name: &str) -> bool {
        self.fields
            .enumerations
            .iter()
            .any(|entry| entry.name == name)
    }

    fn read(&mut self, name: &str, source: Option<&Source>) -> Result<Enumeration> {
        if let Some(known) = self.enumerations.iter().find(|e| e.name() == name) {
            return Ok(known.clone());
        }
        let source = source.ok_or_else(|| failed(format!("enumeration '{name}' has no values")))?;
        let read = source.read(name)?;
        self.enumerations.push(read.clone());
        Ok(read)
    }

    fn read_all(&mut self, source: Option<&Source>) -> Result<()> {
        let names = self
            .fields
            .enumerations
            .iter()
            .map(|entry| entry.name.clone());
        for name in names.collect::<Vec<_>>() {
            self.read(&name, source)?;
        }
        Ok(())
    }
}

/// Gives dimensions without filters those of coordinates, as TileDB does when it reads a schema.
fn inherit_filters(fields: &mut Fields) {
    for dimension in &mut fields.dimensions {
        if dimension.filters.is_empty() {
            dimension.filters.clone_from(&fields.coords_filters);
        }
    }
}
