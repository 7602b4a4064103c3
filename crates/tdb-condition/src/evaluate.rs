use tdb_cells::CellsError;
use tdb_schema::CellValNum;
use tdb_tile::{Bug, Exact, WireError, WireErrorKind};

use super::kernel;
use crate::calculate::{Rows, compare};
use crate::field_cells::{FieldCells, part};
use crate::resolved::{ResolvedCondition, ResolvedField, ResolvedTest, Step};

/// Number of rows that are evaluated at a time: small enough that all results stay in the L1 cache.
const BLOCK: usize = 4096;

impl ResolvedCondition {
    /// Evaluates the condition for `rows` cells. Afterwards `mask` has one byte per cell: 1 if the condition holds,
    /// else 0.
    ///
    /// `cells` has the cells of [`ResolvedCondition::fields`], in the same order; `None` if the fragment lacks the
    /// field, which makes every test of it false.
    ///
    /// # Errors
    /// [`CellsError::Wire`] if a field has fewer cells than `rows`, or offsets out of order.
    pub fn evaluate(
        &self,
        cells: &[Option<FieldCells<'_>>],
        rows: usize,
        mask: &mut Vec<u8>,
    ) -> Result<(), CellsError> {
        if cells.len() != self.fields.len() {
            return Err(Bug::new("cells of other fields than those of a condition").into());
        }
        for (field, cells) in self.fields.iter().zip(cells) {
            if let Some(cells) = cells {
                check(field, cells, rows)?;
            }
        }
        mask.clear();
        mask.resize(rows, 0);
        let mut answers = vec![vec![0; rows.min(BLOCK)]; self.depth];
        let mut start = 0_usize;
        for block in mask.chunks_mut(BLOCK) {
            let rows = start..start.exact_add(block.len())?;
            start = rows.end;
            self.answer_block(cells, rows, &mut answers)?;
            let answer = answers.first().and_then(|all| all.get(..block.len()));
            block.copy_from_slice(answer.ok_or_else(|| Bug::new("a condition without an answer"))?);
        }
        Ok(())
    }

    /// Evaluates some rows; the result is in the first of `answers`.
    fn answer_block(
        &self,
        cells: &[Option<FieldCells<'_>>],
        rows: std::ops::Range<usize>,
        answers: &mut [Vec<u8>],
    ) -> Result<(), CellsError> {
        let mut waiting = 0_usize;
        for step in &self.steps {
            match step {
                Step::Test { field, test } => {
                    let answer = answers
                        .get_mut(waiting)
                        .and_then(|answer| answer.get_mut(..rows.len()))
                        .ok_or_else(|| Bug::new("a condition deeper than was counted"))?;
                    let tested = self.fields.get(*field).zip(cells.get(*field));
                    match tested.ok_or_else(|| Bug::new("a test of no field of a condition"))? {
                        (field, Some(cells)) => answer_test(test, field, cells, &rows, answer)?,
                        (_, None) => answer.fill(0),
                    }
                    waiting = waiting.exact_add(1)?;
                }
                Step::Compare(comparison) => {
                    let answer = answers
                        .get_mut(waiting)
                        .and_then(|answer| answer.get_mut(..rows.len()));
                    let deeper = || Bug::new("a condition deeper than was counted");
                    let compared = Rows {
                        fields: &self.fields,
                        cells,
                        rows: rows.clone(),
                    };
                    compare(comparison, &compared, answer.ok_or_else(deeper)?)?;
                    waiting = waiting.exact_add(1)?;
                }
                Step::And => join(answers, &mut waiting, |a, b| *a &= b)?,
                Step::Or => join(answers, &mut waiting, |a, b| *a |= b)?,
            }
        }
        match waiting {
            1 => Ok(()),
            _ => Err(Bug::new("a condition whose tests are not all joined").into()),
        }
    }
}

/// Combines the last two results into the first of them.
fn join(
    answers: &mut [Vec<u8>],
    waiting: &mut usize,
    joins: impl Fn(&mut u8, u8),
) -> Result<(), Bug> {
    *waiting = waiting.exact_sub(1)?;
    let split = answers.split_at_mut_checked(*waiting);
    let last = split.and_then(|(before, after)| before.last_mut().zip(after.first()));
    let (left, right) = last.ok_or_else(|| Bug::new("a condition with a joint too many"))?;
    left.iter_mut().zip(right).for_each(|(a, b)| joins(a, *b));
    Ok(())
}

/// Evaluates one test for some rows.
fn answer_test(
    test: &ResolvedTest,
    field: &ResolvedField,
    cells: &FieldCells<'_>,
    rows: &std::ops::Range<usize>,
    answer: &mut [u8],
) -> Result<(), CellsError> {
    // A field that the schema lacks fails every test.
    let Some((datatype, cell_val_num)) = field.stored else {
        answer.fill(0);
        return Ok(());
    };
    let validity = cells
        .validity
        .map(|validity| part(validity, rows.clone()))
        .transpose()?;
    match test {
        ResolvedTest::Always => answer.fill(1),
        ResolvedTest::Never => answer.fill(0),
        ResolvedTest::Null => match validity {
            Some(validity) => answer
                .iter_mut()
                .zip(validity)
                .for_each(|(a, v)| *a = u8::from(*v == 0)),
            None => answer.fill(0),
        },
        ResolvedTest::NotNull => answer.fill(1),
        ResolvedTest::Compare(..)
        | ResolvedTest::In(_)
        | ResolvedTest::NotIn(_)
        | ResolvedTest::StartsWith(_)
        | ResolvedTest::NotStartsWith(_)
        | ResolvedTest::Like(_)
        | ResolvedTest::NotLike(_) => match cell_val_num {
            CellValNum::Fixed(n) => {
                let size = datatype.size().exact_mul(n as usize)?;
                let bytes = rows.start.exact_mul(size)?..rows.end.exact_mul(size)?;
                kernel::fixed(test, datatype, size, part(cells.values, bytes)?, answer)?;
            }
            CellValNum::Var => {
                let offsets = cells
                    .offsets
                    .ok_or_else(|| Bug::new("strings without offsets"))?;
                let offsets = part(offsets, rows.start..rows.end.exact_add(1)?)?;
                kernel::var(test, cells.values, offsets, answer)?;
            }
        },
    }
    if let (Some(validity), true) = (validity, needs_valid(test)) {
        answer
            .iter_mut()
            .zip(validity)
            .for_each(|(a, v)| *a &= u8::from(*v != 0));
    }
    Ok(())
}

/// Whether null cells fail this test.
fn needs_valid(test: &ResolvedTest) -> bool {
    !matches!(
        test,
        ResolvedTest::Always | ResolvedTest::Never | ResolvedTest::Null
    )
}

/// Checks that there are enough cells for all rows.
fn check(field: &ResolvedField, cells: &FieldCells<'_>, rows: usize) -> Result<(), CellsError> {
    if let Some(validity) = cells.validity {
        at_least("validity", rows, validity.len())?;
    }
    let Some((datatype, cell_val_num)) = field.stored.filter(|_| field.reads_values) else {
        return Ok(());
    };
    match cell_val_num {
        CellValNum::Fixed(n) => {
            let size = datatype.size().exact_mul(n as usize)?;
            at_least("values", rows.exact_mul(size)?, cells.values.len())?;
        }
        CellValNum::Var => at_least(
            "offsets",
            rows.exact_add(1)?,
            // A missing offsets column has length 0.
            cells.offsets.map_or(0, <[u64]>::len),
        )?,
    }
    Ok(())
}

fn at_least(field: &'static str, wanted: usize, found: usize) -> Result<(), WireError> {
    if found >= wanted {
        return Ok(());
    }
    let kind = WireErrorKind::Mismatch {
        what: "the length",
        wanted: wanted as u64,
        found: found as u64,
    };
    Err(WireError::new("Tile", field, 0, kind))
}
