//! Rows that replace the cells of the same coordinates, and keep the values of attributes that they have no column for.

mod boxes;
mod column;
mod coordinates;
mod there;

use std::sync::Arc;

use coordinates::{Places, lost, place_text};
use tdb_array::{ChangeOptions, Reach, ReadModifyWrite, Sight, View};
use tdb_cells::{Batch, Column, Session};
use tdb_fragment::{Combine, ConditionOp, ConditionTree, ConditionValue};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::{ArraySchema, Attribute};
use tdb_tile::{Bug, Grant};
use tdb_write::{SealedWrite, WriteOptions, Writer};
use there::CellsThere;

use crate::restore::times;
use crate::write_and_delete::{DeleteBeside, commit};
use crate::written::Written;
use crate::{Array, Error, Order, Result, Time};

/// Rows of an array that allows duplicates are replaced by a delete that names each of them: as many as reading it can bear.
const MOST_NAMED: usize = 1_000;

/// What a row of a batch takes in memory beside its cells, about: its place among the others.
const BYTES_OF_ROW: u64 = 96;

/// A write whose rows replace cells. Those of a sparse array without duplicates go on whenever they take an eighth of the
/// memory; others wait for the end, since what is written depends on them all.
#[derive(Debug)]
pub(crate) struct Replacing {
    /// As the change sees it; until the change begins, as of the time of the write.
    array: Array,
    schema: Arc<ArraySchema>,
    session: Session,
    options: WriteOptions,
    /// The change, once anything was read for it.
    change: Option<(ReadModifyWrite, View)>,
    /// When the rows are written that a delete makes room for.
    write_at: Option<u64>,
    writer: Option<Writer>,
    waiting: Vec<Batch>,
    /// Rows were passed on to the writer and are not there any more: the change cannot begin anew.
    is_passed_on: bool,
    held: Vec<Grant>,
    bytes: u64,
    cells: u64,
    replaced: u64,
    /// Cells are only counted.
    dry_run: bool,
}

impl Replacing {
    pub(crate) fn new(array: &Array, options: WriteOptions, dry_run: bool) -> Result<Self> {
        let array = match options.timestamp {
            Some(time) => array.context().open_at(array.uri(), Time(time))?,
            None => array.newest()?,
        };
        if !options.ranges.is_empty() || options.order.is_some() {
            let what = "rows that replace cells say their places themselves, in any order";
            return Err(Error::invalid(what).with_hint("leave out the range and the order"));
        }
        let session = array.context().shared_session().clone();
        let schema = Arc::clone(array.engine().newest_schema());
        Ok(Self {
            array,
            schema,
            session,
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
            dry_run,
        })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.cells
    }

    pub(crate) fn push(&mut self, batch: &Batch) -> Result<()> {
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
        let bytes = sizes.sum::<usize>() as u64;
        let bytes = bytes.saturating_add(BYTES_OF_ROW.saturating_mul(batch.rows as u64));
        let budget = &self.session.limits().budget;
        self.held.push(budget.take(bytes).map_err(Error::of)?);
        self.bytes = self.bytes.saturating_add(bytes);
        self.cells = self.cells.saturating_add(batch.rows as u64);
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

    pub(crate) fn finish(mut self) -> Result<Written> {
        if self.cells == 0 {
            return Ok(Written::default());
        }
        let replaced = self.replaced;
        loop {
            self.replaced = replaced;
            self.look()?;
            let (writers, delete) = self.write()?;
            let written = Written {
                cells: self.cells,
                replaced: self.replaced,
                ..Written::default()
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
            let committed = commit(write, delete.as_ref());
            let committed = committed.map_err(|error| self.array.failed(error))?;
            let reach = match &delete {
                Some(_) => Reach::Everything,
                None => Reach::Domain,
            };
            let is_kept = change.keep(view, &committed, reach);
            if is_kept.map_err(|error| self.array.failed(error))? {
                let names = committed.fragments.iter();
                return Ok(Written {
                    fragments: names.map(|name| name.as_str().to_owned()).collect(),
                    yielded: change.yielded(),
                    ..written
                });
            }
            self.begin_anew()?;
        }
    }

    /// Begins the change, unless it has begun or cells are only counted.
    fn look(&mut self) -> Result<()> {
        if self.dry_run {
            return Ok(());
        }
        if let Some((change, _)) = &mut self.change {
            return change.renew().map_err(|error| self.array.failed(error));
        }
        let options = ChangeOptions {
            timestamp: self.options.timestamp,
            names: Arc::clone(&self.options.names),
        };
        let mut change = self.array.read_modify_write(&options)?;
        self.change = Some(self.view(&mut change).map(|view| (change, view))?);
        Ok(())
    }

    fn view(&mut self, change: &mut ReadModifyWrite) -> Result<View> {
        let sight = match self.options.timestamp {
            Some(_) => Sight::UntilItsTime,
            None => Sight::Everything,
        };
        let view = change.view(sight).map_err(|e| self.array.failed(e))?;
        self.array = self.array.of_view(&view);
        self.schema = Arc::clone(self.array.engine().newest_schema());
        Ok(view)
    }

    /// Looks at the array anew: others have written what the rows are to replace.
    fn begin_anew(&mut self) -> Result<()> {
        if self.is_passed_on {
            let what = "others changed the cells that were to be replaced, and the rows were too many to be kept for another try";
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

    /// Hands all rows to writers; returns these, and the delete of what they replace.
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

    /// Makes last what the writers hold, but for the commit.
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

    /// The writer of a sparse array, taken out.
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

    /// The options of the write, at the time of the change.
    fn write_options(&self) -> WriteOptions {
        let view = self.change.as_ref().map(|(_, view)| view.time());
        let given = self.write_at.or(self.options.timestamp);
        WriteOptions {
            timestamp: given.or(view),
            ..self.options.clone()
        }
    }

    /// The attributes that these rows have no column for.
    fn missing(&self) -> Vec<&Attribute> {
        let has = |a: &&Attribute| {
            let mut batches = self.waiting.iter();
            batches.all(|batch| batch.column(&a.name).is_some())
        };
        let attributes = self.schema.attributes.iter();
        attributes.filter(|attribute| !has(attribute)).collect()
    }

    /// What is there at the places of these rows.
    fn there(&self, places: &Places, missing: &[&Attribute]) -> Result<CellsThere> {
        let options = ReadOptions {
            attributes: Some(missing.iter().map(|a| a.name.clone()).collect()),
            ranges: places.ranges(&self.schema.dimensions),
            order: Some(Order::Any.into()),
            enumeration_codes: true,
            ..ReadOptions::default()
        };
        let mut there = CellsThere::new(places, missing, &self.session);
        let reader = Reader::open(&self.session, self.array.engine(), &options);
        for batch in reader.map_err(|error| self.array.failed(error))? {
            let batch = batch.map_err(|error| self.array.failed(error))?;
            there.take(&self.schema, places, &batch)?;
        }
        Ok(there)
    }

    /// Sparse arrays: the rows that wait go to the writer, with the values that they keep.
    fn complete(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let places = Places::of(&self.schema, &self.waiting)?;
        let there = self.there(&places, &self.missing())?;
        self.pass_on(&places, &there)?;
        self.replaced = self.replaced.saturating_add(there.found());
        Ok(())
    }

    fn pass_on(&mut self, places: &Places, there: &CellsThere) -> Result<()> {
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

    /// Arrays that allow duplicates: the rows, and the delete of the cells that they replace.
    fn replace_named(&mut self) -> Result<Option<DeleteBeside>> {
        let places = Places::of(&self.schema, &self.waiting)?;
        if places.len() > MOST_NAMED {
            let what = format!(
                "the array allows duplicates, where at most {MOST_NAMED} places are replaced at once, and these are {}",
                places.len()
            );
            let hint = "an array that does not allow them has no such bound: tdb rewrite makes one";
            return Err(Error::invalid(what).with_hint(hint));
        }
        let missing = self.missing();
        let there = self.there(&places, &missing)?;
        if let (Some(place), false) = (there.first_repeated(), missing.is_empty()) {
            let (batch, row) = places.row_of(place)?;
            let batch = self.waiting.get(batch).ok_or_else(lost)?;
            let text = place_text(&self.schema, batch, row);
            let what = format!("there are several cells at {text}: which value is kept?");
            return Err(Error::invalid(what).with_hint("give a column for each attribute"));
        }
        let mut delete = None;
        if there.found() > 0 {
            let now = match &self.change {
                Some((_, view)) => view.time(),
                None => self.options.names.now(),
            };
            let (delete_at, write_at) = times(&self.array.newest()?, self.options.timestamp, now)?;
            self.write_at = Some(write_at);
            let change = ChangeOptions {
                timestamp: Some(delete_at),
                names: Arc::clone(&self.options.names),
            };
            delete = Some(DeleteBeside {
                kept: self.elsewhere(&places, &there)?,
                change,
            });
        }
        self.pass_on(&places, &there)?;
        self.replaced = there.cells();
        Ok(delete)
    }

    /// The condition of cells at no place of these rows at which there is one.
    fn elsewhere(&self, places: &Places, there: &CellsThere) -> Result<ConditionTree> {
        let mut all = Vec::new();
        for place in (0..places.len()).filter(|place| there.is_at(*place)) {
            let (batch, row) = places.row_of(place)?;
            let batch = self.waiting.get(batch).ok_or_else(lost)?;
            let mut sides = Vec::new();
            for dimension in &self.schema.dimensions {
                let name = &dimension.name;
                let cell = batch.column(name).and_then(|column| column.cell(row));
                let cell = cell.ok_or_else(lost)?;
                if cell.is_empty() {
                    let what = format!(
                        "no delete can name the empty text of dimension {name:?}, which a cell to be replaced has"
                    );
                    let hint = "an array that does not allow duplicates needs no delete for it";
                    return Err(Error::invalid(what).with_hint(hint));
                }
                let side = ConditionValue::new(name, ConditionOp::NotEqual, cell.to_vec());
                sides.push(ConditionTree::from(side.ok_or_else(lost)?));
            }
            all.push(combined(Combine::Or, sides)?);
        }
        combined(Combine::And, all)
    }
}

fn combined(combine: Combine, parts: Vec<ConditionTree>) -> Result<ConditionTree> {
    if let [only] = &parts[..] {
        return Ok(only.clone());
    }
    let tree = ConditionTree::combine(combine, parts);
    tree.map_err(|_| Bug::new("parts of a condition that cannot be joined").into())
}
