//! Source of a table: an open array, with its fields as columns.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, internal_datafusion_err};
use tdb_array::{Array, NameSource, OpenOptions, SystemNames};
use tdb_arrow::Mapping;
use tdb_cells::files::OutputOptions;
use tdb_cells::{FieldInfo, Session, stored_field};
use tdb_schema::{Enumeration, FieldKind};
use tdb_store::Distance;

use crate::boxed_error::BoxedError;
use crate::error::{ArrayFailure, external};
use crate::error_form::ErrorForm;

/// Open array with its fields as columns: dimensions first, then attributes.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) array: Arc<Array>,
    pub(crate) session: Session,
    /// Fields, in the order of the columns.
    pub(crate) fields: Vec<FieldInfo>,
    /// Enumeration of each attribute.
    pub(crate) enumerations: Vec<Option<Arc<Enumeration>>>,
    pub(crate) schema: SchemaRef,
    /// Labels of each column, as the values of its dictionary.
    pub(crate) labels: Vec<Option<ArrayRef>>,
    /// URI of the array, also its name in errors.
    pub(crate) uri: String,
    /// Conversion of errors before they pass through DataFusion.
    pub(crate) error_form: Option<ErrorForm>,
}

impl Source {
    /// Opens the source; reads the enumerations.
    pub(crate) fn new(array: Arc<Array>, session: Session, uri: &str) -> Result<Self> {
        let failed = |error: BoxedError| failed(uri, error);
        let attributes = &array.schema().attributes;
        let named = attributes.iter().filter_map(|a| a.enumeration.as_deref());
        let mut read = array
            .enumerations(named)
            .map_err(|error| failed(error.into()))?
            .into_iter();
        let enumerations = attributes
            .iter()
            .map(|attribute| {
                let named = attribute.enumeration.as_ref();
                let read = named.map(|name| {
                    let missing =
                        || internal_datafusion_err!("the enumeration {name} was not read");
                    read.next().ok_or_else(missing)
                });
                read.transpose()
            })
            .collect::<Result<Vec<Option<Arc<Enumeration>>>>>()?;
        let fields = FieldInfo::of_schema(array.schema(), |index, _| {
            enumerations.get(index).cloned().flatten()
        });
        let mapping = Mapping::for_queries(&fields, OutputOptions::default())
            .map_err(|error| failed(error.into()))?;
        Ok(Self {
            schema: Arc::clone(mapping.schema()),
            labels: mapping.labels().map(|labels| labels.cloned()).collect(),
            array,
            session,
            uri: uri.to_owned(),
            fields,
            enumerations,
            error_form: None,
        })
    }

    /// True if the store of the array is far away.
    pub(crate) fn is_far(&self) -> bool {
        matches!(self.array.store().distance(), Distance::Far { .. })
    }

    /// Opens the array as of now, without objects that have a future timestamp.
    pub(crate) fn newest(&self) -> Result<Arc<Array>> {
        let now = OpenOptions::at(SystemNames.now());
        let opened = Array::open_location(self.array.location(), now);
        Ok(Arc::new(opened.map_err(|error| self.failed(error))?))
    }

    /// Converts an error of this array.
    pub(crate) fn failed(&self, error: impl Into<BoxedError>) -> DataFusionError {
        let failed = ArrayFailure {
            uri: self.uri.clone(),
            source: error.into(),
        };
        match &self.error_form {
            Some(form) => external(form.of(failed.into())),
            None => external(failed),
        }
    }

    /// True if every fragment has a field. If a fragment lacks an attribute, its cells show the fill value but fail
    /// every test of a condition.
    pub(crate) fn is_everywhere(&self, field: FieldKind) -> bool {
        if matches!(field, FieldKind::Dimension(_)) {
            return true;
        }
        let schema = self.array.schema();
        let mut fragments = self.array.fragments().iter();
        fragments.all(|fragment| stored_field(schema, fragment.stored(), field).is_some())
    }

    /// Returns the field and the Arrow field of a column.
    pub(crate) fn column(&self, name: &str) -> Option<(&FieldInfo, &Field)> {
        let place = self.fields.iter().position(|field| field.name == name)?;
        let column: &FieldRef = self.schema.fields().get(place)?;
        Some((self.fields.get(place)?, column))
    }

    /// Returns the labels of an enumerated column, as the values of its dictionary.
    pub(crate) fn labels_of(&self, name: &str) -> Option<ArrayRef> {
        let place = self.fields.iter().position(|field| field.name == name)?;
        self.labels.get(place)?.clone()
    }

    /// Returns some fields with their schema.
    pub(crate) fn part(&self, names: &[String]) -> Result<(Vec<FieldInfo>, SchemaRef)> {
        let found = names.iter().map(|name| {
            let found = self.column(name);
            let (field, column) =
                found.ok_or_else(|| internal_datafusion_err!("no column {name}"))?;
            Ok((field.clone(), column.clone()))
        });
        let (fields, columns): (Vec<_>, Vec<_>) =
            found.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        Ok((fields, Arc::new(Schema::new(columns))))
    }

    /// Returns the names of the dimensions, or of the attributes, among these columns, in order.
    pub(crate) fn names(&self, columns: &[usize], are_dimensions: bool) -> Vec<String> {
        let fields = columns.iter().filter_map(|column| self.fields.get(*column));
        let wanted =
            fields.filter(|field| matches!(field.field, FieldKind::Dimension(_)) == are_dimensions);
        wanted.map(|field| field.name.clone()).collect()
    }
}

fn failed(uri: &str, source: BoxedError) -> DataFusionError {
    external(ArrayFailure {
        uri: uri.to_owned(),
        source,
    })
}
