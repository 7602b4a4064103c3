//! Groups as a result: one after the other, from memory or from the temporary folder.

use std::vec::IntoIter;

use tdb_cells::FieldInfo;
use tdb_tile::{Budget, Datatype, Grant};

use crate::groups::{Groups, Key};
use crate::key_order::{by_keys, labelled};
use crate::spilled::Merge;
use crate::states::States;
use crate::table::{Group, Table};
use crate::{Aggregate, AggregateError};

/// Approximate bytes of a returned group without its values; and of each key and each aggregate.
const GROUP_BYTES: u64 = 64;
const VALUE_BYTES: u64 = 48;

/// An iterator over groups in ascending order of their values (the order of [`Table::groups`]). It ends after the
/// first error.
///
/// A sum that overflows is reported before the first group if the groups are in memory, and when its group is reached
/// if they are in the temporary folder.
#[derive(Debug)]
pub struct GroupResults {
    by: Vec<FieldInfo>,
    aggregates: Vec<Aggregate>,
    datatypes: Vec<Datatype>,
    states: States,
    source: Source,
    budget: Budget,
}

#[derive(Debug)]
enum Source {
    Memory {
        keys: IntoIter<(Key, usize)>,
        /// The grants for their memory, and for that of their states.
        _held: Vec<Grant>,
    },
    Runs(Merge),
    Done,
}

/// The requested groups and aggregates.
pub(crate) struct GroupRequest {
    pub(crate) by: Vec<FieldInfo>,
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) datatypes: Vec<Datatype>,
}

impl GroupResults {
    /// Creates the result for a single group of all cells.
    pub(crate) fn one(
        asked: GroupRequest,
        states: States,
        budget: &Budget,
    ) -> Result<Self, AggregateError> {
        let keys: Vec<(Key, usize)> = vec![(Box::default(), 0)];
        let source = Source::Memory {
            keys: keys.into_iter(),
            _held: Vec::new(),
        };
        Self::new(asked, states, source, budget).checked()
    }

    /// Creates the result for groups in memory.
    pub(crate) fn of_memory(
        asked: GroupRequest,
        groups: Groups,
        states: States,
        budget: &Budget,
    ) -> Result<Self, AggregateError> {
        let (mut keys, held) = groups.into_keys();
        keys.sort_unstable_by(|(a, _), (b, _)| by_keys(&asked.by, a, b));
        let source = Source::Memory {
            keys: keys.into_iter(),
            _held: held,
        };
        Self::new(asked, states, source, budget).checked()
    }

    /// Creates the result for groups in the temporary folder.
    pub(crate) fn of_runs(
        asked: GroupRequest,
        states: States,
        merge: Merge,
        budget: &Budget,
    ) -> Self {
        Self::new(asked, states, Source::Runs(merge), budget)
    }

    fn new(asked: GroupRequest, states: States, source: Source, budget: &Budget) -> Self {
        Self {
            by: asked.by,
            aggregates: asked.aggregates,
            datatypes: asked.datatypes,
            states,
            source,
            budget: budget.clone(),
        }
    }

    /// Fails if a sum overflows, before any group is returned.
    fn checked(self) -> Result<Self, AggregateError> {
        if let Source::Memory { keys, .. } = &self.source {
            for (_, number) in keys.as_slice() {
                self.states.check_sums(*number, &self.aggregates)?;
            }
        }
        Ok(self)
    }

    /// Returns the fields by which cells are grouped. A part of dates is an `int64` field, named as in the request.
    #[must_use]
    pub fn by(&self) -> &[FieldInfo] {
        &self.by
    }

    /// Returns the aggregates of each group.
    #[must_use]
    pub fn aggregates(&self) -> &[Aggregate] {
        &self.aggregates
    }

    /// Returns the datatype of each aggregate, unless its result is empty: that of [`Aggregate::datatype`], but for
    /// minima and maxima of labels that of the labels.
    #[must_use]
    pub fn datatypes(&self) -> &[Datatype] {
        &self.datatypes
    }

    /// True if the groups did not fit in memory and are in the temporary folder.
    #[must_use]
    pub fn are_spilled(&self) -> bool {
        matches!(self.source, Source::Runs(_))
    }

    /// Collects all groups.
    ///
    /// # Errors
    /// More groups than fit in the session's memory, and the errors of the iterator.
    pub fn into_table(mut self) -> Result<Table, AggregateError> {
        let mut groups = Vec::new();
        let mut held = self.budget.take(0).map_err(|source| too_many(0, source))?;
        // Groups in memory are included in the budget already.
        let counts = self.are_spilled();
        while let Some(group) = self.next_group()? {
            if counts {
                let grown = held.grow(bytes_of(&group));
                grown.map_err(|source| too_many(groups.len(), source))?;
            }
            groups.push(group);
        }
        Ok(Table {
            by: self.by,
            aggregates: self.aggregates,
            groups,
        })
    }

    fn next_group(&mut self) -> Result<Option<Group>, AggregateError> {
        let (key, (values, cells)) = match &mut self.source {
            Source::Done => return Ok(None),
            Source::Memory { keys, .. } => {
                let Some((key, number)) = keys.next() else {
                    return Ok(None);
                };
                (key, self.states.outcomes(number, &self.aggregates)?)
            }
            Source::Runs(merge) => {
                let Some((key, state)) = merge.next(&self.by, &self.states)? else {
                    return Ok(None);
                };
                let values = self.states.outcomes_of(&state, &self.aggregates)?;
                (key, (values, state.cells))
            }
        };
        Ok(Some(Group {
            keys: labelled(key.into_vec(), &self.by),
            values,
            cells,
        }))
    }
}

fn too_many(groups: usize, source: tdb_tile::LimitError) -> AggregateError {
    AggregateError::Groups { groups, source }
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "lengths of what is in memory"
)]
fn bytes_of(group: &Group) -> u64 {
    let values = group.keys.len() as u64 + group.values.len() as u64;
    let own = VALUE_BYTES * values + GROUP_BYTES;
    let keys = group.keys.iter().flatten().map(|key| key.len() as u64);
    keys.fold(own, u64::saturating_add)
}

impl Iterator for GroupResults {
    type Item = Result<Group, AggregateError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_group();
        if !matches!(next, Ok(Some(_))) {
            self.source = Source::Done;
        }
        next.transpose()
    }
}
