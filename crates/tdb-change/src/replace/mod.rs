//! Writing rows that replace cells with the same coordinates; attributes without a column keep their values.
//!
//! The write is an optimistic change, as explained in `set`: if other programs write the same cells
//! meanwhile, it is repeated.

mod boxes;
mod column;
mod coordinates;
mod duplicates;
mod existing_cells;
mod part;

use std::sync::Arc;

use tdb_array::{ChangeOptions, Reach, ReadModifyWrite, View};
use tdb_cells::{Batch, Column, Session};
use tdb_open::{Array, Error, Result};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, Attribute};
use tdb_tile::{Bug, Exact, Grant};
use tdb_write::{SealedWrite, WriteOptions, Writer};

use crate::write_and_delete::{DeleteBeside, commit};
use crate::written_cells::WrittenCells;
pub(crate) use coordinates::place_text;
use coordinates::{Places, lost};
use existing_cells::ExistingCells;

/// Approximate bytes per row in memory in addition to its cells: mostly its place.
const BYTES_OF_ROW: u64 = 96;

/// A write whose rows replace cells. In a sparse array without duplicates, rows are passed to the writer whenever they
/// take an eighth of the memory; otherwise all rows are held until the end, because what is written depends on all of
/// them.
#[derive(Debug)]
pub struct Replacing {
    /// The array as the change sees it; before the change begins, the caller's.
    array: Array,
    schema: Arc<ArraySchema>,
    session: Session,
    options: WriteOptions,
    /// The change, once something was read for it.
    change: Option<(ReadModifyWrite, View)>,
    /// Time of the write that follows a delete.
    write_at: Option<u64>,
    writer: Option<Writer>,
    waiting: Vec<Batch>,
    /// True if rows were passed to the writer and dropped here, so that the change cannot be repeated.
    is_passed_on: bool,
    held: Vec<Grant>,
    bytes: u64,
    cells: u64,
    replaced: u64,
    /// True if the rows are a change of their own; false for a dry run, and for a part of another change.
    makes_change: bool,
    /// True if each row must match an existing cell, and no two rows the same cell.
    are_there: bool,
}

impl Replacing {
    /// Begins the write; `dry_run` only counts. The change begins, and opens the array as of its own time, once the
    /// rows are complete or take too much memory: other changes need not wait for the rows.
    ///
    /// # Errors
    /// Fails if the options have ranges or an order, or, for a dry run, if the array cannot be opened again.
    pub fn new(array: &Array, options: WriteOptions, dry_run: bool) -> Result<Self> {
        if !options.ranges.is_empty() || options.order.is_some() {
            let what = "rows that replace cells have their own coordinates: no range or order can be given";
            return Err(Error::invalid(what).with_hint("leave out the range and the order"));
        }
        // A change needs no more than the dimensions before it views the array, and these never change.
        let array = if dry_run {
            array.as_of(options.timestamp)?
        } else {
            array.clone()
        };
        Ok(Self::begun(array, options, !dry_run))
    }

    /// Like [`Replacing::new`], for rows that follow at once: the change begins here, so that the rows can be made for
    /// the array as it sees it.
    ///
    /// # Errors
    /// Those of [`Replacing::new`]; others that keep changing the array, or an array that cannot be opened again.
    pub fn begin(array: &Array, options: WriteOptions, dry_run: bool) -> Result<Self> {
        let mut replacing = Self::new(array, options, dry_run)?;
        replacing.look()?;
        Ok(replacing)
    }

    /// Returns the array as the write sees it: after [`Replacing::begin`], as of the time of the change.
    #[must_use]
    pub fn array(&self) -> &Array {
        &self.array
    }

    fn begun(array: Array, options: WriteOptions, makes_change: bool) -> Self {
        Self {
            schema: Arc::clone(array.engine().newest_schema()),
            session: array.context().shared_session().clone(),
            array,
            options,
            change: None,
            write_at: None,
            writer: None,
            waiting: Vec::new(),
            is_passed_on: false,
            held: Vec::new(),
            bytes: 0,
            cells: 0,
            replaced: 0,
            makes_change,
            are_there: false,
        }
    }

    /// Returns the number of rows pushed so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.cells
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Fails if rows do not fit the array or the memory; nothing of the write is stored then.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        for dimension in &self.schema.dimensions {
            if batch.column(&dimension.name).is_none() {
                let what = format!("there is no column {:?}", dimension.name);
                let hint = "rows that replace cells need the columns of all dimensions";
                return Err(Error::invalid(what).with_hint(hint));
            }
        }
        let size = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, bytes::Bytes::len);
        let sizes = batch
            .columns
            .iter()
            .map(|c| c.values.len() + size(&c.offsets) + size(&c.validity));
        let beside = BYTES_OF_ROW.exact_mul(batch.rows as u64)?;
        let bytes = beside.exact_add(sizes.sum::<usize>() as u64)?;
        let budget = &self.session.limits().budget;
        self.held.push(budget.take(bytes).map_err(Error::from)?);
        self.bytes = self.bytes.exact_add(bytes)?;
        self.cells = self.cells.exact_add(batch.rows as u64)?;
        self.waiting.push(batch.clone());
        let goes_on = !self.schema.is_dense() && !self.schema.allows_duplicates;
        if goes_on && self.bytes > budget.limit() / 8 {
            self.look()?;
            self.complete()?;
            self.is_passed_on = true;
            self.waiting.clear();
            self.held.clear();
            self.bytes = 0;
        }
        Ok(())
    }

    /// Commits all rows at once.
    ///
    /// # Errors
    /// Fails if reading or writing fails, or if other programs keep changing the same cells.
    pub fn finish(mut self) -> Result<WrittenCells> {
        if self.cells == 0 {
            return Ok(WrittenCells::default());
        }
        let replaced = self.replaced;
        loop {
            self.replaced = replaced;
            self.look()?;
            let (writers, delete) = self.write()?;
            let written = WrittenCells {
                cells: self.cells,
                replaced: self.replaced,
                ..WrittenCells::default()
            };
            let Some((change, view)) = &self.change else {
                return Ok(written);
            };
            let write = self.sealed(writers)?;
            if !change.is_current(view).map_err(|e| self.array.failed(e))? {
                self.begin_anew()?;
                continue;
            }
            let time = write.last_time().unwrap_or_else(|| view.time());
            let announced = change.announce(time);
            announced.map_err(|error| self.array.failed(error))?;
            let committed =
                commit(write, delete.as_ref()).map_err(|error| self.array.failed(error))?;
            let reach = match &delete {
                Some(_) => Reach::Everything,
                None => Reach::Domain,
            };
            let is_kept = change.keep(view, &committed, reach);
            if is_kept.map_err(|error| self.array.failed(error))? {
                let names = committed.fragments.iter();
                return Ok(WrittenCells {
                    fragments: names.map(|name| name.as_str().to_owned()).collect(),
                    yielded: change.yielded(),
                    ..written
                });
            }
            self.begin_anew()?;
        }
    }

    /// Begins the change, if the rows are a change of their own, or renews it if it has begun.
    fn look(&mut self) -> Result<()> {
        if !self.makes_change {
            return Ok(());
        }
        if let Some((change, _)) = &mut self.change {
            return change.renew().map_err(|error| self.array.failed(error));
        }
        let options = ChangeOptions::default()
            .timestamp(self.options.timestamp)
            .names(Arc::clone(&self.options.names));
        let mut change = self.array.read_modify_write(&options)?;
        self.change = Some(self.view(&mut change).map(|view| (change, view))?);
        Ok(())
    }

    fn view(&mut self, change: &mut ReadModifyWrite) -> Result<View> {
        let view = change.view().map_err(|e| self.array.failed(e))?;
        self.array = self.array.of_view(&view);
        self.schema = Arc::clone(self.array.engine().newest_schema());
        Ok(view)
    }

    /// Views the array again, because other programs have written cells that the rows replace.
    fn begin_anew(&mut self) -> Result<()> {
        if self.is_passed_on {
            let what = "other processes changed the cells meanwhile, and there were too many rows to try again";
            let hint =
                "nothing was written: write them again, with more --memory or in smaller files";
            return Err(Error::invalid(what).with_hint(hint));
        }
        self.writer = None;
        self.write_at = None;
        let change = self.change.take();
        let (mut change, _) = change.ok_or_else(|| Bug::new("a change that was not begun"))?;
        self.change = Some(self.view(&mut change).map(|view| (change, view))?);
        Ok(())
    }

    /// Passes all rows to writers. Returns the writers, and the delete of the replaced cells.
    fn write(&mut self) -> Result<(Vec<Writer>, Option<DeleteBeside>)> {
        if self.schema.is_dense() {
            return Ok((self.write_boxes()?, None));
        }
        let delete = if self.schema.allows_duplicates {
            self.replace_named()?
        } else {
            self.complete()?;
            None
        };
        Ok((vec![self.writer()?], delete))
    }

    /// Finishes the writers without committing.
    fn sealed(&self, writers: Vec<Writer>) -> Result<SealedWrite> {
        let mut all: Option<SealedWrite> = None;
        for writer in writers {
            let write = writer.seal().map_err(|error| self.array.failed(error))?;
            all = Some(match all {
                Some(others) => others.with(write),
                None => write,
            });
        }
        Ok(all.ok_or_else(|| Bug::new("rows that no writer has"))?)
    }

    /// Takes the writer of a sparse array, opening it if necessary.
    fn writer(&mut self) -> Result<Writer> {
        match self.writer.take() {
            Some(writer) => Ok(writer),
            None => {
                let options = self.write_options();
                self.open_writer(&options)
            }
        }
    }

    fn open_writer(&self, options: &WriteOptions) -> Result<Writer> {
        let writer = Writer::open(&self.session, self.array.engine(), options);
        writer.map_err(|error| self.array.failed(error))
    }

    /// Returns the write options, at the time of the change.
    fn write_options(&self) -> WriteOptions {
        let view = self.change.as_ref().map(|(_, view)| view.time());
        let given = self.write_at.or(self.options.timestamp);
        self.options.clone().timestamp(given.or(view))
    }

    /// Returns the attributes for which the rows have no column.
    fn missing(&self) -> Vec<&Attribute> {
        let has = |a: &&Attribute| {
            let mut batches = self.waiting.iter();
            batches.all(|batch| batch.column(&a.name).is_some())
        };
        let attributes = self.schema.attributes.iter();
        attributes.filter(|attribute| !has(attribute)).collect()
    }

    /// Reads the existing cells at the places of the rows.
    fn there(&self, places: &Places, missing: &[&Attribute]) -> Result<ExistingCells> {
        let options = ReadOptions::default()
            .attributes(Some(missing.iter().map(|a| a.name.clone()).collect()))
            .ranges(places.ranges(&self.schema.dimensions))
            .order(Some(ResultOrder::Unordered))
            .enumeration_codes(true);
        let mut there = ExistingCells::new(places, missing, &self.session);
        let reader = Reader::open(&self.session, self.array.engine(), &options);
        for batch in reader.map_err(|error| self.array.failed(error))? {
            let batch = batch.map_err(|error| self.array.failed(error))?;
            there.take(&self.schema, places, &batch)?;
        }
        Ok(there)
    }

    /// Sparse arrays: adds the existing values of the attributes without a column to the waiting rows, and passes the
    /// rows to the writer.
    fn complete(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let places = Places::of(&self.schema, &self.waiting)?;
        if self.are_there {
            self.check_each_once(&places)?;
        }
        let there = self.there(&places, &self.missing())?;
        if self.are_there && there.found() < places.len() as u64 {
            let what = "cells that were to be changed are gone: another program changed the array meanwhile";
            return Err(Error::invalid(what).with_hint("nothing was changed: run it again"));
        }
        self.pass_on(&places, &there)?;
        self.replaced = self.replaced.exact_add(there.found())?;
        Ok(())
    }

    /// Fails if two rows are for the same cell.
    fn check_each_once(&self, places: &Places) -> Result<()> {
        let Some((batch, row)) = places.first_repeated() else {
            return Ok(());
        };
        let batch = self.waiting.get(batch).ok_or_else(lost)?;
        let text = place_text(&self.schema, batch, row);
        let what = format!("two rows are for the cell at {text}");
        Err(Error::invalid(what).with_hint("leave one of them out"))
    }

    fn pass_on(&mut self, places: &Places, there: &ExistingCells) -> Result<()> {
        let mut writer = self.writer()?;
        let missing = self.missing();
        for (number, batch) in self.waiting.iter().enumerate() {
            let mut batch = batch.clone();
            let rows = places.of_batch(number);
            let lost = |row| place_text(&self.schema, &batch, row);
            let kept: Vec<Column> = there.columns(&missing, rows, &lost)?;
            batch
                .columns
                .retain(|column| !kept.iter().any(|kept| kept.name == column.name));
            batch.columns.extend(kept);
            let pushed = writer.push(&batch);
            pushed.map_err(|error| self.array.failed(error))?;
        }
        self.writer = Some(writer);
        Ok(())
    }
}
