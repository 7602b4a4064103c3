//! Cells of the result that wait to be returned.

use std::collections::{HashMap, VecDeque};

use tdb_cells::{Batch, CellTable, Gathered, Row, gather, scaled};
use tdb_schema::FieldKind;
use tdb_tile::{Budget, Bug, Exact, Grant};

use super::plan::SparsePlan;
use super::rows::Rows;
use crate::QueryError;

/// Batches to return, and cells that are more than one batch.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// Finished batches, each with its grants.
    batches: VecDeque<(Batch, Vec<Grant>)>,
    rest: Option<Rest>,
}

/// Cells that are made into batches one by one.
#[derive(Debug)]
struct Rest {
    table: CellTable,
    rows: Vec<Row>,
    /// Number of cells that were returned.
    given: usize,
    /// Number of cells per batch.
    most: usize,
}

/// Selected cells of a table.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) rows: Rows,
    /// Whether cells that are deleted or fail the condition are already dropped.
    pub(super) is_final: bool,
}

impl Ready {
    /// Splits rows of a table into batches of `most` rows. All batches are made at once, column by column, so that
    /// only one column is in memory twice. If rows that are repeated leave no memory for that, batches are made one
    /// by one.
    pub(super) fn new(
        plan: &SparsePlan,
        table: CellTable,
        rows: Vec<Row>,
        most: usize,
        budget: &Budget,
    ) -> Result<Self, QueryError> {
        let most = most.max(1);
        if share_of(&table, rows.len()) <= budget.left() {
            return Self::by_column(plan, table, &rows, most, budget);
        }
        let rest = Rest {
            table,
            rows,
            given: 0,
            most,
        };
        Ok(Self {
            rest: Some(rest),
            ..Self::default()
        })
    }

    fn by_column(
        plan: &SparsePlan,
        mut table: CellTable,
        rows: &[Row],
        most: usize,
        budget: &Budget,
    ) -> Result<Self, QueryError> {
        let held: Vec<Grant> = rows
            .chunks(most)
            .map(|part| {
                let bytes = share_of(&table, part.len());
                budget.take(bytes)
            })
            .collect::<Result<_, _>>()?;
        let mut columns: HashMap<FieldKind, VecDeque<Gathered>> = HashMap::new();
        for info in &plan.request.fields {
            let Some(column) = table.take(info.field) else {
                continue;
            };
            let made = rows.chunks(most).map(|part| gather(column.at(part)?, None));
            columns.insert(info.field, made.collect::<Result<_, _>>()?);
        }
        let batches = rows.chunks(most).zip(held).map(|(part, held)| {
            let batch = plan.request.batch(part.len(), |field| {
                let made = columns.get_mut(&field).and_then(VecDeque::pop_front);
                Ok(made.ok_or_else(not_loaded)?)
            });
            Ok((batch?, vec![held]))
        });
        Ok(Self {
            batches: batches.collect::<Result<_, QueryError>>()?,
            rest: None,
        })
    }

    /// Returns the next batch with its grants; `None` if there is none.
    pub(super) fn next(
        &mut self,
        plan: &SparsePlan,
        budget: &Budget,
    ) -> Result<Option<(Batch, Vec<Grant>)>, QueryError> {
        if let Some(made) = self.batches.pop_front() {
            return Ok(Some(made));
        }
        let Some(rest) = &mut self.rest else {
            return Ok(None);
        };
        let (_, left) = rest
            .rows
            .split_at_checked(rest.given)
            .ok_or_else(|| Bug::new("more cells were given out than there are"))?;
        let rows = left.get(..rest.most).unwrap_or(left);
        let end = rest.given.exact_add(rows.len())?;
        let held = budget.take(share_of(&rest.table, rows.len()))?;
        let batch = plan.request.batch(rows.len(), |field| {
            let column = rest.table.column(field).ok_or_else(not_loaded)?;
            Ok(gather(column.at(rows)?, None)?)
        })?;
        rest.given = end;
        if end == rest.rows.len() {
            self.rest = None;
        }
        Ok(Some((batch, vec![held])))
    }

    /// Returns the number of bytes that making the next batch handles.
    pub(super) fn bytes_of_next(&self) -> u64 {
        let rest = self.rest.iter().filter(|_| self.batches.is_empty());
        rest.map(|rest| share_of(&rest.table, rest.most)).sum()
    }

    /// Adds a finished batch after the others.
    pub(super) fn add(&mut self, batch: Batch, held: Vec<Grant>) {
        self.batches.push_back((batch, held));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty() && self.rest.is_none()
    }
}

#[track_caller]
fn not_loaded() -> Bug {
    Bug::new("a column of the result was not loaded")
}

/// Returns the memory of `rows` rows of a table, in proportion.
pub(super) fn share_of(table: &CellTable, rows: usize) -> u64 {
    scaled(table.bytes_held(), rows as u64, table.rows().len() as u64)
}
