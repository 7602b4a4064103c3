//! Cells kept in memory until the whole read has been seen.

use bytes::Bytes;
use tdb_cells::{Batch, Column};
use tdb_tile::{Budget, Bug, Exact, Grant, LimitError};

use crate::QueryError;

/// Bytes of bookkeeping per row: its batch and row numbers, and a second copy with a prefix while rows are sorted.
const ROW_BYTES: u64 = 24;

/// Number of cells kept in addition to the wanted ones before the rest is dropped.
pub(super) const SPARE: u64 = 1 << 14;

/// Address of a cell: number of its batch, and of its row in the batch.
pub(super) type BatchRow = (u32, u32);

/// Cells of several batches, in an order that may differ from that of the batches.
#[derive(Debug)]
pub(super) struct KeptCells {
    budget: Budget,
    batches: Vec<Batch>,
    /// Budget grant for each batch and its rows.
    held: Vec<Grant>,
    pub(super) order: Vec<BatchRow>,
    /// Number of cells already returned by `next`.
    given: usize,
}

impl KeptCells {
    pub(super) fn new(budget: &Budget) -> Self {
        Self {
            budget: budget.clone(),
            batches: Vec::new(),
            held: Vec::new(),
            order: Vec::new(),
            given: 0,
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.order.len() as u64
    }

    /// Returns the bytes granted for the batches.
    pub(super) fn bytes(&self) -> u64 {
        self.held.iter().map(Grant::bytes).sum()
    }

    /// Drops all cells.
    pub(super) fn forget(&mut self) {
        *self = Self::new(&self.budget);
    }

    pub(super) fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// Returns the cell at position `number` of the order as a batch of its own; `None` if there are fewer cells.
    pub(super) fn cell(&self, number: u64) -> Result<Option<Batch>, QueryError> {
        let place = usize::try_from(number).ok().and_then(|n| self.order.get(n));
        gather(&self.batches, place.map_or(&[], std::slice::from_ref))
    }

    /// Returns a column of a batch by name.
    pub(super) fn column(&self, batch: u32, name: &str) -> Option<&Column> {
        self.batches.get(batch as usize)?.column(name)
    }

    /// Appends the cells of a batch to the order.
    pub(super) fn add(&mut self, batch: Batch) -> Result<(), QueryError> {
        let rows = (batch.rows as u64).exact_mul(ROW_BYTES)?;
        let bytes = bytes_of(&batch).exact_add(rows)?;
        let held = self
            .budget
            .take(bytes)
            .map_err(|source| self.too_many(source))?;
        let many = || Bug::new("more rows or batches than can be numbered");
        let number = u32::try_from(self.batches.len()).map_err(|_| many())?;
        let rows = u32::try_from(batch.rows).map_err(|_| many())?;
        self.order.extend((0..rows).map(|row| (number, row)));
        self.batches.push(batch);
        self.held.push(held);
        Ok(())
    }

    fn too_many(&self, source: LimitError) -> QueryError {
        QueryError::KeptCells {
            rows: self.rows(),
            source,
        }
    }

    /// Drops leading batches that do not contain any of the last `last` cells, once many cells have accumulated. The
    /// order must still be that of the batches.
    pub(super) fn forget_before(&mut self, last: u64) -> Result<(), Bug> {
        if !are_many(self.rows(), last) {
            return Ok(());
        }
        let mut gone = 0_usize;
        while let Some(first) = self.batches.first() {
            let end = gone.exact_add(first.rows)?;
            let rest = self.order.len().exact_sub(end)?;
            if (rest as u64) < last {
                break;
            }
            gone = end;
            self.batches.remove(0);
            drop(self.held.remove(0));
        }
        if gone > 0 {
            self.order.drain(..gone);
            let first = self.order.first().map_or(0, |(batch, _)| *batch);
            for (batch, _) in &mut self.order {
                *batch = batch.exact_sub(first)?;
            }
        }
        Ok(())
    }

    /// Keeps only `most` cells, starting at position `first` of the order.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "places in the order, of which none is beyond its end"
    )]
    pub(super) fn cut(&mut self, first: u64, most: u64) {
        let len = self.order.len();
        let index = |number: u64| usize::try_from(number).map_or(len, |n| n.min(len));
        let start = index(first);
        self.order.truncate(start + index(most).min(len - start));
        self.order.drain(..start);
    }

    /// As [`KeptCells::cut`], and frees the memory of the other cells by copying those that remain.
    pub(super) fn narrow(&mut self, first: u64, most: u64) -> Result<(), QueryError> {
        self.cut(first, most);
        let batch = gather(&self.batches, &self.order)?;
        self.forget();
        batch.map_or(Ok(()), |batch| self.add(batch))
    }

    /// Returns the next cells in order, at most `most`.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Batch>, QueryError> {
        let (_, left) = self
            .order
            .split_at_checked(self.given)
            .ok_or_else(|| Bug::new("more cells were returned than are kept"))?;
        let rows = left.get(..most).unwrap_or(left);
        self.given = self.given.exact_add(rows.len())?;
        gather(&self.batches, rows)
    }
}

/// True if there are more than twice the `wanted` cells, and some more: enough to drop the others.
pub(super) fn are_many(rows: u64, wanted: u64) -> bool {
    rows.checked_sub(SPARE)
        .is_some_and(|rows| rows.div_ceil(2) > wanted)
}

/// Returns `most` rows of a batch, starting at row `first`.
pub(super) fn part(batch: Batch, first: u64, most: u64) -> Result<Batch, QueryError> {
    if first == 0 {
        return Ok(batch.first(most)?);
    }
    let many = Bug::new("more rows than can be numbered");
    let end = first.exact_add(most)?;
    let (Ok(first), Ok(end)) = (u32::try_from(first), u32::try_from(end)) else {
        return Err(many.into());
    };
    let rows: Vec<BatchRow> = (first..end).map(|row| (0, row)).collect();
    let gathered = gather(&[batch], &rows)?;
    gathered.ok_or_else(|| Bug::new("a part without rows").into())
}

/// Copies rows of a batch. `rows` must not be empty.
///
/// # Errors
/// Fails if the batch has fewer rows.
pub fn rows_of(batch: &Batch, rows: &[u32]) -> Result<Batch, Bug> {
    let places: Vec<BatchRow> = rows.iter().map(|row| (0, *row)).collect();
    let gathered = gather(std::slice::from_ref(batch), &places);
    let lost = || Bug::new("a batch has fewer rows than it says");
    gathered.map_err(|_| lost())?.ok_or_else(lost)
}

/// Splits off the first `rows` cells of a batch; the rest is `None` if there are no more.
///
/// # Errors
/// Fails if a column has fewer cells than the batch states.
pub fn split(batch: Batch, rows: u64) -> Result<(Batch, Option<Batch>), QueryError> {
    if rows >= batch.rows as u64 {
        return Ok((batch, None));
    }
    let lost = || Bug::new("a batch of more rows than can be numbered");
    let others = (rows..batch.rows as u64).map(|row| u32::try_from(row).map_err(|_| lost()));
    let rest = rows_of(&batch, &others.collect::<Result<Vec<u32>, Bug>>()?)?;
    Ok((batch.first(rows)?, Some(rest)))
}

/// Copies rows of several batches into one batch; `None` if there are no rows.
pub(super) fn gather(batches: &[Batch], rows: &[BatchRow]) -> Result<Option<Batch>, QueryError> {
    let Some(first) = batches.first().filter(|_| !rows.is_empty()) else {
        return Ok(None);
    };
    let columns = (0..first.columns.len())
        .map(|index| {
            let column = |batch: u32| batches.get(batch as usize)?.columns.get(index);
            gather_column(&column, rows)
        })
        .collect::<Option<Vec<Column>>>()
        .ok_or_else(|| Bug::new("a batch has other columns or fewer rows than others"))?;
    Ok(Some(Batch {
        rows: rows.len(),
        columns,
    }))
}

fn gather_column<'a>(
    column: &dyn Fn(u32) -> Option<&'a Column>,
    rows: &[BatchRow],
) -> Option<Column> {
    let (first, _) = rows.first()?;
    let like = column(*first)?;
    let mut values = Vec::new();
    let mut offsets = like.offsets.is_some().then(|| 0_u64.to_le_bytes().to_vec());
    let mut validity = vec![0_u8; rows.len().div_ceil(8)];
    let mut has_nulls = false;
    for (place, (batch, row)) in rows.iter().enumerate() {
        let own = column(*batch)?;
        values.extend_from_slice(own.cell(*row as usize)?);
        if let Some(offsets) = &mut offsets {
            offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
        }
        if own.is_valid(*row as usize) {
            *validity.get_mut(place / 8)? |= 1 << (place % 8);
        } else {
            has_nulls = true;
        }
    }
    Some(Column {
        values: values.into(),
        offsets: offsets.map(Bytes::from),
        validity: has_nulls.then(|| validity.into()),
        name: like.name.clone(),
        enumeration: like.enumeration.clone(),
        ..*like
    })
}

pub(super) fn bytes_of(batch: &Batch) -> u64 {
    let of_column = |column: &Column| {
        let others = [&column.offsets, &column.validity].map(|part| part.as_ref().map(Bytes::len));
        let parts = [Some(column.values.len())].into_iter().chain(others);
        parts.flatten().map(|len| len as u64).sum::<u64>()
    };
    batch.columns.iter().map(of_column).sum()
}
