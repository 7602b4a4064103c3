//! Rewriting an array with other tiles, filters, orders or fields.
//!
//! The new array is a draft that no other program finds until it is complete. It is written in parts, and part N has
//! its own timestamp, computed from the note in the draft. After an interruption, the timestamps of the committed
//! fragments therefore show which parts exist, and reading the same cells in the same order continues with the next
//! one.

mod marker;
mod parts;
mod schema;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tdb_aggregate::expected_count;
use tdb_array::{
    ChangeOptions, Draft, ErrorKind, MetadataRecord, NameSource, ObjectType, OpenOptions,
    SystemNames, Work,
};
use tdb_cells::{Activity, Batch, Progress};
use tdb_open::place::{self, Place};
use tdb_open::{Array, Context, Error, Result, Schema, Time, in_the_way};
use tdb_query::{ReadOptions, Reader, ResultOrder, named_ranges, split};
use tdb_tile::Exact;
use tdb_write::{Duplicates, SortFolder, WriteOptions, WriteOrder, Writer};

use marker::Marker;
use parts::Parts;
use schema::check;

/// Default number of bytes of cells per part, approximately.
const PART: u64 = 1 << 30;

/// Options of a rewrite.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RewriteOptions {
    /// Approximate bytes of cells committed together; an interrupted rewrite continues after the last complete part.
    pub part_bytes: u64,
    /// Folder for cells that do not fit into memory while they are sorted.
    pub sort_in: Option<PathBuf>,
    /// True to write the first of several cells with equal coordinates if the new array does not allow duplicates;
    /// false to fail.
    pub first_of_duplicates: bool,
    /// Context that opens the new array, if it differs from that of the old one: with another key, or without a key.
    pub target: Option<Context>,
    /// Source of names and of the current time.
    pub names: Arc<dyn NameSource>,
}

impl RewriteOptions {
    /// The context of the new array.
    fn context_of<'a>(&'a self, source: &'a Array) -> &'a Context {
        self.target.as_ref().unwrap_or_else(|| source.context())
    }
}

impl Default for RewriteOptions {
    fn default() -> Self {
        Self {
            part_bytes: PART,
            sort_in: None,
            first_of_duplicates: false,
            target: None,
            names: Arc::new(SystemNames),
        }
    }
}

/// Result of a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewritten {
    /// Number of cells of the old array.
    pub cells: u64,
    /// Number of these cells that an interrupted rewrite had already written.
    pub found: u64,
    /// Names of the new fragments.
    pub fragments: Vec<String>,
    /// Number of metadata keys.
    pub metadata: u64,
}

/// Creates an array with the same cells and metadata but another schema: other tiles, filters, orders, or fewer
/// fields. The cells are those that this array shows; earlier versions of cells are not copied.
///
/// The new array appears only when it is complete. If interrupted, the same call resumes where it stopped.
///
/// # Errors
/// Fails if the schema has other dimensions, or attributes that the array does not have, if something exists at
/// the destination, or if reading or writing fails.
pub fn rewrite(array: &Array, to: &str, schema: &Schema) -> Result<Rewritten> {
    rewrite_with(array, to, schema, &RewriteOptions::default())
}

/// As [`rewrite`], with options.
///
/// # Errors
/// As [`rewrite`].
pub fn rewrite_with(
    array: &Array,
    to: &str,
    schema: &Schema,
    options: &RewriteOptions,
) -> Result<Rewritten> {
    check(array, schema)?;
    let context = options.context_of(array);
    let place = place::vacant(to, context.opener())?;
    let exists = |what: &str| Err(Error::new(ErrorKind::Exists, what.to_owned()).at(to));
    match place.object_type()? {
        ObjectType::Array => return exists("there is an array here already"),
        ObjectType::Group => return exists("there is a group here already"),
        ObjectType::Invalid => {}
    }
    let begun = match begun(array, &place, schema, context)? {
        Some(begun) => begun,
        None => begin(array, &place, schema, options)?,
    };
    let RewriteDraft { draft, marker } = begun;
    let target = drafted(context, &place, &draft)?;
    let source = array.context().open_at(array.uri(), Time(marker.at))?;
    source.check_history(false)?;
    let rewrite = Rewrite {
        expected: expected_count(source.engine(), &ReadOptions::default()),
        source,
        target,
        schema,
        options,
        marker,
    };
    let done = rewrite.run()?;
    draft.publish().map_err(|error| place.failed(error))?;
    Ok(done)
}

/// Creates the draft of the new array, with a note from which it can be resumed.
fn begin(
    array: &Array,
    place: &Place,
    schema: &Schema,
    options: &RewriteOptions,
) -> Result<RewriteDraft> {
    let now = options.names.now();
    let row = schema.row_bytes();
    let marker = Marker {
        from: array.place().absolute_uri(),
        at: array.engine().window().at.min(now),
        begun: now,
        rows: (options.part_bytes / row).max(1),
    };
    let change = ChangeOptions::default()
        .timestamp(Some(now))
        .names(Arc::clone(&options.names));
    let location = options.context_of(array).location(place);
    let note = marker.text();
    let (labels, note) = (schema.enumerations(), note.as_bytes());
    let draft = Draft::begin(&location, Work::Rewrite, note, schema, labels, &change)
        .map_err(|error| in_the_way(place, error))?;
    Ok(RewriteDraft { draft, marker })
}

/// Resumes an interrupted rewrite, if there is one. Committed parts stay, everything else of it is removed.
fn begun(
    array: &Array,
    place: &Place,
    schema: &Schema,
    context: &Context,
) -> Result<Option<RewriteDraft>> {
    let location = context.location(place);
    let failed = |error| place.failed(error);
    let resumed = Draft::resume(&location, Work::Rewrite).map_err(failed)?;
    let Some((draft, note)) = resumed else {
        return Ok(None);
    };
    let exists = |what: &str| Error::new(ErrorKind::Exists, what.to_owned()).at(&place.uri);
    let hint = "use the same options to continue, or remove it to start again";
    let Some(marker) = Marker::of(&note) else {
        let what = "the state of an unfinished rewrite here cannot be read";
        return Err(exists(what).with_hint(format!("use tdb rm {} to remove it", place.uri)));
    };
    if marker.from != array.place().absolute_uri() {
        let what = format!("a rewrite of another array was begun here: {}", marker.from);
        return Err(exists(&what).with_hint(hint));
    }
    let target = drafted(context, place, &draft)?;
    let mut wanted = (**schema).clone();
    let found = target.engine().newest_schema();
    wanted.enumerations.clone_from(&found.enumerations);
    wanted.version = found.version;
    if wanted != **found {
        let what = "a rewrite with another schema was begun here";
        return Err(exists(what).with_hint(hint));
    }
    draft.remove_uncommitted().map_err(failed)?;
    Ok(Some(RewriteDraft { draft, marker }))
}

fn put(array: &Array, records: Vec<MetadataRecord>, change: &ChangeOptions) -> Result<()> {
    let put = array.engine().put_metadata(records, change);
    put.map(|_| ()).map_err(|error| array.failed(error))
}

/// The draft of a new array, and its note.
struct RewriteDraft {
    draft: Draft,
    marker: Marker,
}

/// Opens the draft of a new array, which no other program finds yet.
fn drafted(context: &Context, place: &Place, draft: &Draft) -> Result<Array> {
    let opened = tdb_array::Array::open_location(draft.location(), OpenOptions::default())
        .map_err(|error| place.failed(error))?;
    let place = place.drafted(draft);
    Ok(Array::of_engine(context.clone(), place, Arc::new(opened)))
}

/// A running rewrite.
struct Rewrite<'a> {
    source: Array,
    target: Array,
    schema: &'a Schema,
    options: &'a RewriteOptions,
    marker: Marker,
    /// Number of cells of the source, if known.
    expected: Option<u64>,
}

impl Rewrite<'_> {
    fn run(&self) -> Result<Rewritten> {
        let mut done = Rewritten::default();
        let parts = if self.schema.is_dense() {
            self.write_blocks(&mut done)?
        } else {
            self.write_cells(&mut done)?
        };
        self.finish(parts, &mut done)?;
        Ok(done)
    }

    /// Reports that this number of cells is done.
    fn tell(&self, cells: u64) {
        let progress = Progress::new(Activity::Rewriting, cells).with_cells(cells);
        let session = self.source.context().shared_session();
        session.tell(&progress.of(self.expected));
    }

    /// True if the new array has this part already, recognized by its timestamp.
    fn is_there(&self, part: u64) -> Result<bool> {
        let time = self.marker.time_of(part)?;
        let mut fragments = self.target.engine().fragments().iter();
        Ok(fragments.any(|fragment| fragment.timestamps().0 == time))
    }

    fn writer(&self, part: u64, more: WriteOptions) -> Result<Writer> {
        let mut options = more
            .timestamp(Some(self.marker.time_of(part)?))
            .names(Arc::clone(&self.options.names));
        if let Some(folder) = &self.options.sort_in {
            options.sort_store = Some(Arc::new(SortFolder::new(folder)));
        }
        if self.options.first_of_duplicates {
            options.duplicates = Some(Duplicates::First);
        }
        let session = self.target.context().shared_session();
        let writer = Writer::open(session, self.target.engine(), &options);
        writer.map_err(|error| self.target.failed(error))
    }

    fn reader(&self, more: ReadOptions) -> Result<Reader> {
        let names = self.schema.attributes.iter().map(|a| a.name.clone());
        let options = more
            .attributes(Some(names.collect()))
            .enumeration_codes(true);
        let session = self.source.context().shared_session();
        let reader = Reader::open(session, self.source.engine(), &options);
        reader.map_err(|error| self.source.failed(error))
    }

    /// Dense arrays: writes block by block, and returns the number of blocks.
    fn write_blocks(&self, done: &mut Rewritten) -> Result<u64> {
        let dimensions = &self.schema.dimensions;
        let mut number = 0_u64;
        for block in Parts::of(self.schema, self.source.engine(), self.marker.rows)? {
            let block = block?;
            done.cells = done.cells.exact_add(block.rows)?;
            if self.is_there(number)? {
                done.found = done.found.exact_add(block.rows)?;
            } else {
                let ranges = named_ranges(dimensions, &block.ranges);
                let reader = self.reader(
                    ReadOptions::default()
                        .dimensions(Some(Vec::new()))
                        .ranges(ranges.clone())
                        .order(Some(ResultOrder::RowMajor)),
                )?;
                let mut writer = self.writer(
                    number,
                    WriteOptions::default()
                        .ranges(ranges)
                        .order(Some(WriteOrder::RowMajor)),
                )?;
                for batch in reader {
                    let batch = batch.map_err(|error| self.source.failed(error))?;
                    self.push(&mut writer, batch)?;
                }
                self.commit(writer, done)?;
            }
            self.tell(done.cells);
            number += 1;
        }
        Ok(number)
    }

    /// Sparse arrays: writes the cells in parts of `marker.rows` cells, and returns the number of full parts plus one.
    fn write_cells(&self, done: &mut Rewritten) -> Result<u64> {
        let keeps_order = schema::has_order_of(self.schema, self.source.engine().schema());
        let order = if keeps_order {
            WriteOrder::Global
        } else {
            WriteOrder::Unordered
        };
        let reader = self.reader(ReadOptions::default().order(Some(ResultOrder::Global)))?;
        let (mut number, mut room) = (0_u64, self.marker.rows);
        let mut writer = None;
        for batch in reader {
            let mut rest = Some(batch.map_err(|error| self.source.failed(error))?);
            while let Some(batch) = rest.take() {
                let (now, later) = split(batch, room)?;
                let rows = now.rows as u64;
                if self.is_there(number)? {
                    done.found = done.found.exact_add(rows)?;
                } else {
                    let mut open = match writer.take() {
                        Some(writer) => writer,
                        None => self.writer(number, WriteOptions::default().order(Some(order)))?,
                    };
                    self.push(&mut open, now)?;
                    writer = Some(open);
                }
                done.cells = done.cells.exact_add(rows)?;
                room = room.exact_sub(rows)?;
                if room == 0 {
                    if let Some(writer) = writer.take() {
                        self.commit(writer, done)?;
                    }
                    room = self.marker.rows;
                    number += 1;
                }
                rest = later;
                self.tell(done.cells);
            }
        }
        if let Some(writer) = writer {
            self.commit(writer, done)?;
        }
        Ok(number + 1)
    }

    fn push(&self, writer: &mut Writer, mut batch: Batch) -> Result<()> {
        for column in &mut batch.columns {
            if let Some(index) = self.schema.attribute_index(&column.name)
                && let Some(attribute) = self.schema.attributes.get(index)
            {
                column.nullable = attribute.nullable;
            }
        }
        let pushed = writer.push(&batch);
        pushed.map_err(|error| self.target.failed(error))
    }

    fn commit(&self, writer: Writer, done: &mut Rewritten) -> Result<()> {
        let fragments = writer.finish().map_err(|error| self.target.failed(error))?;
        let names = fragments.iter().map(|name| name.as_str().to_owned());
        done.fragments.extend(names);
        Ok(())
    }

    /// Writes the metadata, after all cells.
    fn finish(&self, parts: u64, done: &mut Rewritten) -> Result<()> {
        let metadata = self.source.metadata()?;
        let records: Vec<MetadataRecord> = metadata
            .iter()
            .map(|(key, value)| MetadataRecord {
                key: key.to_owned(),
                value: Some(value.clone()),
            })
            .collect();
        done.metadata = records.len() as u64;
        let time = self.marker.time_of(parts)?;
        let change = ChangeOptions::default()
            .timestamp(Some(time))
            .names(Arc::clone(&self.options.names));
        put(&self.target, records, &change)?;
        // The timestamps may be ahead of the clock if parts took less than a millisecond each. Wait, so that opening
        // the new array at once shows everything.
        let ahead = time.saturating_sub(self.options.names.now());
        let most = time.exact_sub(self.marker.begun)?;
        std::thread::sleep(Duration::from_millis(ahead.min(most)));
        Ok(())
    }
}
