//! What becomes of the cells of a read before they are given: a sample, an order by values, a part of them.

mod best;
mod block;
mod kept;
mod prefix;
mod sample;
#[cfg(any(feature = "arrow", feature = "text"))]
mod sorter;
mod sorting;
mod spilled;

use tdb_cells::{Batch, FieldInfo, Session};
use tdb_query::ReadOptions;
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, TIMESTAMPS};

use crate::{Error, Result};
use best::{Best, End};
use kept::Kept;
pub(crate) use kept::rows_of;
use sample::Sampling;
#[cfg(any(feature = "arrow", feature = "text"))]
pub(crate) use sorter::{SortedCells, Sorter};
pub use sorting::SortKey;
use sorting::sort;
use spilled::{Merged, SortedRuns};

/// Rows of a batch that is given.
const ROWS: usize = 1 << 16;

/// Which of the cells of a read are given, and in which order: sampled first, then sorted, then cut.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Arrangement {
    /// The order by values; equal cells stay in the order of the read.
    pub sort: Vec<SortKey>,
    /// So many cells are left out first.
    pub offset: u64,
    /// No more than so many are given.
    pub limit: Option<u64>,
    /// The last so many are given.
    pub tail: Option<u64>,
    /// So many cells chosen at random, and the seed: the same ones for the same cells in the same order.
    pub sample: Option<(u64, u64)>,
}

/// An [`Arrangement`] of the cells of a certain read.
#[derive(Clone, Debug)]
pub struct Prepared {
    arrangement: Arrangement,
    /// Fields that are read for the order alone.
    beside: Vec<String>,
    /// Rows of a batch of cells that were kept.
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

    /// Fits the options of a read to it: fields that only the order takes are read, too, and no more cells than are needed.
    ///
    /// # Errors
    /// An order by a field that the array does not have.
    pub fn prepare(mut self, schema: &ArraySchema, options: &mut ReadOptions) -> Result<Prepared> {
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
            // What is kept comes as one batch; what is read for it need not.
            options.batch_bytes = None;
        }
        Ok(Prepared {
            arrangement: self,
            beside,
            rows: if is_one { usize::MAX } else { ROWS },
        })
    }

    /// How many of so many cells are given.
    pub(crate) fn given(&self, cells: u64) -> u64 {
        let cells = self.sample.map_or(cells, |(wanted, _)| cells.min(wanted));
        let cells = self.tail.map_or(cells, |tail| cells.min(tail));
        let cells = cells.saturating_sub(self.offset);
        self.limit.map_or(cells, |limit| cells.min(limit))
    }

    /// Fails unless it gives the first cells, or all.
    pub(crate) fn check_whole(&self) -> Result<()> {
        let is_part = self.offset > 0 || self.tail.is_some() || self.sample.is_some();
        let is_first = self.sort.is_empty() || self.limit.is_none();
        if is_part || !is_first {
            let what = "aggregates are of all cells that match, or of the first as they are stored";
            return Err(Error::invalid(what).with_hint("leave offset, tail and sample out"));
        }
        Ok(())
    }

    /// Which end of the order is given, where that is all that is given.
    fn end(&self) -> Option<End> {
        let limit = self.limit.and_then(|limit| limit.checked_add(self.offset));
        let end = self.tail.map(End::Last).or(limit.map(End::First));
        end.filter(|_| !self.sort.is_empty())
    }

    /// Whether what is given are other cells than those of the read but for the end, or in another order.
    pub(crate) fn changes_cells(&self) -> bool {
        self.offset > 0 || self.takes_all()
    }

    /// Whether all cells have to be seen before the first is given.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        !self.sort.is_empty() || self.tail.is_some() || self.sample.is_some()
    }
}

impl Prepared {
    /// The columns of what is given.
    #[must_use]
    pub fn fields(&self, read: &[FieldInfo]) -> Vec<FieldInfo> {
        let given = read
            .iter()
            .filter(|field| !self.beside.contains(&field.name));
        given.cloned().collect()
    }

    /// The cells of a read, arranged. What has to be kept for that counts as memory of the session.
    pub fn apply<I, E>(self, session: &Session, batches: I) -> Arranged<I, E>
    where
        I: Iterator<Item = Result<Batch, E>>,
        E: From<Error>,
    {
        Arranged {
            state: State::Reading(batches),
            session: session.clone(),
            skip: self.arrangement.offset,
            left: self.arrangement.limit,
            prepared: self,
        }
    }
}

/// Iterates over the cells of a read, arranged.
#[derive(Debug)]
pub struct Arranged<I, E> {
    state: State<I, E>,
    session: Session,
    /// Cells that are still to be left out.
    skip: u64,
    /// Cells that are still to be given, where that is limited.
    left: Option<u64>,
    prepared: Prepared,
}

#[derive(Debug)]
enum State<I, E> {
    Reading(I),
    Kept(Kept),
    Merged(Box<Merged>),
    Done(std::marker::PhantomData<E>),
}

impl<I, E> Arranged<I, E>
where
    I: Iterator<Item = Result<Batch, E>>,
    E: From<Error>,
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
                self.skip = self.skip.saturating_sub(skipped);
                let rest = rows.saturating_sub(skipped);
                let wanted = self.left.map_or(rest, |left| left.min(rest));
                if wanted == 0 && self.left != Some(0) {
                    continue;
                }
                self.left = self.left.map(|left| left.saturating_sub(wanted));
                return Ok((wanted > 0)
                    .then(|| kept::part(batch, skipped, wanted))
                    .transpose()?);
            },
            State::Kept(kept) => Ok(kept.next(self.prepared.rows)?),
            State::Merged(merged) => Ok(merged.next(self.prepared.rows)?),
            State::Done(_) => Ok(None),
        }
    }

    /// Reads all, keeps what may be given, and puts it in order.
    fn keep(&self, batches: I) -> Result<State<I, E>, E> {
        let arrangement = &self.prepared.arrangement;
        let mut kept = Kept::new(&self.session.limits().budget);
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
                    kept.forget_before(tail);
                }
            }
        } else if let Some(merged) = self.keep_sorted(&mut kept, batches)? {
            return Ok(State::Merged(Box::new(merged)));
        }
        sort(&mut kept, &arrangement.sort)?;
        let rows = kept.rows();
        let first = arrangement.tail.map_or(0, |tail| rows.saturating_sub(tail));
        let first = first.saturating_add(arrangement.offset);
        kept.cut(first, self.left.map_or(rows, |left| left.min(rows)));
        Ok(State::Kept(kept))
    }

    /// Keeps the cells of the end of an order that is given, or all. Gives them if they are in the temporary folder, since the
    /// memory does not hold them.
    fn keep_sorted(&self, kept: &mut Kept, batches: I) -> Result<Option<Merged>, E> {
        let arrangement = &self.prepared.arrangement;
        let end = arrangement.end();
        let mut best = end.map(|end| Best::new(&arrangement.sort, end));
        // What is given as one batch has to fit into memory anyway.
        let spills = self.prepared.rows != usize::MAX;
        let runs = spills.then(|| SortedRuns::new(&self.session, &arrangement.sort));
        let mut runs = runs.flatten();
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
                // Where there is room for as much again, cells are looked at as before.
                if !runs.is_too_much(kept.bytes().saturating_mul(2)) {
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

impl<I, E> Iterator for Arranged<I, E>
where
    I: Iterator<Item = Result<Batch, E>>,
    E: From<Error>,
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
