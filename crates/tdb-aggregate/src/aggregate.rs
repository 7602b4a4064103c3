use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::files::{MadeOn, for_each_batch};
use tdb_cells::{Batch, FieldInfo, Runs, Session};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;

use crate::count::{dense_count, known_count};
use crate::field_states::GroupOf;
use crate::grouped::{GroupRequest, GroupResults};
use crate::grouping::{Grouping, Keys};
use crate::groups::Groups;
use crate::spilled::{merge, spill};
use crate::states::{States, unique};
use crate::statistics::{self, known_tiles};
use crate::table::Table;
use crate::{Aggregate, AggregateError, Outcome};

/// Approximate bytes of a batch: small enough for the processor's cache.
const BATCH: u64 = 8 << 20;

/// With groups, a batch takes at most about 1/PART of the memory budget.
const PART: u64 = 32;

/// Groups take at most 1/SHARE of the memory budget before they are spilled to the temporary folder; so do the blocks
/// that are merged.
const SHARE: u64 = 4;

/// Computes aggregates of the cells of a read, for each combination of values of the fields `by`. Parts of dates are
/// also possible: `station`, `year(day)`, `month(day)`, `day(day)`. Returns all groups together, in the order of
/// [`grouped`].
///
/// # Errors
/// As [`grouped`]; more groups than fit in memory.
pub fn aggregate(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    aggregates: &[Aggregate],
    by: &[&str],
) -> Result<Table, AggregateError> {
    grouped(session, array, options, aggregates, by)?.into_table()
}

/// Computes aggregates of the cells of a read, for each combination of values of the fields `by`. Parts of dates are
/// also possible: `station`, `year(day)`, `month(day)`, `day(day)`.
///
/// Without fields to group by, there is one group, even if there are no cells. Groups that take more than a quarter of
/// the memory budget are spilled to the session's temporary folder, if it has one. Sums of floats are then added from
/// partial sums; how the cells are divided depends only on the memory budget, so the same session returns the same
/// sums.
///
/// # Errors
/// A field that does not exist or does not support the aggregate; a sum that overflows; more groups than fit in
/// memory, without a temporary folder; a temporary folder that does not exist or is full; errors of reading.
pub fn grouped(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    aggregates: &[Aggregate],
    by: &[&str],
) -> Result<GroupResults, AggregateError> {
    let of_fields = aggregates.iter().filter_map(|a| a.field.as_deref());
    let by: Vec<Grouping<'_>> = by
        .iter()
        .map(|text| Grouping::parse(text, array.schema()))
        .collect();
    let names = unique(of_fields.chain(by.iter().map(|by| by.field)));
    let is_told = by.is_empty() && statistics::may_tell(array.schema(), options);
    let is_count = by.is_empty() && names.is_empty();
    let counted = if is_count {
        dense_count(array, options)?
    } else {
        None
    };
    let mut options = read_options(array.schema(), options, &names)?;
    if is_told && array.schema().is_dense() {
        options.order = Some(ResultOrder::Global);
    }
    if !by.is_empty() {
        let most = session.limits().budget.limit() / PART;
        options.batch_bytes = options.batch_bytes.map(|bytes| bytes.min(most));
    }
    let mut reader = Reader::open(session, array, &options)?;
    let keys = by
        .iter()
        .map(|by| by.keys(&reader))
        .collect::<Result<Vec<Keys>, AggregateError>>()?;
    let mut states = States::new(aggregates, &reader)?;
    let datatypes = aggregates
        .iter()
        .map(|aggregate| states.datatype(aggregate, array.schema()));
    let asked = GroupRequest {
        by: keys.iter().map(|keys| keys.info.clone()).collect(),
        aggregates: aggregates.to_vec(),
        datatypes: datatypes.collect(),
    };
    if let Some(cells) = counted {
        states.cells = vec![cells];
        return GroupResults::one(asked, states, &session.limits().budget);
    }
    if is_told {
        states.take_known(session, &mut reader)?;
    }
    if by.is_empty() {
        let add =
            |states: &mut States, batch: &Batch| states.add(batch, 0..batch.rows, GroupOf::One, 1);
        each_batch(session, &mut reader, |batch| add(&mut states, batch))?;
        states.resize(1);
        return GroupResults::one(asked, states, &session.limits().budget);
    }
    let mut grouping = Work::new(session, keys, &asked, states);
    each_batch(session, &mut reader, |batch| grouping.add(batch))?;
    drop(reader);
    grouping.finish(session, asked)
}

fn each_batch(
    session: &Session,
    reader: &mut Reader,
    take: impl FnMut(&Batch) -> Result<(), AggregateError> + Send,
) -> Result<(), AggregateError> {
    let next = || reader.next().transpose().map_err(AggregateError::from);
    for_each_batch(session, MadeOn::Session, next, take)
}

/// The state of grouping cells.
struct Work {
    keys: Vec<Keys>,
    by: Vec<FieldInfo>,
    states: States,
    groups: Groups,
    /// Runs of spilled groups in the temporary folder; `None` without such a folder.
    runs: Option<Runs>,
    /// The group of each cell of the current batch.
    numbers: Vec<usize>,
}

impl Work {
    fn new(session: &Session, keys: Vec<Keys>, asked: &GroupRequest, states: States) -> Self {
        let budget = &session.limits().budget;
        let share = budget.limit() / SHARE;
        let runs = Runs::new(session, share);
        let most = if runs.is_some() { share } else { u64::MAX };
        let mut groups = Groups::new(budget, states.fields.len(), most);
        if runs.is_some() && states.add_floats() {
            groups.take_all();
        }
        Self {
            keys,
            by: asked.by.clone(),
            states,
            groups,
            runs,
            numbers: Vec::new(),
        }
    }

    fn add(&mut self, batch: &Batch) -> Result<(), AggregateError> {
        let mut done = 0;
        while done < batch.rows {
            let numbers = &mut self.numbers;
            let rows = self.groups.of(batch, done, &mut self.keys, numbers)?;
            done = rows.end;
            let of = GroupOf::Each(numbers);
            self.states.add(batch, rows, of, self.groups.len())?;
            if self.groups.are_full(self.states.text_bytes()) {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Spills all groups, to make room for others.
    fn spill(&mut self) -> Result<(), AggregateError> {
        match &mut self.runs {
            // Without any group, a single one is larger than the whole memory, and spilling does not help.
            Some(runs) if !self.groups.is_empty() => {
                spill(runs, &mut self.groups, &mut self.states, &self.by)
            }
            _ => Err(self.groups.too_many()),
        }
    }

    fn finish(
        mut self,
        session: &Session,
        asked: GroupRequest,
    ) -> Result<GroupResults, AggregateError> {
        let budget = &session.limits().budget;
        let Some(mut runs) = self.runs.filter(|runs| !runs.is_empty()) else {
            return GroupResults::of_memory(asked, self.groups, self.states, budget);
        };
        if !self.groups.is_empty() {
            spill(&mut runs, &mut self.groups, &mut self.states, &self.by)?;
        }
        drop(self.groups);
        self.states.free();
        let merge = merge(runs, &asked.by, &self.states)?;
        Ok(GroupResults::of_runs(asked, self.states, merge, budget))
    }
}

/// Returns aggregates of all cells of an array, if the statistics of its tiles determine them; no cell is read.
/// Returns `None` otherwise.
///
/// # Errors
/// As [`aggregate`].
pub fn known_aggregates(
    session: &Session,
    array: &Arc<Array>,
    aggregates: &[Aggregate],
) -> Result<Option<Vec<Outcome>>, AggregateError> {
    let Some(cells) = known_count(array.snapshot()) else {
        return Ok(None);
    };
    let names = unique(aggregates.iter().filter_map(|a| a.field.as_deref()));
    let mut options = read_options(array.schema(), &ReadOptions::default(), &names)?;
    if array.schema().is_dense() {
        options.order = Some(ResultOrder::Global);
    }
    let reader = Reader::open(session, array, &options)?;
    let mut states = States::new(aggregates, &reader)?;
    let known = known_tiles(session, &reader, &states.fields)?;
    if known.cells != cells {
        return Ok(None);
    }
    states.take(known);
    states.resize(1);
    let (values, _) = states.outcomes(0, aggregates)?;
    Ok(Some(values))
}

/// Returns the options for reading these fields, in the fastest order.
pub(crate) fn read_options(
    schema: &ArraySchema,
    options: &ReadOptions,
    names: &[&str],
) -> Result<ReadOptions, AggregateError> {
    let (mut dimensions, mut attributes) = (Vec::new(), Vec::new());
    for name in names {
        let is_attribute = schema.attribute_index(name).is_some();
        match schema.dimension_index(name) {
            Some(_) => dimensions.push((*name).to_owned()),
            None if is_attribute => attributes.push((*name).to_owned()),
            None => {
                let known = schema.fields().map(|field| field.name);
                let unknown = UnknownName::new("field", name, known);
                return Err(AggregateError::Unknown(unknown));
            }
        }
    }
    Ok(options
        .clone()
        .dimensions(Some(dimensions))
        .attributes(Some(attributes))
        .order(Some(ResultOrder::Unordered))
        .batch_bytes(options.batch_bytes.or(Some(BATCH))))
}
