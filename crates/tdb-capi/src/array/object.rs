//! The object that a handle of an array stands for.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tdb::engine::array::{ChangeOptions, Metadata, MetadataRecord, OpenOptions, TimeWindow};
use tdb::{ErrorKind, OpenArray, Settings, Time};

use crate::array_schema::ArraySchema;
use crate::border::{Error, LentValues, Result};
use crate::constants::*;

/// The end of the time window that stands for "now".
pub(super) const NOW: u64 = u64::MAX;

/// An array, which is open or not.
#[derive(Debug)]
pub(crate) struct Array {
    pub(super) uri: String,
    pub(super) state: Mutex<State>,
    pub(crate) lent: LentValues,
}

#[derive(Debug)]
pub(super) struct State {
    /// The engine's context: that of the context of the array, or one with settings of the array's own.
    pub(super) engine: tdb::Context,
    pub(super) settings: Settings,
    pub(super) start: u64,
    pub(super) end: u64,
    /// The end that was set when the array was opened.
    pub(super) end_at_open: u64,
    pub(super) opened: Option<Arc<OpenedArray>>,
}

/// An open array.
#[derive(Debug)]
pub(crate) struct OpenedArray {
    /// The engine's array, as of the end of the window.
    pub(crate) array: OpenArray,
    /// What it was opened for.
    pub(crate) query_type: tiledb_query_type_t,
    /// The window of times that are seen, or at whose end is written.
    pub(super) start: u64,
    pub(super) end: u64,
    /// The schema that handles share.
    schema: OnceLock<Arc<ArraySchema>>,
    metadata: OnceLock<Metadata>,
    /// Changes of metadata, stored when the array is closed.
    changes: Mutex<Vec<MetadataRecord>>,
}

impl OpenedArray {
    /// Returns the time at which a change is written; `None` for the time of the change.
    pub(crate) fn change_time(&self) -> Option<u64> {
        (self.end != NOW).then_some(self.end)
    }

    /// Fails unless the array was opened for this.
    pub(crate) fn check_type(&self, query_type: tiledb_query_type_t, what: &str) -> Result<()> {
        if self.query_type == query_type {
            return Ok(());
        }
        let mode = if query_type == TILEDB_READ {
            "read"
        } else {
            "write or modify_exclusive"
        };
        Err(Error::new(
            "Array",
            format!("{what}; Array was not opened in {mode} mode"),
        ))
    }

    /// Returns the schema, which all handles of it share.
    pub(crate) fn schema(&self) -> Arc<ArraySchema> {
        let schema = || Arc::new(ArraySchema::of_array(&self.array));
        Arc::clone(self.schema.get_or_init(schema))
    }

    /// Returns the metadata, read when they are first asked for.
    pub(crate) fn metadata(&self) -> Result<&Metadata> {
        self.check_type(TILEDB_READ, "Cannot get metadata")?;
        if let Some(metadata) = self.metadata.get() {
            return Ok(metadata);
        }
        let metadata = self.array.metadata()?;
        Ok(self.metadata.get_or_init(|| metadata))
    }

    /// Keeps a change of metadata until the array is closed.
    pub(crate) fn change_metadata(&self, record: MetadataRecord) -> Result<()> {
        if !matches!(self.query_type, TILEDB_WRITE | TILEDB_MODIFY_EXCLUSIVE) {
            self.check_type(TILEDB_WRITE, "Cannot put metadata")?;
        }
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        changes.push(record);
        Ok(())
    }

    /// Stores the changes of metadata.
    fn flush(&self) -> Result<()> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let records = std::mem::take(&mut *changes);
        if records.is_empty() {
            return Ok(());
        }
        let options = ChangeOptions::default().timestamp(self.change_time());
        let stored = self.array.engine().put_metadata(records, &options);
        stored.map_err(|error| self.array.failed(error).into())
    }
}

impl Array {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the open array.
    ///
    /// # Errors
    /// Fails if the array is not open.
    pub(crate) fn opened(&self) -> Result<Arc<OpenedArray>> {
        let opened = self.lock().opened.clone();
        opened.ok_or_else(|| Error::new("Array", "Array is not open"))
    }

    /// Returns the settings of the array.
    pub(crate) fn settings(&self) -> Settings {
        self.lock().settings.clone()
    }

    /// Opens the array for the window of times that was set.
    pub(super) fn open(&self, query_type: tiledb_query_type_t) -> Result<()> {
        let mut state = self.lock();
        if state.opened.is_some() {
            return Err(Error::new("Array", "Cannot open array; Array already open"));
        }
        if query_type > TILEDB_MODIFY_EXCLUSIVE {
            return Err(Error::new(
                "Array",
                "Cannot open array; Unsupported query type",
            ));
        }
        let (start, end) = (state.start, state.end);
        state.end_at_open = end;
        // A reader sees the array as of now. The time of a write is decided when it is made.
        let end = if query_type == TILEDB_READ && end == NOW {
            Time::now().0
        } else {
            end
        };
        let array = self.open_at(
            &state.engine,
            query_type,
            TimeWindow {
                since: start,
                at: end,
            },
        )?;
        state.opened = Some(Arc::new(OpenedArray {
            array,
            query_type,
            start,
            end,
            schema: OnceLock::new(),
            metadata: OnceLock::new(),
            changes: Mutex::default(),
        }));
        Ok(())
    }

    fn open_at(
        &self,
        engine: &tdb::Context,
        query_type: tiledb_query_type_t,
        window: TimeWindow,
    ) -> Result<OpenArray> {
        // Writers use the newest schema, whatever time the program set.
        let options = if query_type == TILEDB_READ {
            OpenOptions::default().window(window)
        } else {
            OpenOptions::at(Time::now().0)
        };
        tdb::OpenContext::open_with(engine, &self.uri, options).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                return Error::new("Array", "Cannot open array; Array does not exist.");
            }
            error.into()
        })
    }

    /// Closes the array, after storing what was changed.
    pub(super) fn close(&self) -> Result<()> {
        let opened = self.lock().opened.take();
        opened.map_or(Ok(()), |opened| opened.flush())
    }
}
