//! Sampling, sorting and cutting the cells of a read before the caller gets them.

mod best;
mod block;
mod kept_cells;
mod prefix;
mod sample;
mod sorted_runs;
mod sorter;
mod sorting;

use tdb_cells::{Batch, FieldInfo, Session};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, TIMESTAMPS};
use tdb_tile::Exact;

use crate::{QueryError, ReadOptions};
use best::{Best, End};
use kept_cells::KeptCells;
pub use kept_cells::{rows_of, split};
use sample::Sampling;
use sorted_runs::{MergedRuns, SortedRuns};
pub use sorter::{SortedCells, Sorter};
pub use sorting::SortKey;
use sorting::sort;

/// Maximum number of rows per batch given to the caller.
const ROWS: usize = 1 << 16;

/// Selection and order of the cells that a read returns: sampled first, then sorted, then cut to offset, limit or
/// tail.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Arrangement {
    /// Sort keys, most significant first; cells with equal keys stay in the order of the read.
    pub sort: Vec<SortKey>,
    /// Number of cells skipped at the start.
    pub offset: u64,
    /// Maximum number of cells returned; `None` for no limit.
    pub limit: Option<u64>,
    /// Number of cells returned from the end; `None` for all.
    pub tail: Option<u64>,
    /// Size of a random sample, and its seed. The same seed picks the same cells whenever the read gives the same
    /// cells in the same order.
    pub sample: Option<(u64, u64)>,
}

/// An [`Arrangement`] fitted to one read.
#[derive(Clone, Debug)]
pub struct FittedArrangement {
    arrangement: Arrangement,
    /// Fields that are read only for sorting and are not returned.
    beside: Vec<String>,
    /// Maximum number of rows per batch of cells that were held in memory.
    rows: usize,
}

macro_rules! with {
    ($($function:ident, $field:ident: $kind:ty;)*) => {$(
        #[doc = concat!("The same with another [`Arrangement::", stringify!($field), "`].")]
        #[must_use]
        pub fn $function(mut self, $field: $kind) -> Self {
            self.$field = $field;
            self
        }
    )*};
}

impl Arrangement {
    with! {
        with_sort, sort: Vec<SortKey>;
        with_offset, offset: u64;
        with_limit, limit: Option<u64>;
        with_tail, tail: Option<u64>;
        with_sample, sample: Option<(u64, u64)>;
    }

    /// Adapts the options of a read: adds the fields needed only for sorting, and limits the read to the cells needed.
    ///
    /// # Errors
    /// Fails if a sort key names a field that the array does not have.
    pub fn prepare(
        mut self,
        schema: &ArraySchema,
        options: &mut ReadOptions,
    ) -> Result<FittedArrangement, QueryError> {
        let mut beside = Vec::new();
        for key in &mut self.sort {
            key.resolve(schema)?;
            let list = match schema.dimension_index(&key.field) {
                Some(_) => &mut options.dimensions,
                None if schema.attribute_index(&key.field).is_some() => &mut options.attributes,
                None if key.field == TIMESTAMPS => {
                    let attributes = schema.attributes.iter();
                    let all = || attributes.map(|attribute| attribute.name.clone()).collect();
                    options.attributes.get_or_insert_with(all);
                    &mut options.attributes
                }
                None => {
                    let known = schema.fields().map(|field| field.name);
                    return Err(UnknownName::new("field", &key.field, known).into());
                }
            };
            if let Some(names) = list.as_mut().filter(|names| !names.contains(&key.field)) {
                names.push(key.field.clone());
                beside.push(key.field.clone());
            }
        }
        let limit = self.limit.and_then(|limit| limit.checked_add(self.offset));
        options.limit = limit.filter(|_| !self.takes_all());
        let is_one = options.batch_bytes == Some(u64::MAX);
        if is_one && self.takes_all() {
            // The kept cells are returned as one batch, but they may be read in smaller ones.
            options.batch_bytes = None;
        }
        Ok(FittedArrangement {
            arrangement: self,
            beside,
            rows: if is_one { usize::MAX } else { ROWS },
        })
    }

    /// Returns how many of `cells` cells are returned to the caller.
    pub fn given(&self, cells: u64) -> u64 {
        let cells = self.sample.map_or(cells, |(wanted, _)| cells.min(wanted));
        let cells = self
            .tail
            .map_or(cells, |tail| cells.min(tail))
            .saturating_sub(self.offset);
        self.limit.map_or(cells, |limit| cells.min(limit))
    }

    /// Fails unless the arrangement returns all cells, or the first ones in their stored order.
    pub fn check_whole(&self) -> Result<(), QueryError> {
        let is_part = self.offset > 0 || self.tail.is_some() || self.sample.is_some();
        let is_first = self.sort.is_empty() || self.limit.is_none();
        if is_part || !is_first {
            return Err(QueryError::AggregatedPart);
        }
        Ok(())
    }

    /// Returns which end of the sort order is needed, and how many cells of it; `None` without a sort, or if all cells
    /// are needed.
    fn end(&self) -> Option<End> {
        let limit = self.limit.and_then(|limit| limit.checked_add(self.offset));
        let end = self.tail.map(End::Last).or(limit.map(End::First));
        end.filter(|_| !self.sort.is_empty())
    }

    /// True if offset, tail, sample or sort change which cells are returned or their order. A limit alone does not.
    pub fn changes_cells(&self) -> bool {
        self.offset > 0 || self.takes_all()
    }

    /// True if all cells have to be read before the first can be returned.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        !self.sort.is_empty() || self.tail.is_some() || self.sample.is_some()
    }
}

impl FittedArrangement {
    /// Returns the columns that remain after the fields read only for sorting are dropped.
    #[must_use]
    pub fn fields(&self, read: &[FieldInfo]) -> Vec<FieldInfo> {
        let given = read
            .iter()
            .filter(|field| !self.beside.contains(&field.name));
        given.cloned().collect()
    }

    /// Arranges the cells of a read. Cells kept in memory count against the session's memory budget.
    pub fn apply<I, E>(self, session: &Session, batches: I) -> ArrangedCells<I, E>
    where
        I: Iterator<Item = Result<Batch, E>>,
        E: From<QueryError>,
    {
        ArrangedCells {
            state: State::Reading(batches),
            session: session.clone(),
            skip: self.arrangement.offset,
            left: self.arrangement.limit,
            prepared: self,
        }
    }
}

/// Iterator over the arranged cells of a read.
#[derive(Debug)]
pub struct ArrangedCells<I, E> {
    state: State<I, E>,
    session: Session,
    /// Number of cells still to skip.
    skip: u64,
    /// Number of cells still to return; `None` for no limit.
    left: Option<u64>,
    prepared: FittedArrangement,
}

#[derive(Debug)]
enum State<I, E> {
    Reading(I),
    Kept(KeptCells),
    Merged(Box<MergedRuns>),
    Done(std::marker::PhantomData<E>),
}

impl<I, E> ArrangedCells<I, E>
where
    I: Iterator<Item = Result<Batch, E>>,
    E: From<QueryError>,
{
    fn next_batch(&mut self) -> Result<Option<Batch>, E> {
        if self.prepared.arrangement.takes_all() {
            let state = std::mem::replace(&mut self.state, State::Done(std::marker::PhantomData));
            self.state = match state {
                State::Reading(batches) => self.keep(batches)?,
                other => other,
            };
        }
        match &mut self.state {
            State::Reading(batches) => loop {
                let Some(batch) = batches.next().transpose()? else {
                    return Ok(None);
                };
                let rows = batch.rows as u64;
                let skipped = self.skip.min(rows);
                self.skip = self.skip.exact_sub(skipped).map_err(QueryError::from)?;
                let rest = rows.exact_sub(skipped).map_err(QueryError::from)?;
                let wanted = self.left.map_or(rest, |left| left.min(rest));
                if wanted == 0 && self.left != Some(0) {
                    continue;
                }
                let left = self.left.map(|left| left.exact_sub(wanted)).transpose();
                self.left = left.map_err(QueryError::from)?;
                return Ok((wanted > 0)
                    .then(|| kept_cells::part(batch, skipped, wanted))
                    .transpose()?);
            },
            State::Kept(kept) => Ok(kept.next(self.prepared.rows)?),
            State::Merged(merged) => Ok(merged.next(self.prepared.rows)?),
            State::Done(_) => Ok(None),
        }
    }

    /// Reads all cells, keeps those that may be returned, and sorts them.
    fn keep(&self, batches: I) -> Result<State<I, E>, E> {
        let arrangement = &self.prepared.arrangement;
        let mut kept = KeptCells::new(&self.session.limits().budget);
        if let Some(sample) = arrangement.sample {
            let mut sampling = Sampling::new(sample);
            for batch in batches {
                sampling.add(&mut kept, &batch?)?;
            }
            sampling.finish(&mut kept)?;
        } else if arrangement.sort.is_empty() {
            for batch in batches {
                kept.add(batch?)?;
                if let Some(tail) = arrangement.tail {
                    kept.forget_before(tail).map_err(QueryError::from)?;
                }
            }
        } else if let Some(merged) = self.keep_sorted(&mut kept, batches)? {
            return Ok(State::Merged(Box::new(merged)));
        }
        sort(&mut kept, &arrangement.sort)?;
        let rows = kept.rows();
        let before = arrangement.tail.map_or(0, |tail| rows.saturating_sub(tail));
        // An offset that is too large leaves no cell, as any beyond the last one.
        let first = before.saturating_add(arrangement.offset);
        kept.cut(first, self.left.map_or(rows, |left| left.min(rows)));
        Ok(State::Kept(kept))
    }

    /// Keeps all cells, or those at the end of the sort order that is returned. Returns the merged runs if the cells
    /// did not fit into memory and were spilled to the temporary folder; `None` if `kept` holds them all.
    fn keep_sorted(&self, kept: &mut KeptCells, batches: I) -> Result<Option<MergedRuns>, E> {
        let arrangement = &self.prepared.arrangement;
        let end = arrangement.end();
        let mut best = end.map(|end| Best::new(&arrangement.sort, end));
        // A result given as one batch has to fit into memory anyway, so spilling would not help.
        let spills = self.prepared.rows != usize::MAX;
        let mut runs = spills
            .then(|| SortedRuns::new(&self.session, &arrangement.sort))
            .flatten();
        for batch in batches {
            let batch = batch?;
            match &mut best {
                Some(best) => best.add(kept, &batch)?,
                None => kept.add(batch)?,
            }
            let Some(runs) = runs.as_mut().filter(|runs| runs.is_too_much(kept.bytes())) else {
                continue;
            };
            if let Some(best) = &mut best {
                best.narrow(kept)?;
                // If at most half of the memory is used after narrowing, go on without spilling.
                if !runs.is_too_much(kept.bytes().exact_mul(2).map_err(QueryError::from)?) {
                    continue;
                }
            }
            runs.spill(kept)?;
            best = None;
        }
        let Some(mut runs) = runs.filter(|runs| !runs.is_empty()) else {
            return Ok(None);
        };
        if kept.rows() > 0 {
            runs.spill(kept)?;
        }
        Ok(Some(runs.finish(
            arrangement.tail,
            arrangement.offset,
            self.left,
        )?))
    }
}

impl<I, E> Iterator for ArrangedCells<I, E>
where
    I: Iterator<Item = Result<Batch, E>>,
    E: From<QueryError>,
{
    type Item = Result<Batch, E>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut next = self.next_batch();
        if let Ok(Some(batch)) = &mut next {
            let beside = &self.prepared.beside;
            batch
                .columns
                .retain(|column| !beside.contains(&column.name));
        }
        if !matches!(next, Ok(Some(_))) {
            self.state = State::Done(std::marker::PhantomData);
        }
        next.transpose()
    }
}
