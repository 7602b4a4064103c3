use std::sync::Arc;

use tdb_array::{
    ChangeOptions, LaterObjects, Metadata, MetadataRecord, MetadataValue, OpenOptions,
    ReadModifyWrite, View, Warning,
};
use tdb_cells::Progress;
use tdb_schema::ArraySchema;
use tdb_tile::Datatype;

use crate::place::Place;
use crate::{Context, Error, Result, Time};

/// An open array, with the URI and the context by which it was opened. It stays as it was at the time for which it was
/// opened, whatever others write meanwhile.
///
/// Fragments and deletes with a timestamp in the future (dated ahead, or written by a program whose clock is ahead)
/// are not visible. Changes and upkeep by the crates above see what a read sees at that moment, and leave future
/// objects as they are. [`later`](Self::later) reports whether there are any: once their time has come, they take
/// precedence over what is written now.
#[derive(Clone, Debug)]
pub struct Array {
    context: Context,
    place: Place,
    array: Arc<tdb_array::Array>,
}

impl Array {
    /// Wraps an array that the engine has already opened at this place.
    #[must_use]
    pub fn of_engine(context: Context, place: Place, array: Arc<tdb_array::Array>) -> Self {
        Self {
            context,
            place,
            array,
        }
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

    /// Returns the place of the array.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the context (threads, memory and key) with which the array was opened.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
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
    pub fn newest(&self) -> Result<Self> {
        self.as_of(None)
    }

    /// Returns the same array as of `time`, in milliseconds since 1970; `None` for now.
    pub fn as_of(&self, time: Option<u64>) -> Result<Self> {
        let time = time.unwrap_or_else(|| Time::now().0);
        self.opened_again(OpenOptions::at(time))
    }

    /// Returns the same array with all that was written, including objects with a timestamp in the future.
    pub fn whole(&self) -> Result<Self> {
        self.opened_again(OpenOptions::default())
    }

    /// Returns the engine's array as it is now, whatever the time for which this one was opened.
    pub fn now(&self) -> Result<Arc<tdb_array::Array>> {
        Ok(self.newest()?.array)
    }

    fn opened_again(&self, options: OpenOptions) -> Result<Self> {
        let opened = tdb_array::Array::open_location(self.array.location(), options)
            .map_err(|error| self.failed(error))?;
        Ok(Self {
            array: Arc::new(opened),
            ..self.clone()
        })
    }

    /// Begins a change that depends on values read from the array.
    pub fn read_modify_write(&self, options: &ChangeOptions) -> Result<ReadModifyWrite> {
        let change = ReadModifyWrite::begin(self.array.location(), options);
        change.map_err(|error| self.failed(error))
    }

    /// Returns the same array as a read-modify-write change sees it.
    pub fn of_view(&self, view: &View) -> Self {
        Self {
            array: Arc::clone(view.array()),
            ..self.clone()
        }
    }

    /// Adds the array's URI to an error.
    pub fn failed(&self, error: impl Into<Error>) -> Error {
        self.place.failed(error)
    }
}

/// Converts a metadata entry to the form in which records store it.
pub(crate) fn metadata_value(uri: &str, entry: MetadataEntry) -> Result<MetadataValue> {
    let MetadataEntry { datatype, bytes } = entry;
    let value = MetadataValue::try_new(datatype, bytes);
    value.map_err(|error| Error::from(error).at(uri))
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
