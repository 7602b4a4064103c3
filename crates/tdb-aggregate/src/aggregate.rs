use std::cmp::Ordering;
use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::{FieldInfo, Session};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::names::UnknownName;
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_tile::{Bug, Datatype, Scalar, with_scalar};

use crate::accumulator::{Accumulator, FieldStates, GroupOf};
use crate::groups::Groups;
use crate::{Aggregate, AggregateError, Function, Outcome};

/// The answer to a question: one group for each combination of values, or a single one.
#[derive(Clone, Debug)]
pub struct Table {
    /// The fields that cells are grouped by.
    pub by: Vec<FieldInfo>,
    /// What is worked out for each group.
    pub aggregates: Vec<Aggregate>,
    /// The groups, by their values in ascending order; null comes last.
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
    /// label. `None` is null.
    #[must_use]
    pub fn key(&self, field: usize) -> Option<&[u8]> {
        self.keys.get(field)?.as_deref()
    }
}

/// Works out aggregates of the cells that a read returns, for each combination of values of the fields `by`.
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
    let schema = array.schema();
    let of_fields = aggregates.iter().filter_map(|a| a.field.as_deref());
    let names = unique(of_fields.chain(by.iter().copied()));
    let options = read_options(schema, options, &names)?;
    let reader = Reader::open(session, array, &options)?;
    let info = |name: &str| {
        let mut fields = reader.fields().iter();
        let field = fields.find(|field| field.name == name).cloned();
        field.ok_or_else(|| Bug::new("a field that was asked for is not read"))
    };
    let by_fields: Vec<FieldInfo> = by.iter().map(|name| info(name)).collect::<Result<_, _>>()?;
    let mut states = Vec::new();
    for name in unique(aggregates.iter().filter_map(|a| a.field.as_deref())) {
        let own = aggregates
            .iter()
            .filter(|a| a.field.as_deref() == Some(name));
        let functions: Vec<Function> = own.map(|a| a.function).collect();
        let field = info(name)?;
        for function in &functions {
            function.check(&field)?;
        }
        states.push(FieldStates::new(field, &functions));
    }
    let mut groups = Groups::new(&session.limits().budget, states.len());
    let mut cells: Vec<u64> = Vec::new();
    for batch in reader {
        let batch = batch?;
        let numbers = (!by.is_empty())
            .then(|| groups.of(&batch, by))
            .transpose()?;
        let of = numbers.as_deref().map_or(GroupOf::One, GroupOf::Each);
        let count = if by.is_empty() { 1 } else { groups.len() };
        count_cells(&mut cells, batch.rows, of, count)?;
        for field in &mut states {
            field.groups.resize_with(count, Accumulator::default);
            let column = batch.column(&field.info.name);
            let column =
                column.ok_or_else(|| Bug::new("a field that was asked for is not read"))?;
            field.add(column, batch.rows, of)?;
        }
    }
    if by.is_empty() {
        cells.resize(1, 0);
        for field in &mut states {
            field.groups.resize_with(1, Accumulator::default);
        }
    }
    let keys: Vec<(Vec<Option<Box<[u8]>>>, usize)> = if by.is_empty() {
        vec![(Vec::new(), 0)]
    } else {
        let keys = groups.into_keys();
        keys.map(|(key, number)| (key.into_vec(), number)).collect()
    };
    let mut groups = Vec::with_capacity(keys.len());
    for (keys, number) in keys {
        let own = cells.get(number).copied();
        let own = own.ok_or_else(|| Bug::new("a group without cells"))?;
        let values = aggregates.iter().map(|aggregate| {
            let Some(name) = aggregate.field.as_deref() else {
                return Ok(Outcome::Unsigned(own));
            };
            let state = states.iter().find(|state| state.info.name == name);
            let state = state.ok_or_else(|| Bug::new("an aggregate without a state"))?;
            state.outcome(aggregate.function, number)
        });
        let values = values.collect::<Result<Vec<Outcome>, AggregateError>>()?;
        let keys = labelled(keys, &by_fields);
        groups.push(Group {
            keys,
            values,
            cells: own,
        });
    }
    groups.sort_by(|a, b| by_keys(&by_fields, a, b));
    Ok(Table {
        by: by_fields,
        aggregates: aggregates.to_vec(),
        groups,
    })
}

fn count_cells(
    cells: &mut Vec<u64>,
    rows: usize,
    of: GroupOf<'_>,
    groups: usize,
) -> Result<(), Bug> {
    cells.resize(groups, 0);
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

fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut unique: Vec<&str> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}

/// The read of these fields, in whichever order is fastest.
fn read_options(
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
        ..options.clone()
    })
}

/// The labels in place of their indexes. An index outside of the enumeration is null.
fn labelled(keys: Vec<Option<Box<[u8]>>>, fields: &[FieldInfo]) -> Vec<Option<Box<[u8]>>> {
    let keys = keys.into_iter().zip(fields);
    let keys = keys.map(|(key, field)| match &field.enumeration {
        None => key,
        Some(labels) => {
            let index =
                key.and_then(|key| tdb_cells::files::read_index(&key, field.datatype.is_signed()));
            let label = index.and_then(|index| labels.value(usize::try_from(index).ok()?));
            label.map(Into::into)
        }
    });
    keys.collect()
}

/// The order of two groups.
fn by_keys(fields: &[FieldInfo], a: &Group, b: &Group) -> Ordering {
    let keys = fields.iter().zip(a.keys.iter().zip(&b.keys));
    keys.map(|(field, (a, b))| match (a, b) {
        (Some(a), Some(b)) => {
            let (datatype, values) = match &field.enumeration {
                Some(labels) => (labels.datatype(), labels.cell_val_num()),
                None => (field.datatype, field.cell_val_num),
            };
            by_value(datatype, values, a, b)
        }
        (a, b) => b.is_some().cmp(&a.is_some()),
    })
    .find(|order| order.is_ne())
    .unwrap_or(Ordering::Equal)
}

fn by_value(datatype: Datatype, values: CellValNum, a: &[u8], b: &[u8]) -> Ordering {
    if holds_bytes(datatype) || values != CellValNum::Fixed(1) {
        return a.cmp(b);
    }
    with_scalar!(datatype, T => {
        let numbers = T::read(a).zip(T::read(b));
        let order = numbers.and_then(|(a, b)| a.partial_cmp(&b));
        // NaN and what is no number have an order all the same.
        order.unwrap_or_else(|| a.cmp(b))
    })
}
