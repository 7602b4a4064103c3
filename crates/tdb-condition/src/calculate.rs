//! Computes the terms of comparisons, for many rows at a time.

use std::ops::Range;

use tdb_cells::CellsError;
use tdb_schema::value::{Calendar, NOT_A_TIME};
use tdb_tile::{Bug, Datatype, Physical, Scalar};

use crate::CompareOp;
use crate::ast::Operation;
use crate::field_cells::{FieldCells, cells_of_rows, text_of_rows};
use crate::padding::unpadded;
use crate::resolved::{ResolvedComparison, ResolvedField, ResolvedTerm, TermStep};

/// Some rows, with the cells of the fields that a condition reads.
pub(crate) struct Rows<'a> {
    pub(crate) fields: &'a [ResolvedField],
    pub(crate) cells: &'a [Option<FieldCells<'a>>],
    pub(crate) rows: Range<usize>,
}

/// One value per row.
enum Lane {
    Whole(Vec<i128>),
    Float(Vec<f64>),
}

/// Intermediate values.
struct Work {
    lanes: Vec<Lane>,
    /// 1 for each row that is not null so far.
    valid: Vec<u8>,
    /// 1 for each row in which a date or time was NaT.
    nat: Vec<u8>,
}

/// Evaluates a comparison for some rows.
pub(crate) fn compare(
    comparison: &ResolvedComparison,
    rows: &Rows<'_>,
    answer: &mut [u8],
) -> Result<(), CellsError> {
    match comparison {
        ResolvedComparison::Texts {
            left,
            op,
            right,
            is_padded,
        } => {
            let texts = |field: usize| rows.texts(field, *is_padded);
            let Some((left, right)) = texts(*left)?.zip(texts(*right)?) else {
                answer.fill(0);
                return Ok(());
            };
            let both = left.iter().zip(&right);
            for (answer, (left, right)) in answer.iter_mut().zip(both) {
                let order = left.zip(*right).map(|(left, right)| left.cmp(right));
                *answer = u8::from(order.is_some_and(|order| op.holds(Some(order))));
            }
        }
        ResolvedComparison::Numbers {
            left,
            op,
            right,
            nat_differs,
        } => {
            let mut work = Work {
                lanes: Vec::new(),
                valid: vec![1; answer.len()],
                nat: vec![0; answer.len()],
            };
            for term in [left, right] {
                if !work.term(term, rows)? {
                    answer.fill(0);
                    return Ok(());
                }
            }
            match (work.lanes.pop(), work.lanes.pop()) {
                (Some(Lane::Whole(right)), Some(Lane::Whole(left))) => {
                    fill(answer, &left, &right, *op);
                }
                (Some(Lane::Float(right)), Some(Lane::Float(left))) => {
                    fill(answer, &left, &right, *op);
                }
                _ => return Err(mixed().into()),
            }
            let masks = work.valid.iter().zip(&work.nat);
            for (answer, (valid, nat)) in answer.iter_mut().zip(masks) {
                if *nat != 0 {
                    *answer = u8::from(*nat_differs);
                }
                *answer &= valid;
            }
        }
    }
    Ok(())
}

fn fill<T: PartialOrd>(answer: &mut [u8], left: &[T], right: &[T], op: CompareOp) {
    let both = left.iter().zip(right);
    for (answer, (left, right)) in answer.iter_mut().zip(both) {
        *answer = u8::from(op.holds(left.partial_cmp(right)));
    }
}

#[track_caller]
fn mixed() -> Bug {
    Bug::new("a term that mixes whole numbers and floats")
}

impl<'a> Rows<'a> {
    /// Returns a field and its cells; `None` if the fragment lacks the field.
    fn field(&self, field: usize) -> Result<Option<(&'a ResolvedField, FieldCells<'a>)>, Bug> {
        let found = self.fields.get(field).zip(self.cells.get(field));
        let (field, cells) = found.ok_or_else(|| Bug::new("a term of no field of a condition"))?;
        Ok(cells.map(|cells| (field, cells)))
    }

    fn validity(&self, cells: &FieldCells<'a>) -> Result<Option<&'a [u8]>, Bug> {
        let part = |validity: &'a [u8]| validity.get(self.rows.clone());
        let lacking = || Bug::new("cells of a condition that were counted are not there");
        let validity = cells.validity;
        validity
            .map(|validity| part(validity).ok_or_else(lacking))
            .transpose()
    }

    /// Returns the text of each row, `None` for null rows; `None` instead of the list if the fragment lacks the field.
    fn texts(
        &self,
        field: usize,
        is_padded: bool,
    ) -> Result<Option<Vec<Option<&'a [u8]>>>, CellsError> {
        let Some((field, cells)) = self.field(field)? else {
            return Ok(None);
        };
        let mut texts = text_of_rows(field, &cells, self.rows.clone())?;
        if is_padded && cells.offsets.is_none() {
            for text in texts.iter_mut().flatten() {
                *text = unpadded(text);
            }
        }
        if let Some(validity) = self.validity(&cells)? {
            for (text, valid) in texts.iter_mut().zip(validity) {
                *text = text.filter(|_| *valid != 0);
            }
        }
        Ok(Some(texts))
    }
}

impl Work {
    /// Computes a term; returns false if the fragment lacks one of its fields.
    fn term(&mut self, term: &ResolvedTerm, rows: &Rows<'_>) -> Result<bool, CellsError> {
        for step in &term.steps {
            match step {
                TermStep::Field { field, datatype } => {
                    let Some((info, cells)) = rows.field(*field)? else {
                        return Ok(false);
                    };
                    self.field(info, &cells, *datatype, rows)?;
                }
                TermStep::Whole(value) => {
                    self.lanes.push(Lane::Whole(vec![*value; self.valid.len()]));
                }
                TermStep::Float(value) => {
                    self.lanes.push(Lane::Float(vec![*value; self.valid.len()]));
                }
                TermStep::DatePart(part, datatype) => {
                    let days = self.whole()?;
                    let mut calendar = Calendar::new(*datatype)
                        .ok_or_else(|| Bug::new("a date of no calendar"))?;
                    let parts = days
                        .into_iter()
                        .zip(&mut self.valid)
                        .map(|(ticks, valid)| {
                            // After arithmetic, ticks may be outside of all dates.
                            let ticks = i64::try_from(ticks).ok();
                            let date = ticks.and_then(|ticks| calendar.date(ticks));
                            *valid &= u8::from(date.is_some());
                            date.map_or(0, |date| date.part(*part))
                        })
                        .collect();
                    self.lanes.push(Lane::Whole(parts));
                }
                TermStep::Negate => {
                    let values = self.whole()?.into_iter();
                    self.lanes
                        .push(Lane::Whole(values.map(i128::wrapping_neg).collect()));
                }
                TermStep::NegateFloat => {
                    let values = self.float()?.into_iter();
                    self.lanes
                        .push(Lane::Float(values.map(|value| -value).collect()));
                }
                TermStep::ToFloat => {
                    let values = self.whole()?.into_iter();
                    self.lanes
                        .push(Lane::Float(values.map(|value| value as f64).collect()));
                }
                TermStep::LowerToFloat => {
                    let upper = self.lanes.pop().ok_or_else(mixed)?;
                    let values = self.whole()?.into_iter();
                    self.lanes
                        .push(Lane::Float(values.map(|value| value as f64).collect()));
                    self.lanes.push(upper);
                }
                TermStep::Operation(operation) => self.operation(*operation)?,
                TermStep::FloatOperation(operation) => self.float_operation(*operation)?,
            }
        }
        Ok(true)
    }

    fn field(
        &mut self,
        info: &ResolvedField,
        cells: &FieldCells<'_>,
        datatype: Datatype,
        rows: &Rows<'_>,
    ) -> Result<(), CellsError> {
        let values = cells_of_rows(info, cells, rows.rows.clone())?;
        if let Some(validity) = rows.validity(cells)? {
            let valid = self.valid.iter_mut().zip(validity);
            valid.for_each(|(valid, own)| *valid &= u8::from(*own != 0));
        }
        let lane = match datatype.physical() {
            Physical::F32 => Lane::Float(f32::read_all(values).map(f64::from).collect()),
            Physical::F64 => Lane::Float(f64::read_all(values).collect()),
            _ if datatype == Datatype::Bool => {
                let flags = values.iter().map(|value| i128::from(*value != 0));
                Lane::Whole(flags.collect())
            }
            _ => Lane::Whole(whole(datatype, values)),
        };
        if let (Lane::Whole(ticks), true) = (&lane, datatype.is_datetime() || datatype.is_time()) {
            let none = i128::from(NOT_A_TIME);
            let nat = self.nat.iter_mut().zip(ticks);
            nat.for_each(|(nat, ticks)| *nat |= u8::from(*ticks == none));
        }
        self.lanes.push(lane);
        Ok(())
    }

    fn whole(&mut self) -> Result<Vec<i128>, Bug> {
        match self.lanes.pop() {
            Some(Lane::Whole(values)) => Ok(values),
            _ => Err(mixed()),
        }
    }

    fn float(&mut self) -> Result<Vec<f64>, Bug> {
        match self.lanes.pop() {
            Some(Lane::Float(values)) => Ok(values),
            _ => Err(mixed()),
        }
    }

    /// Applies an operation to whole numbers. Resolving has checked that results fit into 128 bits.
    fn operation(&mut self, operation: Operation) -> Result<(), Bug> {
        let (right, mut left) = (self.whole()?, self.whole()?);
        let works = match operation {
            Operation::Add => i128::wrapping_add,
            Operation::Subtract => i128::wrapping_sub,
            Operation::Multiply => i128::wrapping_mul,
            Operation::Divide => return Err(Bug::new("a division of whole numbers")),
        };
        let both = left.iter_mut().zip(right);
        both.for_each(|(left, right)| *left = works(*left, right));
        self.lanes.push(Lane::Whole(left));
        Ok(())
    }

    fn float_operation(&mut self, operation: Operation) -> Result<(), Bug> {
        let (right, mut left) = (self.float()?, self.float()?);
        let works: fn(f64, f64) -> f64 = match operation {
            Operation::Add => |a, b| a + b,
            Operation::Subtract => |a, b| a - b,
            Operation::Multiply => |a, b| a * b,
            Operation::Divide => {
                let valid = self.valid.iter_mut().zip(&right);
                valid.for_each(|(valid, right)| *valid &= u8::from(*right != 0.0));
                |a, b| a / b
            }
        };
        let both = left.iter_mut().zip(right);
        both.for_each(|(left, right)| *left = works(*left, right));
        self.lanes.push(Lane::Float(left));
        Ok(())
    }
}

/// Reads whole numbers of any type.
fn whole(datatype: Datatype, values: &[u8]) -> Vec<i128> {
    match (datatype.size(), datatype.is_signed()) {
        (1, true) => i8::read_all(values).map(i128::from).collect(),
        (1, false) => u8::read_all(values).map(i128::from).collect(),
        (2, true) => i16::read_all(values).map(i128::from).collect(),
        (2, false) => u16::read_all(values).map(i128::from).collect(),
        (4, true) => i32::read_all(values).map(i128::from).collect(),
        (4, false) => u32::read_all(values).map(i128::from).collect(),
        (_, true) => i64::read_all(values).map(i128::from).collect(),
        (_, false) => u64::read_all(values).map(i128::from).collect(),
    }
}
