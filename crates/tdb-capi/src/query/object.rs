//! The object that a handle of a query stands for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::engine::array::TimestampedName;
use tdb::engine::query::BufferedRead;
use tdb::engine::write::Writer;
use tdb::{Aggregate, Condition, Settings};

use super::aggregates::NamedAggregate;
use super::buffers::{Buffer, NamedBuffers};
use super::labels::BegunLabels;
use super::read::ReadRequest;
use super::write::WriteRequest;
use super::{labels, read, write};
use crate::array::{Array, OpenedArray};
use crate::border::{Error, LentValues, Result};
use crate::constants::*;
use crate::statistics::measured;
use crate::subarray::Ranges;

/// A query over an open array.
#[derive(Debug)]
pub(crate) struct Query {
    pub(crate) array: Arc<Array>,
    pub(crate) opened: Arc<OpenedArray>,
    pub(super) query_type: tiledb_query_type_t,
    pub(super) state: Mutex<State>,
    pub(super) lent: LentValues,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) settings: Settings,
    pub(super) layout: tiledb_layout_t,
    pub(super) ranges: Ranges,
    pub(super) buffers: Vec<NamedBuffers>,
    /// The buffers of labels of dimensions.
    pub(super) labels: Vec<NamedBuffers>,
    /// The buffers of the results of aggregates.
    pub(super) results: Vec<NamedBuffers>,
    pub(super) aggregates: Vec<NamedAggregate>,
    /// The condition, or what is wrong with it, which is said when the query is submitted.
    pub(super) condition: Option<Result<Condition>>,
    pub(super) status: tiledb_query_status_t,
    pub(super) reason: tiledb_query_status_details_reason_t,
    /// A read that was begun.
    pub(super) read: Option<BufferedRead>,
    /// A write in global order that was begun.
    pub(super) write: Option<Writer>,
    /// The fragments that were written.
    pub(super) fragments: Vec<TimestampedName>,
    pub(super) has_results: bool,
}

/// Which of a field's buffers is set.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Values,
    Offsets,
    Validity,
}

impl Query {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a buffer of a field.
    pub(super) fn set_buffer(&self, name: &str, role: Role, buffer: Buffer) -> Result<()> {
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

    pub(super) fn buffer(&self, name: &str, role: Role) -> Option<Buffer> {
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
    pub(super) unsafe fn submit(&self) -> Result<()> {
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
        let condition = state.condition.as_ref().map(Result::as_ref).transpose();
        let request = ReadRequest {
            array,
            settings: &state.settings,
            ranges,
            layout: state.layout,
            condition: condition.map_err(Error::clone)?,
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
            if filled.rows == 0 && !filled.is_complete {
                read::check_offsets(&state.settings, &state.buffers)?;
            }
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

    fn delete(&self, state: &mut State) -> Result<()> {
        let Some(condition) = &state.condition else {
            let text = "Cannot initialize deletes; One condition is needed";
            return Err(Error::new("Query", text));
        };
        let condition = condition.as_ref().map_err(Error::clone)?;
        crate::query_condition::delete(&self.opened, condition)?;
        state.status = TILEDB_COMPLETED;
        Ok(())
    }

    /// Ends a write in global order.
    pub(super) fn finalize(&self) -> Result<()> {
        let mut state = self.lock();
        if let Some(writer) = state.write.take() {
            let written = write::finish(writer, &self.opened.array, None)?;
            state.fragments.extend(written);
        }
        Ok(())
    }
}
