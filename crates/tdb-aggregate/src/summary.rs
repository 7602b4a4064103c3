//! Summaries of fields, computed in one pass over the cells.

use std::sync::Arc;

use tdb_array::Array;
use tdb_cells::files::{MadeOn, for_each_batch, has_value};
use tdb_cells::{Batch, Column, FieldInfo, Session};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::value::{NOT_A_TIME, holds_bytes};
use tdb_tile::{Bug, Scalar, with_scalar};

use crate::accumulator::is_time;
use crate::aggregate::read_options;
use crate::distinct_count::DistinctCount;
use crate::field_states::GroupOf;
use crate::kept_values::{KeptValues, time};
use crate::number::Number;
use crate::read_field::read_field;
use crate::same_value::SameValue;
use crate::share::Share;
use crate::states::{States, unique};
use crate::{Aggregate, AggregateError, Function, Outcome};

/// The summary of a field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FieldSummary {
    /// The summarized field.
    pub field: FieldInfo,
    /// The number of cells that are not null. An index without a label counts as null.
    pub count: u64,
    /// The number of null cells.
    pub nulls: u64,
    /// The number of distinct values, without null. Both zeros are one value, and so are all NaN.
    pub distinct: u64,
    /// True if this number is exact; otherwise it is an estimate with a standard error of 0.8 %.
    pub is_distinct_exact: bool,
    /// The smallest value, for fields with one value per cell and for ordered labels.
    pub min: Outcome,
    /// The greatest value, for the same fields as `min`.
    pub max: Outcome,
    /// The mean of numbers, dates and times; for dates and times, rounded down to whole units.
    pub mean: Outcome,
    /// The sample standard deviation of numbers (with the count minus one as divisor).
    pub deviation: Option<f64>,
    /// The three quartiles of numbers, dates and times, without NaN and NaT.
    pub quartiles: Option<[Outcome; 3]>,
    /// True if the quartiles are computed from all values; otherwise from a random sample that fits in memory.
    pub are_quartiles_exact: bool,
}

/// Summarizes fields of the cells of a read, in one pass.
///
/// # Errors
/// A field that does not exist, or errors of reading.
pub fn summarize(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
    fields: &[&str],
) -> Result<Vec<FieldSummary>, AggregateError> {
    let names = unique(fields.iter().copied());
    let options = read_options(array.schema(), options, &names)?;
    let mut reader = Reader::open(session, array, &options)?;
    let infos = names
        .iter()
        .map(|name| read_field(&reader, name))
        .collect::<Result<Vec<FieldInfo>, Bug>>()?;
    let wanted: Vec<Aggregate> = infos.iter().flat_map(aggregates).collect();
    let mut states = States::new(&wanted, &reader)?;
    let budget = &session.limits().budget;
    let mut sketches: Vec<Sketch> = infos
        .iter()
        .map(|info| Sketch::new(info, Share::new(budget, infos.len())))
        .collect();
    for_each_batch(
        session,
        MadeOn::Session,
        || reader.next().transpose().map_err(AggregateError::from),
        |batch| {
            states.add(batch, 0..batch.rows, GroupOf::One, 1)?;
            sketches.iter_mut().try_for_each(|sketch| sketch.add(batch))
        },
    )?;
    states.resize(1);
    let told = infos.into_iter().zip(sketches);
    told.map(|(info, sketch)| sketch.tell(info, &states))
        .collect()
}

/// Returns the parts of a field's summary that are plain aggregates.
fn aggregates(info: &FieldInfo) -> impl Iterator<Item = Aggregate> + '_ {
    let all = [
        Function::Count,
        Function::NullCount,
        Function::Min,
        Function::Max,
        Function::Mean,
    ];
    let told = all.into_iter().filter(|f| f.check(info).is_ok());
    told.map(|function| Aggregate::of(function, &info.name))
}

/// The parts of a field's summary that are not plain aggregates.
#[derive(Debug)]
struct Sketch {
    name: String,
    share: Share,
    distinct: DistinctCount,
    same: SameValue,
    numbers: Option<Numbers>,
}

impl Sketch {
    fn new(info: &FieldInfo, share: Share) -> Self {
        let is_number = Function::Min.check(info).is_ok()
            && !holds_bytes(info.datatype)
            && info.enumeration.is_none();
        Self {
            name: info.name.clone(),
            share,
            distinct: DistinctCount::new(info.cell_size()),
            same: SameValue::new(info),
            numbers: is_number.then(|| Numbers::new(info)),
        }
    }

    fn add(&mut self, batch: &Batch) -> Result<(), AggregateError> {
        let column = batch
            .column(&self.name)
            .ok_or_else(|| Bug::new("a field that was asked for is not read"))?;
        for row in 0..batch.rows {
            if has_value(column, row) {
                let cell = column
                    .cell(row)
                    .ok_or_else(|| Bug::new("a column has fewer cells than its batch"))?;
                self.distinct.add(&self.same.of(cell), &mut self.share);
            }
        }
        match &mut self.numbers {
            Some(numbers) => with_scalar!(column.datatype, T => {
                numbers.add::<T>(column, batch.rows, &mut self.share)
            }),
            None => Ok(()),
        }
    }

    fn tell(self, field: FieldInfo, states: &States) -> Result<FieldSummary, AggregateError> {
        let found = |function: Function| match function.check(&field) {
            Ok(()) => states.outcome(&field.name, function),
            Err(_) => Ok(Outcome::None),
        };
        let count = |function: Function| match found(function)? {
            Outcome::Unsigned(count) => Ok(count),
            _ => Err(AggregateError::from(Bug::new("a count that is no number"))),
        };
        let (distinct, is_distinct_exact) = self.distinct.count();
        let cells = count(Function::Count)?;
        let deviation = self.numbers.as_ref().and_then(Numbers::deviation);
        let mean = match self.numbers.as_ref().filter(|_| is_time(field.datatype)) {
            Some(numbers) => numbers.mean_time(&field),
            None => found(Function::Mean)?,
        };
        let kept = self.numbers.map(|numbers| numbers.kept.quartiles());
        let (quartiles, are_quartiles_exact) = kept.unwrap_or((None, true));
        Ok(FieldSummary {
            count: cells,
            nulls: count(Function::NullCount)?,
            // An estimate may exceed the number of cells.
            distinct: distinct.min(cells),
            is_distinct_exact,
            min: found(Function::Min)?,
            max: found(Function::Max)?,
            mean,
            deviation,
            quartiles,
            are_quartiles_exact,
            field,
        })
    }
}

/// The distribution of numbers, dates and times.
#[derive(Debug)]
struct Numbers {
    is_time: bool,
    /// Number of values without NaT.
    count: u64,
    /// The sum of the units of dates and times.
    ticks: i128,
    /// Welford's algorithm: the mean so far, and the sum of squared deviations from it.
    mean: f64,
    squares: f64,
    kept: KeptValues,
}

impl Numbers {
    fn new(info: &FieldInfo) -> Self {
        Self {
            is_time: is_time(info.datatype),
            count: 0,
            ticks: 0,
            mean: 0.0,
            squares: 0.0,
            kept: KeptValues::new(info.datatype),
        }
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "there are fewer than 2^64 cells, whose values have 64 bits each"
    )]
    fn add<T: Scalar>(
        &mut self,
        column: &Column,
        rows: usize,
        share: &mut Share,
    ) -> Result<(), AggregateError>
    where
        Number: From<T>,
    {
        let none = Number::Whole(NOT_A_TIME.into());
        for (row, value) in (0..rows).zip(column.numbers::<T>()?) {
            let value = Number::from(value);
            if !column.is_valid(row) || (self.is_time && value == none) {
                continue;
            }
            self.count += 1;
            self.kept.add(value, share);
            match value {
                Number::Whole(ticks) if self.is_time => {
                    self.ticks += ticks;
                }
                Number::Whole(value) => self.spread(value as f64),
                Number::Float(value) => self.spread(value),
            }
        }
        Ok(())
    }

    fn spread(&mut self, value: f64) {
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    fn deviation(&self) -> Option<f64> {
        let others = self.count.saturating_sub(1);
        (others > 0 && !self.is_time).then(|| (self.squares / others as f64).sqrt())
    }

    fn mean_time(&self, field: &FieldInfo) -> Outcome {
        match self.ticks.checked_div_euclid(self.count.into()) {
            Some(ticks) => time(field.datatype, ticks),
            None => Outcome::None,
        }
    }
}
