//! Arrays: opened for reading or for changing, at a time.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tdb::engine::array::{ChangeOptions, Metadata, MetadataRecord, OpenOptions, TimeWindow};
use tdb::engine::tile::Range;
use tdb::{ErrorKind, OpenArray, Settings, Time};

use crate::array_schema::{ArraySchema, tiledb_array_schema_t};
use crate::border::context::{Context, tiledb_ctx_t, with_settings};
use crate::border::handles::give_shared;
use crate::border::pointers::{bytes_mut, check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;

/// The end of the time window that stands for "now".
const NOW: u64 = u64::MAX;

/// An array, which is open or not.
#[derive(Debug)]
pub(crate) struct Array {
    uri: String,
    state: Mutex<State>,
    pub(crate) kept: LentValues,
}

#[derive(Debug)]
struct State {
    /// The engine's context: that of the context of the array, or one with settings of the array's own.
    engine: tdb::Context,
    settings: Settings,
    start: u64,
    end: u64,
    /// The end that was set when the array was opened.
    end_at_open: u64,
    opened: Option<Arc<OpenedArray>>,
}

/// An open array.
#[derive(Debug)]
pub(crate) struct OpenedArray {
    /// The engine's array, as of the end of the window.
    pub(crate) array: OpenArray,
    /// What it was opened for.
    pub(crate) query_type: tiledb_query_type_t,
    /// The window of times that are seen, or at whose end is written.
    start: u64,
    end: u64,
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
    fn lock(&self) -> MutexGuard<'_, State> {
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
    fn open(&self, query_type: tiledb_query_type_t) -> Result<()> {
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
    fn close(&self) -> Result<()> {
        let opened = self.lock().opened.take();
        opened.map_or(Ok(()), |opened| opened.flush())
    }
}

handle!(
    /// An array.
    tiledb_array_t => Array, "array"
);

/// Returns a URI as TileDB gives it back: local paths are absolute, with `file://` before them.
pub(crate) fn full_uri(uri: &str) -> String {
    if uri.contains("://") {
        return uri.to_owned();
    }
    let path = std::path::absolute(uri).unwrap_or_else(|_| uri.into());
    format!("file://{}", path.display())
}

/// Creates an array, which is not open yet.
///
/// # Safety
/// `array_uri` is null or a text; `array` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_alloc(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    call(ctx, |context| {
        check_place(array)?;
        let state = State {
            engine: context.engine()?.clone(),
            settings: context.settings().clone(),
            start: 0,
            end: NOW,
            end_at_open: NOW,
            opened: None,
        };
        let object = Array {
            uri: text(array_uri)?.to_owned(),
            state: Mutex::new(state),
            kept: LentValues::default(),
        };
        put(array, give(object))
    })
}

/// Frees an array. What was changed and not closed is lost.
///
/// # Safety
/// `array` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_free(array: *mut *mut tiledb_array_t) {
    free(array);
}

/// Creates an array in its store.
///
/// # Safety
/// `array_uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_create(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    array_schema: *const tiledb_array_schema_t,
) -> i32 {
    call(ctx, |context| {
        let (uri, given) = (text(array_uri)?, get(array_schema)?);
        let schema = given.build()?;
        let options = ChangeOptions::default().timestamp(given.own_time());
        let created = context.engine()?.create_with(uri, &schema, &options);
        created.map_err(|error| {
            if error.kind() == ErrorKind::Exists {
                let text = format!(
                    "Cannot create array; Array '{}' already exists",
                    full_uri(uri)
                );
                return Error::new("StorageManager", text);
            }
            error.into()
        })?;
        Ok(())
    })
}

/// Opens an array to read or to change it.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| get(array)?.open(query_type))
}

/// Opens an array again that was opened for reading: as it is now, unless a time was set.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_reopen(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let opened = array.opened()?;
        if opened.query_type != TILEDB_READ {
            let text = "Cannot reopen array; Array store was not opened in read mode";
            return Err(Error::new("Array", text));
        }
        array.close()?;
        let end = {
            let mut state = array.lock();
            let end = state.end;
            // Unless the program set another end, it wants to see what others wrote.
            if end == state.end_at_open {
                state.end = NOW;
            }
            end
        };
        let opened = array.open(TILEDB_READ);
        array.lock().end = end;
        opened
    })
}

/// Closes an array, and stores changes of its metadata.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_close(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| get(array)?.close())
}

/// Says whether an array is open.
///
/// # Safety
/// `is_open` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_is_open(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    is_open: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put(is_open, i32::from(get(array)?.lock().opened.is_some()))
    })
}

/// Removes an array from its store.
///
/// # Safety
/// `uri` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_delete(ctx: *mut tiledb_ctx_t, uri: *const c_char) -> i32 {
    call(ctx, |context| {
        context.engine()?.remove(text(uri)?)?;
        Ok(())
    })
}

/// Returns how an array is encrypted.
///
/// # Safety
/// `array_uri` is null or a text; `encryption_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_encryption_type(
    ctx: *mut tiledb_ctx_t,
    array_uri: *const c_char,
    encryption_type: *mut tiledb_encryption_type_t,
) -> i32 {
    call(ctx, |context| {
        check_place(encryption_type)?;
        let found = encryption(context, text(array_uri)?)?;
        put(encryption_type, found)
    })
}

/// An array without a key opens without one.
fn encryption(context: &Context, uri: &str) -> Result<tiledb_encryption_type_t> {
    let opened = context.engine()?.clone().without_key().schema(uri);
    match opened {
        Ok(_) => Ok(TILEDB_NO_ENCRYPTION),
        Err(error) if error.kind() == ErrorKind::Crypto => Ok(TILEDB_AES_256_GCM),
        Err(error) => Err(error.into()),
    }
}

/// Gives an array settings of its own. It must not be open.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |context| {
        let (array, settings) = (get(array)?, get(config)?.settings());
        let engine = with_settings(context.engine()?, &settings)?;
        let mut state = array.lock();
        if state.opened.is_some() {
            let text = "[Array::set_config] Cannot set a config on an open array";
            return Err(Error::new("Array", text));
        }
        (state.engine, state.settings) = (engine, settings);
        Ok(())
    })
}

/// Returns a copy of the settings of an array.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_config(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        check_place(config)?;
        put(config, give(Config::of(get(array)?.settings())))
    })
}

/// Returns what an array was opened for.
///
/// # Safety
/// `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_query_type(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| put(query_type, get(array)?.opened()?.query_type))
}

/// Returns the schema of an open array, which all its handles share.
///
/// # Safety
/// `array_schema` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_schema(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_schema: *mut *mut tiledb_array_schema_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array_schema)?;
        let opened = get(array)?.opened()?;
        put(array_schema, give_shared(opened.schema()))
    })
}

/// Returns the URI of an array.
///
/// # Safety
/// `array_uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_uri(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    array_uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        put(array_uri, array.kept.text(&full_uri(&array.uri))?)
    })
}

/// Sets the first time that is seen, in milliseconds since 1970.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: u64,
) -> i32 {
    call(ctx, |_| {
        get(array)?.lock().start = timestamp_start;
        Ok(())
    })
}

/// Sets the last time that is seen, or the time at which is written; 2^64 - 1 for now.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_set_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: u64,
) -> i32 {
    call(ctx, |_| {
        get(array)?.lock().end = timestamp_end;
        Ok(())
    })
}

/// Returns the first time that is seen.
///
/// # Safety
/// `timestamp_start` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_start(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_start: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let state = array.lock();
        let start = state
            .opened
            .as_ref()
            .map_or(state.start, |opened| opened.start);
        put(timestamp_start, start)
    })
}

/// Returns the last time that is seen, or the time at which is written: 0 for the time of the write.
///
/// # Safety
/// `timestamp_end` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_open_timestamp_end(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    timestamp_end: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let array = get(array)?;
        let state = array.lock();
        let end = match &state.opened {
            Some(opened) if opened.end == NOW => 0,
            Some(opened) => opened.end,
            None => state.end,
        };
        put(timestamp_end, end)
    })
}

/// The box around all written cells of an open array; `None` if there are none.
fn non_empty_domain(array: *mut tiledb_array_t) -> Result<(Arc<OpenedArray>, Option<Vec<Range>>)> {
    let opened = get(array)?.opened()?;
    let domain = opened.array.engine().non_empty_domain();
    Ok((opened, domain))
}

/// Writes the ends of a range of fixed size one after the other.
unsafe fn put_ends(domain: *mut c_void, range: &Range) -> Result<usize> {
    let (low, high) = (range.lo.len(), range.hi.len());
    let place = bytes_mut(domain, (low + high) as u64)?;
    let (first, second) = place.split_at_mut(low);
    first.copy_from_slice(&range.lo);
    second.copy_from_slice(&range.hi);
    Ok(low + high)
}

/// Returns the box around all written cells: the ends of all dimensions, which have one datatype of fixed size.
///
/// # Safety
/// `domain` is null or has room for two values per dimension; `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        check_place(domain)?;
        let (opened, found) = non_empty_domain(array)?;
        let dimensions = &opened.array.schema().dimensions;
        let first = dimensions.first().map(|dimension| dimension.datatype);
        if dimensions
            .iter()
            .any(|dimension| dimension.cell_val_num.is_var())
        {
            let text =
                "Cannot get non-empty domain; Function not applicable to variable-sized dimensions";
            return Err(Error::new("Array", text));
        }
        if dimensions
            .iter()
            .any(|dimension| Some(dimension.datatype) != first)
        {
            let text = "Cannot get non-empty domain; Function non-applicable to arrays with heterogenous dimensions";
            return Err(Error::new("Array", text));
        }
        put(is_empty, i32::from(found.is_none()))?;
        let mut place = domain;
        for range in found.iter().flatten() {
            place = place.byte_add(put_ends(place, range)?);
        }
        Ok(())
    })
}

/// DimensionChoice dimension a function is about.
enum DimensionChoice {
    Number(u32),
    Name(String),
}

/// Returns the range of a dimension in the box around all written cells.
fn range_of(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    is_var: bool,
) -> Result<Option<Range>> {
    let (opened, found) = non_empty_domain(array)?;
    let dimensions = &opened.array.schema().dimensions;
    let invalid =
        |text: String| Error::new("Array", format!("Cannot get non-empty domain; {text}"));
    let at = match which {
        DimensionChoice::Number(number) => *number as usize,
        DimensionChoice::Name(name) => dimensions
            .iter()
            .position(|dimension| dimension.name == *name)
            .ok_or_else(|| invalid(format!("Dimension name '{name}' does not exist")))?,
    };
    let dimension = dimensions
        .get(at)
        .ok_or_else(|| invalid("Invalid dimension index".to_owned()))?;
    if dimension.cell_val_num.is_var() != is_var {
        let kind = if is_var {
            "is fixed-sized"
        } else {
            "is variable-sized"
        };
        return Err(invalid(format!("Dimension '{}' {kind}", dimension.name)));
    }
    Ok(found.and_then(|ranges| ranges.into_iter().nth(at)))
}

unsafe fn put_fixed(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> Result<()> {
    check_place(domain)?;
    let range = range_of(array, which, false)?;
    put(is_empty, i32::from(range.is_none()))?;
    if let Some(range) = range {
        put_ends(domain, &range)?;
    }
    Ok(())
}

unsafe fn put_var_sizes(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    (start_size, end_size): (*mut u64, *mut u64),
    is_empty: *mut i32,
) -> Result<()> {
    let range = range_of(array, which, true)?;
    put(is_empty, i32::from(range.is_none()))?;
    let (low, high) = range.map_or((0, 0), |range| (range.lo.len(), range.hi.len()));
    put(start_size, low as u64)?;
    put(end_size, high as u64)
}

unsafe fn put_var(
    array: *mut tiledb_array_t,
    which: &DimensionChoice,
    (start, end): (*mut c_void, *mut c_void),
    is_empty: *mut i32,
) -> Result<()> {
    let range = range_of(array, which, true)?;
    put(is_empty, i32::from(range.is_none()))?;
    let Some(range) = range else { return Ok(()) };
    bytes_mut(start, range.lo.len() as u64)?.copy_from_slice(&range.lo);
    bytes_mut(end, range.hi.len() as u64)?.copy_from_slice(&range.hi);
    Ok(())
}

/// Returns the ends of a dimension of fixed size in the box around all written cells.
///
/// # Safety
/// `domain` is null or has room for two values; `is_empty` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_fixed(array, &DimensionChoice::Number(idx), domain, is_empty)
    })
}

/// As [`tiledb_array_get_non_empty_domain_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    domain: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_fixed(
            array,
            &DimensionChoice::Name(text(name)?.to_owned()),
            domain,
            is_empty,
        )
    })
}

/// Returns the sizes in bytes of the ends of a dimension of text in the box around all written cells.
///
/// # Safety
/// The last three arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_var_sizes(
            array,
            &DimensionChoice::Number(idx),
            (start_size, end_size),
            is_empty,
        )
    })
}

/// As [`tiledb_array_get_non_empty_domain_var_size_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_size_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start_size: *mut u64,
    end_size: *mut u64,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let which = DimensionChoice::Name(text(name)?.to_owned());
        put_var_sizes(array, &which, (start_size, end_size), is_empty)
    })
}

/// Returns the ends of a dimension of text in the box around all written cells.
///
/// # Safety
/// `start` and `end` are null or have room for the sizes that the function for sizes gives; `is_empty` is null or
/// points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_index(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    idx: u32,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put_var(array, &DimensionChoice::Number(idx), (start, end), is_empty)
    })
}

/// As [`tiledb_array_get_non_empty_domain_var_from_index`], by the name of the dimension.
///
/// # Safety
/// As there; `name` is null or a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_array_get_non_empty_domain_var_from_name(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    name: *const c_char,
    start: *mut c_void,
    end: *mut c_void,
    is_empty: *mut i32,
) -> i32 {
    call(ctx, |_| {
        let which = DimensionChoice::Name(text(name)?.to_owned());
        put_var(array, &which, (start, end), is_empty)
    })
}
