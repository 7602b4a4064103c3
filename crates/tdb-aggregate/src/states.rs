//! The states of all groups: counts, sums, minima and maxima so far.

use std::ops::Range;

use tdb_cells::{Batch, Session};
use tdb_query::Reader;
use tdb_schema::ArraySchema;
use tdb_tile::{Bug, Datatype};

use crate::accumulator::Accumulator;
use crate::field_states::{FieldStates, GroupOf};
use crate::read_field::read_field;
use crate::statistics::{KnownTiles, known_tiles};
use crate::{Aggregate, AggregateError, Function, Outcome};

/// The states of all groups.
#[derive(Debug)]
pub(crate) struct States {
    /// Number of cells per group.
    pub(crate) cells: Vec<u64>,
    /// The states of the aggregated fields.
    pub(crate) fields: Vec<FieldStates>,
}

/// The state of one group.
#[derive(Debug)]
pub(crate) struct GroupState {
    pub(crate) cells: u64,
    /// One accumulator per aggregated field.
    pub(crate) fields: Vec<Accumulator>,
}

impl GroupState {
    /// Adds the state of more cells of the group, which come after those added so far.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    pub(crate) fn merge(&mut self, other: Self) {
        self.cells += other.cells;
        for (known, more) in self.fields.iter_mut().zip(other.fields) {
            known.merge(more);
        }
    }
}

impl States {
    pub(crate) fn new(aggregates: &[Aggregate], reader: &Reader) -> Result<Self, AggregateError> {
        let mut fields = Vec::new();
        for name in unique(aggregates.iter().filter_map(|a| a.field.as_deref())) {
            let own = aggregates
                .iter()
                .filter(|a| a.field.as_deref() == Some(name));
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

    /// Adds the tiles of a read for which statistics determine all aggregates, and removes them from the read.
    pub(crate) fn take_known(
        &mut self,
        session: &Session,
        reader: &mut Reader,
    ) -> Result<(), AggregateError> {
        let known = known_tiles(session, reader, &self.fields)?;
        if known.tiles.is_empty() {
            return Ok(());
        }
        reader.leave_out(&known.tiles)?;
        self.take(known);
        Ok(())
    }

    /// Starts with the cells of these tiles.
    pub(crate) fn take(&mut self, known: KnownTiles) {
        self.cells = vec![known.cells];
        for (field, state) in self.fields.iter_mut().zip(known.fields) {
            field.texts = state.text_bytes();
            field.groups = vec![state];
        }
    }

    /// Adds rows of a batch. `groups` is the number of groups, including those that begin in these rows.
    pub(crate) fn add(
        &mut self,
        batch: &Batch,
        rows: Range<usize>,
        of: GroupOf<'_>,
        groups: usize,
    ) -> Result<(), AggregateError> {
        self.resize(groups);
        count_cells(&mut self.cells, rows.len(), of)?;
        for field in &mut self.fields {
            let column = batch
                .column(&field.info.name)
                .ok_or_else(|| Bug::new("a field that was asked for is not read"))?;
            field.add(column, rows.clone(), of)?;
        }
        Ok(())
    }

    /// Returns the aggregates of a group, and its number of cells.
    pub(crate) fn outcomes(
        &self,
        number: usize,
        aggregates: &[Aggregate],
    ) -> Result<(Vec<Outcome>, u64), AggregateError> {
        let cells = self
            .cells
            .get(number)
            .copied()
            .ok_or_else(|| Bug::new("a group without cells"))?;
        let values = aggregates
            .iter()
            .map(|aggregate| {
                let Some(name) = aggregate.field.as_deref() else {
                    return Ok(Outcome::Unsigned(cells));
                };
                self.field(name)?.outcome(aggregate.function, number)
            })
            .collect::<Result<Vec<Outcome>, AggregateError>>()?;
        Ok((values, cells))
    }

    /// Returns the aggregates of a group from its state.
    pub(crate) fn outcomes_of(
        &self,
        state: &GroupState,
        aggregates: &[Aggregate],
    ) -> Result<Vec<Outcome>, AggregateError> {
        let values = aggregates.iter().map(|aggregate| {
            let Some(name) = aggregate.field.as_deref() else {
                return Ok(Outcome::Unsigned(state.cells));
            };
            let mut fields = self.fields.iter().zip(&state.fields);
            let found = fields.find(|(field, _)| field.info.name == name);
            let (field, known) = found.ok_or_else(|| Bug::new("an aggregate without a state"))?;
            field.outcome_of(aggregate.function, known)
        });
        values.collect()
    }

    /// Fails if a sum of a group overflows.
    pub(crate) fn check_sums(
        &self,
        number: usize,
        aggregates: &[Aggregate],
    ) -> Result<(), AggregateError> {
        for aggregate in aggregates {
            if let (Function::Sum, Some(name)) = (aggregate.function, aggregate.field.as_deref()) {
                self.field(name)?.outcome(Function::Sum, number)?;
            }
        }
        Ok(())
    }

    /// Returns the total bytes of the strings that are kept as minima and maxima.
    pub(crate) fn text_bytes(&self) -> u64 {
        let texts = self.fields.iter().map(|field| field.texts);
        texts.fold(0, u64::saturating_add)
    }

    /// True if floats are summed, so that the result depends on the order of addition.
    pub(crate) fn add_floats(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|field| field.needs_sum && field.info.datatype.is_real())
    }

    /// Removes all groups, but keeps the memory for others.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        for field in &mut self.fields {
            field.groups.clear();
            field.texts = 0;
        }
    }

    /// Removes all groups, and frees their memory.
    pub(crate) fn free(&mut self) {
        self.clear();
        self.cells = Vec::new();
        for field in &mut self.fields {
            field.groups = Vec::new();
        }
    }

    /// Returns the datatype of an aggregate's result; for minima and maxima of labels, that of the labels.
    pub(crate) fn datatype(&self, aggregate: &Aggregate, schema: &ArraySchema) -> Datatype {
        let is_value = matches!(aggregate.function, Function::Min | Function::Max);
        let name = aggregate.field.as_deref().filter(|_| is_value);
        let field = name.and_then(|name| self.field(name).ok());
        let labels = field.and_then(|field| field.info.enumeration.as_ref());
        labels.map_or_else(|| aggregate.datatype(schema), |labels| labels.datatype())
    }
}

impl States {
    /// Returns an aggregate of a field over all cells.
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

#[expect(
    clippy::arithmetic_side_effects,
    reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
)]
fn count_cells(cells: &mut [u64], rows: usize, of: GroupOf<'_>) -> Result<(), Bug> {
    let lost = || Bug::new("a cell of a group that is not there");
    match of {
        GroupOf::One => {
            let all = cells.first_mut().ok_or_else(lost)?;
            *all += rows as u64;
        }
        GroupOf::Each(numbers) => {
            for number in numbers {
                let cell = cells.get_mut(*number).ok_or_else(lost)?;
                *cell += 1;
            }
        }
    }
    Ok(())
}

/// Returns the names without duplicates, in the order of first occurrence.
pub(crate) fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut unique: Vec<&str> = Vec::new();
    for name in names {
        if !unique.contains(&name) {
            unique.push(name);
        }
    }
    unique
}
