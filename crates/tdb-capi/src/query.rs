//! Queries: reads, writes and deletes.

pub(crate) mod aggregates;
mod buffers;
mod labels;
mod range_lists;
mod read;
mod write;

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::engine::array::TimestampedName;
use tdb::engine::query::BufferedRead;
use tdb::engine::write::Writer;
use tdb::{Aggregate, Condition, Settings};

use self::aggregates::NamedAggregate;
use self::buffers::{Buffer, NamedBuffers};
use self::labels::BegunLabels;
use self::read::ReadRequest;
use self::write::WriteRequest;
use crate::array::{Array, OpenedArray, full_uri, tiledb_array_t};
use crate::border::context::tiledb_ctx_t;
use crate::border::handles::give_shared;
use crate::border::pointers::{check_place, put, text};
use crate::border::{Error, LentValues, Result, call, free, get, give, handle, not_offered};
use crate::config::{Config, tiledb_config_t};
use crate::constants::*;
use crate::datatypes::integer;
use crate::query_condition::tiledb_query_condition_t;
use crate::statistics::measured;
use crate::string::tiledb_string_t;
use crate::subarray::{Ranges, Subarray, tiledb_subarray_t};

/// A query over an open array.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) array: Arc<Array>,
    pub(crate) opened: Arc<OpenedArray>,
    query_type: tiledb_query_type_t,
    state: Mutex<State>,
    kept: LentValues,
}

#[derive(Debug)]
struct State {
    settings: Settings,
    layout: tiledb_layout_t,
    ranges: Ranges,
    buffers: Vec<NamedBuffers>,
    /// The buffers of labels of dimensions.
    labels: Vec<NamedBuffers>,
    /// The buffers of the results of aggregates.
    results: Vec<NamedBuffers>,
    aggregates: Vec<NamedAggregate>,
    condition: Option<Condition>,
    status: tiledb_query_status_t,
    reason: tiledb_query_status_details_reason_t,
    /// A read that was begun.
    read: Option<BufferedRead>,
    /// A write in global order that was begun.
    write: Option<Writer>,
    /// The fragments that were written.
    fragments: Vec<TimestampedName>,
    has_results: bool,
}

/// Which of a field's buffers is set.
#[derive(Clone, Copy)]
enum Role {
    Values,
    Offsets,
    Validity,
}

impl Query {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a buffer of a field.
    fn set_buffer(&self, name: &str, role: Role, buffer: Buffer) -> Result<()> {
        let failed = |why: String| Error::new("Query", format!("Cannot set buffer; {why}"));
        let schema = self.opened.array.schema();
        let is_timestamps = name == "__timestamps";
        let is_result = self.aggregate(name).is_some();
        let is_label = schema.labels.iter().any(|label| label.name == name);
        if let Some(field) = schema.field(name) {
            if matches!(role, Role::Offsets) && !field.is_var() {
                return Err(failed(format!(
                    "Input attribute/dimension '{name}' is fixed-sized"
                )));
            }
            if matches!(role, Role::Validity) && !field.nullable {
                return Err(failed(format!("Input attribute '{name}' is not nullable")));
            }
        } else if !is_timestamps && !is_result && !is_label {
            return Err(failed(format!(
                "Invalid buffer name '{name}' (it should be an attribute or dimension)."
            )));
        }
        let mut state = self.lock();
        let list = if is_result {
            &mut state.results
        } else if is_label {
            &mut state.labels
        } else {
            &mut state.buffers
        };
        let known = list.iter().position(|known| known.name == name);
        let at = known.unwrap_or_else(|| {
            list.push(NamedBuffers {
                name: name.to_owned(),
                ..NamedBuffers::default()
            });
            list.len() - 1
        });
        if let Some(known) = list.get_mut(at) {
            let place = match role {
                Role::Values => &mut known.values,
                Role::Offsets => &mut known.offsets,
                Role::Validity => &mut known.validity,
            };
            *place = Some(buffer);
        }
        Ok(())
    }

    /// Returns the aggregate whose result has this name.
    pub(crate) fn aggregate(&self, name: &str) -> Option<Aggregate> {
        let state = self.lock();
        let found = state.aggregates.iter().find(|known| known.name == name);
        found.map(|known| known.aggregate.clone())
    }

    /// Adds an aggregate.
    ///
    /// # Errors
    /// Fails if there is a field or an aggregate of its name, and once the query was begun.
    pub(crate) fn add_aggregate(&self, aggregate: NamedAggregate) -> Result<()> {
        let failed = |why: &str| {
            Err(Error::new(
                "QueryChannel",
                format!("Cannot apply aggregate; {why}"),
            ))
        };
        let name = &aggregate.name;
        if self.aggregate(name).is_some() {
            return failed(&format!(
                "An aggregate operation for output field: {name} already exists."
            ));
        }
        if self.opened.array.schema().field(name).is_some() {
            return failed(&format!("the array has a field '{name}'"));
        }
        let mut state = self.lock();
        if state.status != TILEDB_UNINITIALIZED {
            return failed("the query was submitted already");
        }
        state.aggregates.push(aggregate);
        Ok(())
    }

    fn buffer(&self, name: &str, role: Role) -> Option<Buffer> {
        let state = self.lock();
        let mut all = state
            .buffers
            .iter()
            .chain(&state.results)
            .chain(&state.labels);
        let known = all.find(|known| known.name == name)?;
        match role {
            Role::Values => known.values,
            Role::Offsets => known.offsets,
            Role::Validity => known.validity,
        }
    }

    /// Carries the query out, or goes on with it.
    ///
    /// # Safety
    /// The buffers may be read by a write, and written by a read.
    unsafe fn submit(&self) -> Result<()> {
        let mut state = self.lock();
        let done = match self.query_type {
            TILEDB_READ => measured("Context.Query.Reader", || self.read(&mut state)),
            TILEDB_WRITE | TILEDB_MODIFY_EXCLUSIVE => {
                measured("Context.Query.Writer", || self.write(&mut state))
            }
            TILEDB_DELETE => self.delete(&mut state),
            _ => Err(Error::new(
                "Query",
                "Cannot submit; updates are not offered by tdb",
            )),
        };
        if done.is_err() {
            (state.status, state.read, state.write) = (TILEDB_FAILED, None, None);
        }
        done
    }

    unsafe fn read(&self, state: &mut State) -> Result<()> {
        let array = &self.opened.array;
        let selects_labels = !state.ranges.labels.is_empty();
        if selects_labels {
            // The program asks the query for the ranges that were found.
            state.ranges = labels::resolved(array, &state.ranges)?;
        }
        if state.read.is_none() {
            labels::read(array, &state.settings, &state.ranges, &state.labels)?;
        }
        let schema = array.schema();
        let current_domain = self.opened.schema().current_domain();
        let ranges = match current_domain.ranges(&schema.dimensions)? {
            Some(bounds) => &state.ranges.within(schema, &bounds)?,
            None => &state.ranges,
        };
        let request = ReadRequest {
            array,
            settings: &state.settings,
            ranges,
            layout: state.layout,
            condition: state.condition.as_ref(),
            buffers: &state.buffers,
        };
        let has_others = selects_labels || !state.aggregates.is_empty() || !state.labels.is_empty();
        if state.buffers.is_empty() && !has_others {
            let text = "Cannot initialize reader; Buffers not set";
            return Err(Error::short("Reader", text));
        }
        let is_complete = if state.buffers.is_empty() {
            if !state.aggregates.is_empty() {
                request.check()?;
            }
            true
        } else {
            let mut read = match state.read.take() {
                Some(read) => read,
                None => request.begin()?,
            };
            let filled = read::fill(&mut read, &state.buffers, array)?;
            state.has_results = filled.rows > 0;
            if !filled.is_complete {
                state.read = Some(read);
            }
            filled.is_complete
        };
        if is_complete {
            request.aggregate(&state.aggregates, &state.results)?;
            (state.status, state.reason) = (TILEDB_COMPLETED, TILEDB_REASON_NONE);
        } else {
            (state.status, state.reason) = (TILEDB_INCOMPLETE, TILEDB_REASON_USER_BUFFER_SIZE);
        }
        Ok(())
    }

    unsafe fn write(&self, state: &mut State) -> Result<()> {
        let array = &self.opened.array;
        let request = WriteRequest {
            array,
            settings: &state.settings,
            ranges: &state.ranges,
            layout: state.layout,
            time: self.opened.change_time(),
        };
        let labels = labels::begin(&request, &state.buffers, &state.labels)?;
        if state.buffers.is_empty() && !state.labels.is_empty() {
            labels.into_iter().try_for_each(BegunLabels::finish)?;
            state.status = TILEDB_COMPLETED;
            return Ok(());
        }
        let batch = request.cells(&state.buffers)?;
        let mut writer = match state.write.take() {
            Some(writer) => writer,
            None => request.begin()?,
        };
        write::push(&mut writer, array, &batch)?;
        if state.layout == TILEDB_GLOBAL_ORDER {
            state.write = Some(writer);
        } else {
            state
                .fragments
                .extend(write::finish(writer, array, Some(&batch))?);
        }
        // Labels of cells that could not be written are not there either.
        labels.into_iter().try_for_each(BegunLabels::finish)?;
        state.status = TILEDB_COMPLETED;
        Ok(())
    }

    /// Checks that a field has the form whose sizes a function estimates.
    fn check_form(&self, name: &str, is_var: bool, is_nullable: bool) -> Result<()> {
        let form = |is_var, is_nullable| match (is_var, is_nullable) {
            (false, false) => "a fixed-sized field without nulls",
            (false, true) => "a fixed-sized nullable field",
            (true, false) => "a var-sized field without nulls",
            (true, true) => "a var-sized nullable field",
        };
        let field = self.opened.array.schema().field(name);
        match field.map(|field| (field.is_var(), field.nullable)) {
            Some(found) if found != (is_var, is_nullable) => {
                let text = format!(
                    "query estimated result size: field '{name}' is {}, not {}",
                    form(found.0, found.1),
                    form(is_var, is_nullable)
                );
                Err(Error::short("Query", text))
            }
            _ => Ok(()),
        }
    }

    fn delete(&self, state: &mut State) -> Result<()> {
        let Some(condition) = &state.condition else {
            let text = "Cannot initialize deletes; One condition is needed";
            return Err(Error::new("Query", text));
        };
        crate::query_condition::delete(&self.opened, condition)?;
        state.status = TILEDB_COMPLETED;
        Ok(())
    }

    /// Ends a write in global order.
    fn finalize(&self) -> Result<()> {
        let mut state = self.lock();
        if let Some(writer) = state.write.take() {
            let written = write::finish(writer, &self.opened.array, None)?;
            state.fragments.extend(written);
        }
        Ok(())
    }
}

handle!(
    /// A query.
    tiledb_query_t => Query, "query"
);

/// Creates a query over an open array.
///
/// # Safety
/// `query` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_alloc(
    ctx: *mut tiledb_ctx_t,
    array: *mut tiledb_array_t,
    query_type: tiledb_query_type_t,
    query: *mut *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        check_place(query)?;
        let array = get(array)?;
        let opened = array
            .opened()
            .map_err(|_| Error::new("Query", "Cannot create query; Input array is not open"))?;
        if opened.query_type != query_type {
            let text = "Cannot create query; Array query type does not match declared query type";
            return Err(Error::new("Query", text));
        }
        let schema = opened.array.schema();
        let state = State {
            settings: array.settings(),
            layout: if schema.is_dense() {
                TILEDB_ROW_MAJOR
            } else {
                TILEDB_UNORDERED
            },
            ranges: Ranges::whole(schema),
            buffers: Vec::new(),
            labels: Vec::new(),
            results: Vec::new(),
            aggregates: Vec::new(),
            condition: None,
            status: TILEDB_UNINITIALIZED,
            reason: TILEDB_REASON_NONE,
            read: None,
            write: None,
            fragments: Vec::new(),
            has_results: false,
        };
        let object = Query {
            array: Arc::clone(&array),
            opened: Arc::clone(&opened),
            query_type,
            state: Mutex::new(state),
            kept: LentValues::default(),
        };
        put(query, give(object))
    })
}

/// Frees a query. A write in global order that was not finalized is given up.
///
/// # Safety
/// `query` is null or points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_free(query: *mut *mut tiledb_query_t) {
    free(query);
}

/// Gives a query settings of its own.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        let (query, config) = (get(query)?, get(config)?);
        let mut state = query.lock();
        // What the config does not say stays as it is.
        let given = config.settings();
        let names: Vec<(String, String)> = given
            .iter("")
            .filter(|setting| given.given(setting.name).is_some())
            .map(|setting| (setting.name.to_owned(), setting.value.to_owned()))
            .collect();
        for (name, value) in names {
            state.settings.set(&name, &value)?;
        }
        Ok(())
    })
}

/// Returns a copy of the settings of a query.
///
/// # Safety
/// `config` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_config(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    config: *mut *mut tiledb_config_t,
) -> i32 {
    call(ctx, |_| {
        check_place(config)?;
        let settings = get(query)?.lock().settings.clone();
        put(config, give(Config::of(settings)))
    })
}

/// Sets the ranges of a query.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    subarray: *const tiledb_subarray_t,
) -> i32 {
    call(ctx, |_| {
        let (query, subarray) = (get(query)?, get(subarray)?);
        let mut state = query.lock();
        state.ranges = subarray.ranges();
        (state.status, state.read) = (TILEDB_UNINITIALIZED, None);
        Ok(())
    })
}

/// Returns a copy of the ranges of a query.
///
/// # Safety
/// `subarray` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_subarray_t(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    subarray: *mut *mut tiledb_subarray_t,
) -> i32 {
    call(ctx, |_| {
        check_place(subarray)?;
        let query = get(query)?;
        let ranges = query.lock().ranges.clone();
        let copy = Subarray::of(Arc::clone(&query.opened), ranges);
        put(subarray, give(copy))
    })
}

/// Sets the buffer of the values of a field.
///
/// # Safety
/// `name` is null or a text; `buffer` and `buffer_size` are null or point to memory that stays there until the query is
/// freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut c_void,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        get(query)?.set_buffer(text(name)?, Role::Values, Buffer::new(buffer, buffer_size)?)
    })
}

/// Sets the buffer of the offsets of a field of variable size.
///
/// # Safety
/// As for [`tiledb_query_set_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u64,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = Buffer::new(buffer.cast(), buffer_size)?;
        get(query)?.set_buffer(text(name)?, Role::Offsets, buffer)
    })
}

/// Sets the buffer of the validity of a nullable field: a byte per cell.
///
/// # Safety
/// As for [`tiledb_query_set_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut u8,
    buffer_size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let buffer = Buffer::new(buffer.cast(), buffer_size)?;
        get(query)?.set_buffer(text(name)?, Role::Validity, buffer)
    })
}

/// Writes the pointers of a buffer that was set; null if it was not.
unsafe fn put_buffer<T>(
    buffer: Option<Buffer>,
    pointer: *mut *mut T,
    size: *mut *mut u64,
) -> Result<()> {
    let null = (std::ptr::null_mut(), std::ptr::null_mut());
    let (found, found_size) = buffer.map_or(null, |buffer| (buffer.pointer, buffer.size));
    put(pointer, found.cast())?;
    put(size, found_size)
}

/// Returns the buffer of the values of a field.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_data_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut c_void,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Values),
            buffer,
            buffer_size,
        )
    })
}

/// Returns the buffer of the offsets of a field.
///
/// # Safety
/// As for [`tiledb_query_get_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_offsets_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u64,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Offsets),
            buffer,
            buffer_size,
        )
    })
}

/// Returns the buffer of the validity of a field.
///
/// # Safety
/// As for [`tiledb_query_get_data_buffer`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_validity_buffer(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    name: *const c_char,
    buffer: *mut *mut u8,
    buffer_size: *mut *mut u64,
) -> i32 {
    call(ctx, |_| {
        put_buffer(
            get(query)?.buffer(text(name)?, Role::Validity),
            buffer,
            buffer_size,
        )
    })
}

/// Sets the order of the cells.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    layout: tiledb_layout_t,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        if layout >= TILEDB_HILBERT {
            let text = "Cannot set layout; Hilbert order is not applicable to queries";
            return Err(Error::new("Query", text));
        }
        let is_write = query.query_type == TILEDB_WRITE;
        let dense = query.opened.array.schema().is_dense();
        if is_write && dense && layout == TILEDB_UNORDERED {
            let text = "Unordered writes are only possible for sparse arrays";
            return Err(Error::new("Query", text));
        }
        if is_write && !dense && matches!(layout, TILEDB_ROW_MAJOR | TILEDB_COL_MAJOR) {
            let text = "Row-major and column-major writes to sparse arrays are not possible";
            return Err(Error::new("Query", text));
        }
        let mut state = query.lock();
        (state.layout, state.status, state.read) = (layout, TILEDB_UNINITIALIZED, None);
        Ok(())
    })
}

/// Returns the order of the cells.
///
/// # Safety
/// `query_layout` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_layout(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_layout: *mut tiledb_layout_t,
) -> i32 {
    call(ctx, |_| put(query_layout, get(query)?.lock().layout))
}

/// Sets the condition that cells have to match.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_set_condition(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    cond: *const tiledb_query_condition_t,
) -> i32 {
    call(ctx, |_| {
        let (query, condition) = (get(query)?, get(cond)?);
        let condition = condition.resolved(query.opened.array.schema(), &query.opened)?;
        let mut state = query.lock();
        (state.condition, state.read) = (Some(condition), None);
        Ok(())
    })
}

/// Carries a query out: a write stores the cells of the buffers, a read fills them. If they are too small for all
/// cells, the query is incomplete, and the next call goes on.
///
/// # Safety
/// The buffers that were set may be used, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| get(query)?.submit())
}

/// Ends a write in global order: the cells of all calls become part of the array at once.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        if query.is_null() {
            // As in TileDB, there is nothing to end.
            return Ok(());
        }
        get(query)?.finalize()
    })
}

/// Carries out the last part of a write in global order, and ends it.
///
/// # Safety
/// As for [`tiledb_query_submit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_submit_and_finalize(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        query.submit()?;
        query.finalize()
    })
}

/// Returns the array of a query: another handle of the same array.
///
/// # Safety
/// `array` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_array(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    array: *mut *mut tiledb_array_t,
) -> i32 {
    call(ctx, |_| {
        check_place(array)?;
        put(array, give_shared(Arc::clone(&get(query)?.array)))
    })
}

/// Returns what a query does.
///
/// # Safety
/// `query_type` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_type(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    query_type: *mut tiledb_query_type_t,
) -> i32 {
    call(ctx, |_| put(query_type, get(query)?.query_type))
}

/// Returns how far a query is.
///
/// # Safety
/// `status` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status: *mut tiledb_query_status_t,
) -> i32 {
    call(ctx, |_| put(status, get(query)?.lock().status))
}

/// Returns why a query is incomplete.
///
/// # Safety
/// `status_details` is null or points to such a record.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_status_details(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    status_details: *mut tiledb_query_status_details_t,
) -> i32 {
    call(ctx, |_| {
        let incomplete_reason = get(query)?.lock().reason;
        put(
            status_details,
            tiledb_query_status_details_t { incomplete_reason },
        )
    })
}

/// Says whether the last call of a read gave cells.
///
/// # Safety
/// `has_results` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_has_results(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    has_results: *mut i32,
) -> i32 {
    call(ctx, |_| {
        put(has_results, i32::from(get(query)?.lock().has_results))
    })
}

/// Returns the number of fragments that a query wrote.
///
/// # Safety
/// `num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    num: *mut u32,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        query.check_is_write()?;
        let count = query.lock().fragments.len();
        let count = u32::try_from(count);
        put(
            num,
            count.map_err(|_| Error::new("Query", "more than 2^32 fragments"))?,
        )
    })
}

impl Query {
    fn check_is_write(&self) -> Result<()> {
        if matches!(self.query_type, TILEDB_WRITE | TILEDB_MODIFY_EXCLUSIVE) {
            return Ok(());
        }
        let text = "Cannot get fragments; Applicable only to WRITE mode";
        Err(Error::new("Query", text))
    }

    fn fragment(&self, number: u64) -> Result<TimestampedName> {
        self.check_is_write()?;
        let state = self.lock();
        let found = usize::try_from(number)
            .ok()
            .and_then(|number| state.fragments.get(number));
        found
            .cloned()
            .ok_or_else(|| Error::new("Query", "Cannot get fragment; Invalid fragment index"))
    }
}

/// Returns the URI of a fragment that a query wrote.
///
/// # Safety
/// `uri` is null or points to a pointer. The text may be read until the handle is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_uri(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    uri: *mut *const c_char,
) -> i32 {
    call(ctx, |_| {
        let query = get(query)?;
        let name = query.fragment(idx)?;
        let array = full_uri(query.opened.array.uri());
        let full = format!(
            "{}/__fragments/{}",
            array.trim_end_matches('/'),
            name.as_str()
        );
        put(uri, query.kept.text(&full)?)
    })
}

/// Returns the first and the last time of a fragment that a query wrote.
///
/// # Safety
/// `t1` and `t2` are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_fragment_timestamp_range(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    idx: u64,
    t1: *mut u64,
    t2: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let name = get(query)?.fragment(idx)?;
        put(t1, name.start())?;
        put(t2, name.end())
    })
}

/// Returns the number of fragments that a read looks at.
///
/// # Safety
/// `relevant_fragment_num` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_relevant_fragment_num(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    relevant_fragment_num: *mut u64,
) -> i32 {
    call(ctx, |_| {
        put(
            relevant_fragment_num,
            get(query)?.opened.array.fragments() as u64,
        )
    })
}

/// Returns statistics of a query, to be freed by `tiledb_stats_free_str`.
///
/// # Safety
/// `stats_json` is null or points to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_stats(
    ctx: *mut tiledb_ctx_t,
    query: *mut tiledb_query_t,
    stats_json: *mut *mut c_char,
) -> i32 {
    call(ctx, |_| {
        get(query)?;
        crate::statistics::put_text(stats_json, crate::statistics::as_json())
    })
}

/// Not offered yet.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_plan(
    ctx: *mut tiledb_ctx_t,
    _query: *mut tiledb_query_t,
    _plan: *mut *mut tiledb_string_t,
) -> i32 {
    not_offered(ctx, "tiledb_query_get_plan")
}

/// Not offered: TileDB's own updates are an experiment.
///
/// # Safety
/// Safe with any arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_add_update_value(
    ctx: *mut tiledb_ctx_t,
    _query: *mut tiledb_query_t,
    _field_name: *const c_char,
    _update_value: *const c_void,
    _update_value_size: u64,
) -> i32 {
    not_offered(ctx, "tiledb_query_add_update_value")
}

/// Sizes in bytes that a result may have.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    values: u64,
    offsets: u64,
    validity: u64,
}

impl Query {
    /// Estimates the size of the result of a field from above: as if all cells of all fragments, or all cells of the
    /// box of a dense array, were in it.
    fn estimate(&self, name: &str) -> Result<Estimate> {
        let schema = self.opened.array.schema();
        let field = schema.field(name).ok_or_else(|| {
            Error::new(
                "Query",
                format!("Cannot get estimated result size; Field '{name}' does not exist"),
            )
        })?;
        let state = self.lock();
        let fragments = self.opened.array.engine().fragments();
        let stored: u64 = fragments
            .iter()
            .map(|fragment| fragment.metadata.cell_count())
            .sum();
        let cells = if schema.is_dense() {
            box_cells(schema, &state.ranges).unwrap_or(stored)
        } else {
            stored
        };
        let too_many = || {
            Error::new(
                "Query",
                "Cannot get estimated result size; it is larger than 2^64 bytes",
            )
        };
        let times = |size: u64| cells.checked_mul(size).ok_or_else(too_many);
        let values = match field.cell_size() {
            Some(size) => times(size)?,
            // What fragments hold, which compression makes smaller.
            None => {
                let stored = fragments
                    .iter()
                    .map(|fragment| fragment.metadata.field_data_size(field.kind));
                stored.sum::<u64>().checked_mul(8).ok_or_else(too_many)?
            }
        };
        Ok(Estimate {
            values,
            offsets: if field.is_var() { times(8)? } else { 0 },
            validity: if field.nullable { cells } else { 0 },
        })
    }
}

fn box_cells(schema: &tdb::engine::schema::ArraySchema, ranges: &Ranges) -> Option<u64> {
    let mut cells = 1_u64;
    for (dimension, ranges) in schema.dimensions.iter().zip(&ranges.dimensions) {
        let whole: Vec<_> = dimension.domain.iter().cloned().collect();
        let ranges = if ranges.is_empty() { &whole } else { ranges };
        let mut side = 0_u64;
        for range in ranges {
            let lo = integer(dimension.datatype, &range.lo)?;
            let hi = integer(dimension.datatype, &range.hi)?;
            side = side.checked_add(u64::try_from(hi - lo + 1).ok()?)?;
        }
        cells = cells.checked_mul(side)?;
    }
    Some(cells)
}

/// Estimates the size of a field of fixed size from above.
///
/// # Safety
/// `name` is null or a text; `size` is null or points to a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        query.check_form(name, false, false)?;
        put(size, query.estimate(name)?.values)
    })
}

/// Estimates the sizes of a nullable field of fixed size from above.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        query.check_form(name, false, true)?;
        let estimate = query.estimate(name)?;
        put(size_val, estimate.values)?;
        put(size_validity, estimate.validity)
    })
}

/// Estimates the sizes of a field of variable size from above.
///
/// # Safety
/// `name` is null or a text; the last two arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        query.check_form(name, true, false)?;
        let estimate = query.estimate(name)?;
        put(size_off, estimate.offsets)?;
        put(size_val, estimate.values)
    })
}

/// Estimates the sizes of a nullable field of variable size from above.
///
/// # Safety
/// `name` is null or a text; the last three arguments are null or point to numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiledb_query_get_est_result_size_var_nullable(
    ctx: *mut tiledb_ctx_t,
    query: *const tiledb_query_t,
    name: *const c_char,
    size_off: *mut u64,
    size_val: *mut u64,
    size_validity: *mut u64,
) -> i32 {
    call(ctx, |_| {
        let (query, name) = (get(query)?, text(name)?);
        query.check_form(name, true, true)?;
        let estimate = query.estimate(name)?;
        put(size_off, estimate.offsets)?;
        put(size_val, estimate.values)?;
        put(size_validity, estimate.validity)
    })
}
