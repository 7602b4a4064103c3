use std::sync::Arc;

use tdb_array::{
    ChangeOptions, LaterObjects, Metadata, MetadataRecord, MetadataValue, OpenOptions,
    ReadModifyWrite, View, Warning,
};
use tdb_cells::Progress;
use tdb_condition::Condition;
use tdb_consolidate::{MergeOptions, Mode, VacuumOptions, plan_merge, plan_vacuum};
use tdb_query::{DeleteOptions, Deletion, delete_cells};
use tdb_schema::ArraySchema;
use tdb_tile::Datatype;

use crate::place::Place;
use crate::{Context, Error, Result, Time};

/// An open array. It stays as it was at the time for which it was opened, whatever others write meanwhile.
///
/// Fragments and deletes with a timestamp in the future (dated ahead, or written by a program whose clock is ahead)
/// are not visible. This holds for reads and for all operations that change or maintain an array: [`set`](Self::set),
/// [`restore`](Self::restore), [`delete`](Self::delete), [`consolidate`](Self::consolidate), [`vacuum`](Self::vacuum)
/// and others see what a read sees at that moment, and leave future objects as they are. [`later`](Self::later)
/// reports whether there are any: once their time has come, they take precedence over what is written now.
#[derive(Clone, Debug)]
pub struct Array {
    context: Context,
    place: Place,
    array: Arc<tdb_array::Array>,
}

/// Result of a consolidation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consolidation {
    /// Names of the new fragments.
    pub fragments: Vec<String>,
    /// Reasons why some fragments were left as they are.
    pub notes: Vec<String>,
}

impl Array {
    pub(crate) fn new(context: Context, place: Place, array: Arc<tdb_array::Array>) -> Self {
        Self {
            context,
            place,
            array,
        }
    }

    /// Wraps an array that the engine has already opened at this place.
    #[must_use]
    pub fn of_engine(context: Context, place: Place, array: Arc<tdb_array::Array>) -> Self {
        Self::new(context, place, array)
    }

    /// Returns the URI by which the array was opened.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.place.uri
    }

    /// Returns the schema as of the time for which the array was opened.
    #[must_use]
    pub fn schema(&self) -> &ArraySchema {
        self.array.schema()
    }

    /// Returns the number of fragments that are read.
    #[must_use]
    pub fn fragments(&self) -> usize {
        self.array.fragments().len()
    }

    /// Returns the number of fragments and deletes with a later timestamp than the time for which the array was
    /// opened; `None` if there are none.
    #[must_use]
    pub fn later(&self) -> Option<LaterObjects> {
        self.array.later()
    }

    /// Returns oddities of the stored data that are no reason to refuse it.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        self.array.warnings()
    }

    /// Returns the engine's array, for operations that this crate does not offer.
    #[must_use]
    pub fn engine(&self) -> &Arc<tdb_array::Array> {
        &self.array
    }

    /// Returns the same array, whose long operations report progress to `listener`: see [`Context::progress`].
    #[must_use]
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.context = self.context.progress(listener);
        self
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the context (threads, memory and key) with which the array was opened.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Deletes the cells of a sparse array that match a condition, and returns their number.
    ///
    /// # Errors
    /// Fails, without deleting anything, if the stored form of the delete would also delete cells that do not match,
    /// because they are null in a field that the condition compares.
    pub fn delete(&self, condition: &Condition) -> Result<Deletion> {
        self.delete_with(condition, &DeleteOptions::default())
    }

    /// As [`Array::delete`], with options: at a time, with null cells, or only counting.
    ///
    /// # Errors
    /// As [`Array::delete`].
    pub fn delete_with(&self, condition: &Condition, options: &DeleteOptions) -> Result<Deletion> {
        let session = self.context.shared_session();
        delete_cells(session, &self.array, condition, options).map_err(|error| self.failed(error))
    }

    /// Merges fragments that are adjacent or overlap. The merged fragments stay until [`Array::vacuum`]. Fragments
    /// with a timestamp in the future stay as they are; [`Consolidation::notes`] says so.
    ///
    /// # Errors
    /// Fails if reading or writing fails.
    pub fn consolidate(&self) -> Result<Consolidation> {
        let whole = self.whole()?.array;
        let options = MergeOptions::default();
        let plan = plan_merge(&whole, &options).map_err(|error| self.failed(error))?;
        let merged = plan.merge(self.context.shared_session(), &whole, &options);
        let merged = merged.map_err(|error| self.failed(error))?;
        let names = merged.fragments.iter();
        let mut notes = plan.notes;
        notes.extend(merged.notes);
        Ok(Consolidation {
            fragments: names.map(|name| name.as_str().to_owned()).collect(),
            notes,
        })
    }

    /// Removes the fragments, metadata and commits that a consolidation replaced more than ten minutes ago; readers
    /// that opened the array earlier may still need younger ones. Objects that a read needs now are kept, even if they
    /// were merged into an object with a timestamp in the future.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn vacuum(&self) -> Result<()> {
        self.vacuum_with(&VacuumOptions::default())
    }

    /// As [`Array::vacuum`], with another grace period.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn vacuum_with(&self, options: &VacuumOptions) -> Result<()> {
        let location = self.array.location();
        for mode in [
            Mode::Fragments,
            Mode::FragmentMetadata,
            Mode::Commits,
            Mode::Metadata,
        ] {
            let plan = plan_vacuum(location, mode, options).map_err(|error| self.failed(error))?;
            plan.vacuum(location, options)
                .map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    /// Returns the metadata: values by key.
    ///
    /// # Errors
    /// Fails if the stored metadata cannot be read.
    pub fn metadata(&self) -> Result<Metadata> {
        self.array.metadata().map_err(|error| self.failed(error))
    }

    /// Sets a metadata value.
    ///
    /// # Errors
    /// Fails if the key or the value cannot be stored.
    pub fn set_metadata(&self, key: &str, value: impl Into<MetadataEntry>) -> Result<()> {
        let record = MetadataRecord {
            key: key.to_owned(),
            value: Some(metadata_value(self.uri(), value.into())?),
        };
        let put = self
            .array
            .put_metadata(vec![record], &ChangeOptions::default());
        put.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Returns the same array as it is now, whatever the time for which this one was opened.
    pub(crate) fn newest(&self) -> Result<Self> {
        self.as_of(None)
    }

    /// Returns the same array as of `time`, in milliseconds since 1970; `None` for now.
    pub(crate) fn as_of(&self, time: Option<u64>) -> Result<Self> {
        let time = time.unwrap_or_else(|| Time::now().0);
        self.opened_again(OpenOptions::at(time))
    }

    /// Returns the same array with all that was written, including objects with a timestamp in the future.
    pub(crate) fn whole(&self) -> Result<Self> {
        self.opened_again(OpenOptions::default())
    }

    /// Returns the engine's array as it is now, whatever the time for which this one was opened.
    pub(crate) fn now(&self) -> Result<Arc<tdb_array::Array>> {
        Ok(self.newest()?.array)
    }

    fn opened_again(&self, options: OpenOptions) -> Result<Self> {
        let opened = tdb_array::Array::open_location(self.array.location(), options);
        let opened = opened.map_err(|error| self.failed(error))?;
        Ok(Self {
            array: Arc::new(opened),
            ..self.clone()
        })
    }

    /// Begins a change that depends on values read from the array.
    pub(crate) fn read_modify_write(&self, options: &ChangeOptions) -> Result<ReadModifyWrite> {
        let change = ReadModifyWrite::begin(self.array.location(), options);
        change.map_err(|error| self.failed(error))
    }

    /// Returns the same array as a read-modify-write change sees it.
    pub(crate) fn of_view(&self, view: &View) -> Self {
        Self {
            array: Arc::clone(view.array()),
            ..self.clone()
        }
    }

    pub(crate) fn failed(&self, error: impl Into<Error>) -> Error {
        self.place.failed(error)
    }
}

/// Converts a metadata entry to the form in which records store it.
pub(crate) fn metadata_value(uri: &str, entry: MetadataEntry) -> Result<MetadataValue> {
    let MetadataEntry { datatype, bytes } = entry;
    let value = MetadataValue::try_new(datatype, bytes);
    value.map_err(|error| Error::of(error).at(uri))
}

/// A metadata value in its stored form.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataEntry {
    datatype: Datatype,
    bytes: Vec<u8>,
}

impl From<&str> for MetadataEntry {
    fn from(text: &str) -> Self {
        Self {
            datatype: Datatype::StringUtf8,
            bytes: text.into(),
        }
    }
}

impl From<i64> for MetadataEntry {
    fn from(number: i64) -> Self {
        Self {
            datatype: Datatype::Int64,
            bytes: number.to_le_bytes().into(),
        }
    }
}

impl From<f64> for MetadataEntry {
    fn from(number: f64) -> Self {
        Self {
            datatype: Datatype::Float64,
            bytes: number.to_le_bytes().into(),
        }
    }
}
