//! The accumulators of one field, one per group.

use std::ops::Range;

use tdb_cells::files::{has_value, read_index};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::CellValNum;
use tdb_schema::value::{holds_bytes, unpadded};
use tdb_tile::{Bug, with_scalar};

use crate::accumulator::{Accumulator, Extreme, is_time, value};
use crate::fold::Fold;
use crate::number::{Number, Part};
use crate::{AggregateError, Function, Outcome};

/// The groups of the cells that are added: one group for all, or the index of each cell's group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupOf<'a> {
    One,
    Each(&'a [usize]),
}

/// The states of all groups for one field.
#[derive(Debug)]
pub(crate) struct FieldStates {
    pub(crate) info: FieldInfo,
    pub(crate) needs_sum: bool,
    pub(crate) needs_extremes: bool,
    pub(crate) groups: Vec<Accumulator>,
    /// Total bytes of the strings that are kept as minima and maxima.
    pub(crate) texts: u64,
}

impl FieldStates {
    pub(crate) fn new(info: FieldInfo, functions: &[Function]) -> Self {
        let needs = |wanted: [Function; 2]| functions.iter().any(|f| wanted.contains(f));
        Self {
            info,
            needs_sum: needs([Function::Sum, Function::Mean]),
            needs_extremes: needs([Function::Min, Function::Max]),
            groups: Vec::new(),
            texts: 0,
        }
    }

    /// True if more than counts is requested.
    pub(crate) fn needs_values(&self) -> bool {
        self.needs_sum || self.needs_extremes
    }

    /// Adds some cells of a column. Every group in `of` must have a state.
    pub(crate) fn add(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        of: GroupOf<'_>,
    ) -> Result<(), AggregateError> {
        if !self.needs_values() {
            return Ok(self.each(column, rows, of, |_, _| Ok(()))?);
        }
        if self.info.enumeration.is_some() {
            return Ok(self.each(column, rows, of, |state, row| {
                let index = column.cell(row).and_then(|cell| read_index(cell, false));
                let index = Extreme::Number(Number::Whole(index.ok_or_else(short)?.into()));
                state.extremes(Some(index.clone()), Some(index));
                Ok(())
            })?);
        }
        let is_bytes = holds_bytes(self.info.datatype);
        if is_bytes || self.info.cell_val_num == CellValNum::Var {
            let mut texts = self.texts;
            self.each(column, rows, of, |state, row| {
                let cell = column.cell(row).ok_or_else(short)?;
                let before = state.text_bytes();
                state.bytes(cell);
                // The strings of this state are included in the total.
                let others = texts.checked_sub(before).ok_or_else(short)?;
                texts = others.checked_add(state.text_bytes()).ok_or_else(short)?;
                Ok(())
            })?;
            self.texts = texts;
            return Ok(());
        }
        with_scalar!(self.info.datatype, T => self.numbers::<T>(column, rows, of))
    }

    /// Counts each cell, and calls `take` with those that are not null.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    fn each(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        of: GroupOf<'_>,
        mut take: impl FnMut(&mut Accumulator, usize) -> Result<(), Bug>,
    ) -> Result<(), Bug> {
        let is_valid = column.validity.is_none() && column.enumeration.is_none();
        if let (GroupOf::One, true, false) = (of, is_valid, self.needs_values()) {
            let state = self.groups.first_mut().ok_or_else(short)?;
            state.count += rows.len() as u64;
            return Ok(());
        }
        for (place, row) in rows.enumerate() {
            let state = of_place(&mut self.groups, of, place)?;
            if has_value(column, row) {
                state.count += 1;
                take(state, row)?;
            } else {
                state.nulls += 1;
            }
        }
        Ok(())
    }

    fn numbers<T>(
        &mut self,
        column: &Column,
        rows: Range<usize>,
        of: GroupOf<'_>,
    ) -> Result<(), AggregateError>
    where
        T: Fold,
        Number: From<T>,
    {
        // The smallest number of dates and times is NaT: it counts as a cell, but not as a minimum.
        let not_a_time = is_time(self.info.datatype).then_some(Number::Whole(i64::MIN.into()));
        // Fails if the column has another type.
        drop(column.numbers::<T>()?);
        let [start, end] = [rows.start, rows.end].map(|row| row.checked_mul(T::SIZE));
        let bytes = start
            .zip(end)
            .map(|(start, end)| start..end)
            .and_then(|bytes| column.values.get(bytes))
            .ok_or_else(short)?;
        if let (GroupOf::One, None, None) = (of, &column.validity, not_a_time) {
            let state = self.groups.first_mut().ok_or_else(short)?;
            state.join(T::fold(bytes));
            return Ok(());
        }
        for ((place, row), value) in rows.enumerate().zip(T::read_all(bytes)) {
            let state = of_place(&mut self.groups, of, place)?;
            let mut part = Part::default();
            let value = Number::from(value);
            if column.is_valid(row) {
                part.count = 1;
                if Some(value) != not_a_time {
                    part.add(value);
                }
            } else {
                part.nulls = 1;
            }
            state.join(part);
        }
        Ok(())
    }

    /// Returns an aggregate of a group.
    pub(crate) fn outcome(
        &self,
        function: Function,
        group: usize,
    ) -> Result<Outcome, AggregateError> {
        self.outcome_of(function, self.groups.get(group).ok_or_else(short)?)
    }

    /// Returns an aggregate of the cells in `state`.
    pub(crate) fn outcome_of(
        &self,
        function: Function,
        state: &Accumulator,
    ) -> Result<Outcome, AggregateError> {
        let datatype = self.info.datatype;
        Ok(match function {
            Function::Count => Outcome::Unsigned(state.count),
            Function::NullCount => Outcome::Unsigned(state.nulls),
            Function::Sum | Function::Mean if state.count == 0 => Outcome::None,
            Function::Sum if datatype.is_real() => Outcome::Float(state.float),
            Function::Sum => state.whole_sum(datatype, &self.info.name)?,
            Function::Mean if datatype.is_real() => {
                Outcome::Float(state.float / state.count as f64)
            }
            Function::Mean => Outcome::Float(state.whole as f64 / state.count as f64),
            Function::Min => self.value(state.least.as_ref())?,
            Function::Max => self.value(state.greatest.as_ref())?,
        })
    }
}

impl FieldStates {
    /// Returns a minimum or maximum; for labels, whose order is that of their indexes, the label.
    fn value(&self, extreme: Option<&Extreme>) -> Result<Outcome, Bug> {
        let datatype = self.info.datatype;
        let Some(labels) = &self.info.enumeration else {
            if let Some(Extreme::Bytes(text)) = extreme {
                let text = unpadded(datatype, self.info.cell_val_num, text);
                return Ok(Outcome::Value(datatype, text.to_vec()));
            }
            return value(datatype, extreme);
        };
        let index = match extreme {
            None => return Ok(Outcome::None),
            Some(Extreme::Number(Number::Whole(index))) => usize::try_from(*index).ok(),
            Some(_) => None,
        };
        let label = index
            .and_then(|index| labels.value(index))
            .ok_or_else(|| Bug::new("a least label that the enumeration lacks"))?;
        Ok(Outcome::Value(labels.datatype(), label.to_vec()))
    }
}

fn short() -> Bug {
    Bug::new("a column or the states of its groups are shorter than the batch")
}

/// Returns the state for a cell, given its position among the added cells.
fn of_place<'a>(
    groups: &'a mut [Accumulator],
    of: GroupOf<'_>,
    place: usize,
) -> Result<&'a mut Accumulator, Bug> {
    let group = match of {
        GroupOf::One => Some(0),
        GroupOf::Each(groups) => groups.get(place).copied(),
    };
    group
        .and_then(|group| groups.get_mut(group))
        .ok_or_else(short)
}

#[cfg(test)]
mod tests {
    use tdb_schema::FieldKind;
    use tdb_tile::Datatype;

    use super::*;

    fn sum(values: &[i64]) -> Result<Outcome, AggregateError> {
        let info = FieldInfo {
            name: "a".to_owned(),
            datatype: Datatype::Int64,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            enumeration: None,
            field: FieldKind::Attribute(0),
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let column = Column {
            name: info.name.clone(),
            datatype: info.datatype,
            cell_val_num: info.cell_val_num,
            nullable: false,
            values: bytes.into(),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let mut states = FieldStates::new(info, &[Function::Sum]);
        states.groups.resize_with(1, Accumulator::default);
        states.add(&column, 0..values.len(), GroupOf::One)?;
        states.outcome(Function::Sum, 0)
    }

    #[test]
    fn sums_are_exact_or_refused() {
        let back = sum(&[i64::MAX, i64::MAX, 3, i64::MIN, i64::MIN]).expect("it fits");
        assert_eq!(back, Outcome::Signed(1));
        let error = sum(&[i64::MAX, 1]).expect_err("it does not fit");
        assert_eq!(
            error.to_string(),
            "sum(a): 9223372036854775808 does not fit into 64 bits"
        );
    }
}
