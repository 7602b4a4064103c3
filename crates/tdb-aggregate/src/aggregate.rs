use std::cmp::Ordering;
use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::files::{MadeOn, for_each_batch, read_index};
use tdb_cells::{Batch, FieldInfo, Session};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::names::UnknownName;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::{Bug, Datatype};

use crate::accumulator::{Accumulator, FieldStates, GroupOf};
use crate::count::known_count;
use crate::grouping::{Grouping, Keys};
use crate::groups::{Groups, Key};
use crate::read_field::read_field;
use crate::same_value::SameValue;
use crate::statistics::{self, KnownTiles, known_tiles};
use crate::{Aggregate, AggregateError, Function, Outcome};

/// Bytes of a batch, about: what is looked at once is best looked at while it is in the processor's cache.
const BATCH: u64 = 8 << 20;

/// The answer to a question: one group for each combination of values, or a single one.
#[derive(Clone, Debug)]
pub struct Table {
    /// The fields that cells are grouped by; a part of dates is an `int64` with the name that it was asked for by.
    pub by: Vec<FieldInfo>,
    /// What is worked out for each group.
    pub aggregates: Vec<Aggregate>,
    /// The groups, by their values in ascending order, labels by theirs if they have one; NaN comes behind all numbers, and null last.
    pub groups: Vec<Group>,
}

/// Cells with the same values.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    keys: Vec<Option<Box<[u8]>>>,
    /// What each aggregate is.
    pub values: Vec<Outcome>,
    /// How many cells it has.
    pub cells: u64,
}

impl Group {
    /// The value that its cells have in a field that is grouped by, in its stored form; of an enumerated attribute that of the
    /// label. Zeros of either sign are one value, 0.0, and so is NaN of whichever bits. `None` is null.
    #[must_use]
    pub fn key(&self, field: usize) -> Option<&[u8]> {
        self.keys.get(field)?.as_deref()
    }
}

/// Works out aggregates of the cells that a read returns, for each combination of values of the fields `by`, or of parts of
/// their dates: `station`, `year(day)`, `month(day)`, `day(day)`.
///
/// Without fields to group by there is one group, also where there is no cell.
///
/// # Errors
/// Fields that the array does not have or of which there is no such aggregate; a sum that does not fit; more groups than memory
/// holds; errors of reading.
pub fn aggregate(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    aggregates: &[Aggregate],
    by: &[&str],
) -> Result<Table, AggregateError> {
    let of_fields = aggregates.iter().filter_map(|a| a.field.as_deref());
    let by: Vec<Grouping<'_>> = by
        .iter()
        .map(|text| Grouping::parse(text, array.schema()))
        .collect();
    let names = unique(of_fields.chain(by.iter().map(|by| by.field)));
    let is_told = by.is_empty() && statistics::may_tell(array.schema(), options);
    let mut options = read_options(array.schema(), options, &names)?;
    if is_told && array.schema().is_dense() {
        options.order = Some(ResultOrder::Global);
    }
    let mut reader = Reader::open(session, array, &options)?;
    let keys = by.iter().map(|by| by.keys(&reader));
    let mut keys = keys.collect::<Result<Vec<Keys>, AggregateError>>()?;
    let mut states = States::new(aggregates, &reader)?;
    let mut groups = Groups::new(&session.limits().budget, states.fields.len());
    if is_told {
        states.take_known(session, &mut reader)?;
    }
    for_each_batch(
        session,
        MadeOn::Session,
        || reader.next().transpose().map_err(AggregateError::from),
        |batch| {
            if by.is_empty() {
                return states.add(batch, GroupOf::One, 1);
            }
            let numbers = groups.of(batch, &mut keys)?;
            states.add(batch, GroupOf::Each(&numbers), groups.len())
        },
    )?;
    let by_fields: Vec<FieldInfo> = keys.into_iter().map(|keys| keys.info).collect();
    let found = if by.is_empty() {
        states.resize(1);
        vec![states.group(Vec::new(), 0, aggregates)?]
    } else {
        let mut groups: Vec<(Key, usize)> = groups.into_keys().collect();
        groups.sort_by(|(a, _), (b, _)| by_keys(&by_fields, a, b));
        let groups = groups.into_iter().map(|(key, number)| {
            let keys = labelled(key.into_vec(), &by_fields);
            states.group(keys, number, aggregates)
        });
        groups.collect::<Result<Vec<Group>, AggregateError>>()?
    };
    Ok(Table {
        by: by_fields,
        aggregates: aggregates.to_vec(),
        groups: found,
    })
}

/// What aggregates of all cells of an array are, if the statistics of its tiles tell it: no cell is read for it.
///
/// # Errors
/// As for [`aggregate`].
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
    Ok(Some(states.group(Vec::new(), 0, aggregates)?.values))
}

/// What is known of all groups so far.
pub(crate) struct States {
    /// Cells of each group.
    cells: Vec<u64>,
    /// The fields that aggregates are of.
    fields: Vec<FieldStates>,
}

impl States {
    pub(crate) fn new(aggregates: &[Aggregate], reader: &Reader) -> Result<Self, AggregateError> {
        let mut fields = Vec::new();
        for name in unique(aggregates.iter().filter_map(|a| a.field.as_deref())) {
            let own = aggregates.iter();
            let own = own.filter(|a| a.field.as_deref() == Some(name));
            let functions: Vec<Function> = own.map(|a| a.function).collect();
            let field = read_field(reader, name)?;
            for function in &functions {
                function.check(&field)?;
            }
            fields.push(FieldStates::new(field, &functions));
        }
        Ok(Self {
            cells: Vec::new(),
            fields,
        })
    }

    pub(crate) fn resize(&mut self, groups: usize) {
        self.cells.resize(groups, 0);
        for field in &mut self.fields {
            field.groups.resize_with(groups, Accumulator::default);
        }
    }

    /// Takes the tiles of a read of which statistics tell all that is asked for, and leaves them out of it.
    fn take_known(&mut self, session: &Session, reader: &mut Reader) -> Result<(), AggregateError> {
        let known = known_tiles(session, reader, &self.fields)?;
        if known.tiles.is_empty() {
            return Ok(());
        }
        reader.leave_out(&known.tiles)?;
        self.take(known);
        Ok(())
    }

    /// Begins with the cells of these tiles.
    fn take(&mut self, known: KnownTiles) {
        self.cells = vec![known.cells];
        for (field, state) in self.fields.iter_mut().zip(known.fields) {
            field.groups = vec![state];
        }
    }

    /// Takes the cells of a batch; with them there are so many groups.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        of: GroupOf<'_>,
        groups: usize,
    ) -> Result<(), AggregateError> {
        self.resize(groups);
        count_cells(&mut self.cells, batch.rows, of)?;
        for field in &mut self.fields {
            let column = batch.column(&field.info.name);
            let column =
                column.ok_or_else(|| Bug::new("a field that was asked for is not read"))?;
            field.add(column, batch.rows, of)?;
        }
        Ok(())
    }

    fn group(
        &self,
        keys: Vec<Option<Box<[u8]>>>,
        number: usize,
        aggregates: &[Aggregate],
    ) -> Result<Group, AggregateError> {
        let cells = self.cells.get(number).copied();
        let cells = cells.ok_or_else(|| Bug::new("a group without cells"))?;
        let values = aggregates.iter().map(|aggregate| {
            let Some(name) = aggregate.field.as_deref() else {
                return Ok(Outcome::Unsigned(cells));
            };
            self.field(name)?.outcome(aggregate.function, number)
        });
        Ok(Group {
            keys,
            values: values.collect::<Result<Vec<Outcome>, AggregateError>>()?,
            cells,
        })
    }
}

impl States {
    /// What a function of a field is, of all cells.
    pub(crate) fn outcome(
        &self,
        name: &str,
        function: Function,
    ) -> Result<Outcome, AggregateError> {
        self.field(name)?.outcome(function, 0)
    }

    fn field(&self, name: &str) -> Result<&FieldStates, Bug> {
        let mut fields = self.fields.iter();
        let field = fields.find(|field| field.info.name == name);
        field.ok_or_else(|| Bug::new("an aggregate without a state"))
    }
}

fn count_cells(cells: &mut [u64], rows: usize, of: GroupOf<'_>) -> Result<(), Bug> {
    let lost = || Bug::new("a cell of a group that is not there");
    match of {
        GroupOf::One => {
            let all = cells.first_mut().ok_or_else(lost)?;
            *all = all.saturating_add(rows as u64);
        }
        GroupOf::Each(numbers) => {
            for number in numbers {
                let cell = cells.get_mut(*number).ok_or_else(lost)?;
                *cell = cell.saturating_add(1);
            }
        }
    }
    Ok(())
}

pub(crate) fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut unique: Vec<&str> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}

/// The read of these fields, in whichever order is fastest.
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
    Ok(ReadOptions {
        dimensions: Some(dimensions),
        attributes: Some(attributes),
        order: Some(ResultOrder::Unordered),
        batch_bytes: options.batch_bytes.or(Some(BATCH)),
        ..options.clone()
    })
}

/// The labels in place of their indexes. An index outside of the enumeration is null.
fn labelled(keys: Vec<Option<Box<[u8]>>>, fields: &[FieldInfo]) -> Vec<Option<Box<[u8]>>> {
    let keys = keys.into_iter().zip(fields);
    let keys = keys.map(|(key, field)| match &field.enumeration {
        None => key,
        Some(labels) => {
            let label = key.and_then(|key| label(labels, field, &key));
            label.map(|label| SameValue::of_type(labels.datatype()).of(label).into())
        }
    });
    keys.collect()
}

/// The order of two groups: of labels that have an order that of their indexes.
fn by_keys(fields: &[FieldInfo], a: &Key, b: &Key) -> Ordering {
    let keys = fields.iter().zip(a.iter().zip(b));
    keys.map(|(field, (a, b))| match (a, b) {
        (Some(a), Some(b)) => match field.enumeration.as_deref() {
            Some(labels) if !labels.is_ordered() => {
                let (a, b) = (label(labels, field, a), label(labels, field, b));
                match (a, b) {
                    (Some(a), Some(b)) => by_value(labels.datatype(), a, b),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }
            _ => by_value(field.datatype, a, b),
        },
        (a, b) => b.is_some().cmp(&a.is_some()),
    })
    .find(|order| order.is_ne())
    .unwrap_or(Ordering::Equal)
}

/// The label of an index.
fn label<'l>(labels: &'l Enumeration, field: &FieldInfo, index: &[u8]) -> Option<&'l [u8]> {
    let index = read_index(index, field.datatype.is_signed())?;
    labels.value(usize::try_from(index).ok()?)
}

/// Cells of several values are compared value by value.
fn by_value(datatype: Datatype, a: &[u8], b: &[u8]) -> Ordering {
    if holds_bytes(datatype) {
        return a.cmp(b);
    }
    let size = datatype.size();
    let mut values = a.chunks(size).zip(b.chunks(size));
    let differing = values.find_map(|(a, b)| {
        let order = datatype.total_order(a, b);
        order.is_ne().then_some(order)
    });
    differing.unwrap_or_else(|| a.len().cmp(&b.len()))
}
