#[cfg(feature = "serde")]
mod cell;
#[cfg(feature = "serde")]
mod draft;
#[cfg(any(feature = "arrow", feature = "text"))]
mod file;
mod input;
#[cfg(feature = "serde")]
mod rows;

use std::path::Path;
use std::sync::Arc;

use tdb_array::NameSource;
use tdb_cells::{Batch, Column, Progress};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Subarray};
use tdb_store::LocalStore;
use tdb_tile::Range;
pub use tdb_write::input_fields;
use tdb_write::{Duplicates, WriteOptions, WriteOrder, Writer};

use crate::column::{GivenCells, rows};
use crate::interval::Axis;
use crate::replace::Replacing;
use crate::sort_folder::SortFolder;
use crate::written::Written;
use crate::{Array, Error, Interval, IntoColumn, Order, Result, Time};

/// A write in the making: nothing is stored before [`commit`](Self::commit), and then all of it or nothing.
///
/// Of sparse arrays, all dimensions and attributes are columns. Of dense ones, the attributes are, for the box that
/// [`range`](Self::range) names (the whole domain by default); with the dimensions as columns, each cell says its place.
///
/// ```
/// use tdb::{Attribute, Datatype, Dimension, Schema};
///
/// # let folder = tempfile::tempdir()?;
/// # let uri = folder.path().join("weather");
/// # let uri = uri.to_str().expect("a path of text");
/// let schema = Schema::sparse()
///     .dimension(Dimension::new("station", Datatype::StringAscii))
///     .dimension(Dimension::new("day", Datatype::DateTimeDay).domain("2000-01-01"..="2099-12-31").tile(30))
///     .attribute(Attribute::new("temp", Datatype::Float32).nullable())
///     .build()?;
/// let weather = tdb::create(uri, &schema)?;
/// let written = weather
///     .write()
///     .column("station", ["BGN", "KEF"])
///     .column("day", ["2024-01-01", "2024-01-01"])
///     .column("temp", [Some(-3.5_f32), None])
///     .commit()?;
/// assert_eq!(written.cells, 2);
/// assert_eq!(weather.reopen()?.read().count()?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is written before the commit"]
pub struct WriteBuilder {
    array: Array,
    options: WriteOptions,
    ranges: Vec<(String, Interval)>,
    columns: Vec<(String, GivenCells)>,
    valid: Vec<(String, Vec<bool>)>,
    /// Columns that were given with the sides of a box.
    pub(crate) boxes: Vec<(String, Vec<usize>)>,
    replaces: bool,
    dry_run: bool,
    /// Columns of enumerated attributes are their indexes.
    codes: bool,
}

impl Array {
    /// Begins a write. What is written is not seen in this array, but by opening it again.
    pub fn write(&self) -> WriteBuilder {
        WriteBuilder::new(self.clone())
    }
}

impl WriteBuilder {
    fn new(array: Array) -> Self {
        Self {
            array,
            options: WriteOptions::default(),
            ranges: Vec::new(),
            columns: Vec::new(),
            valid: Vec::new(),
            boxes: Vec::new(),
            replaces: false,
            dry_run: false,
            codes: false,
        }
    }

    /// The cells of a field.
    pub fn column(mut self, field: &str, cells: impl IntoColumn) -> Self {
        self.columns.push((field.to_owned(), cells.into_cells()));
        self
    }

    /// Which cells of a nullable attribute are not null, beside a column without `Option`s.
    pub fn validity(mut self, field: &str, valid: impl Into<Vec<bool>>) -> Self {
        self.valid.push((field.to_owned(), valid.into()));
        self
    }

    /// Dense arrays: what of a dimension is written.
    pub fn range(mut self, dimension: &str, interval: impl Into<Interval>) -> Self {
        self.ranges.push((dimension.to_owned(), interval.into()));
        self
    }

    /// The order in which the cells are given; by default row-major for dense arrays, any for sparse ones.
    pub fn order(mut self, order: Order) -> Self {
        self.options.order = Some(match order {
            Order::Row => WriteOrder::RowMajor,
            Order::Col => WriteOrder::ColumnMajor,
            Order::Global => WriteOrder::Global,
            Order::Any => WriteOrder::Unordered,
        });
        self
    }

    /// The time of the write; now by default.
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.options.timestamp = Some(time.into().0);
        self
    }

    /// Sparse arrays: of cells with the same coordinates the first is written; otherwise they are an error, unless the array
    /// allows them.
    pub fn first_of_duplicates(mut self) -> Self {
        self.options.duplicates = Some(Duplicates::First);
        self
    }

    /// Sparse arrays: what becomes of cells with the same coordinates. By default they are an error, unless the array allows
    /// them.
    pub fn duplicates(mut self, duplicates: Duplicates) -> Self {
        self.options.duplicates = Some(duplicates);
        self
    }

    /// Files and Arrow: columns of enumerated attributes hold their indexes, not their labels.
    pub fn enumeration_codes(mut self) -> Self {
        self.codes = true;
        self
    }

    /// In place of the range, the order, the time and the like that were said so far, a request as the engine takes it.
    pub fn with_options(mut self, options: WriteOptions) -> Self {
        self.options = options;
        self
    }

    /// Tells how far it has come, often, on whichever thread works.
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.array = self.array.progress(listener);
        self
    }

    /// The rows replace the cells of the same coordinates: attributes without a column keep their values, and are null in
    /// cells that are new. Of dense arrays, the rows say their places, and need not fill a box.
    ///
    /// An array that allows duplicates is told by a delete which cells go, in the same commit: of up to 1,000 places.
    ///
    /// ```no_run
    /// let orders = tdb::open("orders")?;
    /// let written = orders.write().replace().column("id", [377]).column("amount", [12.5]).commit()?;
    /// assert_eq!(written.replaced, 1);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    pub fn replace(mut self) -> Self {
        self.replaces = true;
        self
    }

    /// Only counts the cells: nothing is written.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sparse arrays: cells that come in any order, and take more than an eighth of the memory, are kept here until they are
    /// sorted; without this, all are in memory at once.
    ///
    /// # Errors
    /// A folder that is not there.
    pub fn sort_in(self, folder: &Path) -> Result<Self> {
        LocalStore::open(folder)?;
        Ok(self.sort_in_folder(SortFolder::new(folder)))
    }

    /// As [`WriteBuilder::sort_in`], in a folder that need not be there unless something is kept.
    pub(crate) fn sort_in_folder(mut self, folder: SortFolder) -> Self {
        self.options.sort_store = Some(Arc::new(folder));
        self
    }

    /// Begins another fragment where one gets larger, in bytes.
    pub fn max_fragment(mut self, bytes: u64) -> Self {
        self.options.max_fragment_bytes = Some(bytes);
        self
    }

    /// Where names and the current time come from.
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.options.names = names;
        self
    }

    /// Writes the columns as one fragment.
    ///
    /// # Errors
    /// Columns that do not fit the schema or each other, cells outside of the domain; as the store reports.
    pub fn commit(mut self) -> Result<Written> {
        let array = self.array.now()?;
        let schema = Arc::clone(array.newest_schema());
        let mut columns: Vec<Column> = Vec::new();
        self.check_boxes(&schema)?;
        for (name, mut cells) in std::mem::take(&mut self.columns) {
            if let Some((_, valid)) = self.valid.iter().find(|(field, _)| *field == name) {
                cells.valid = Some(valid.clone());
            }
            let field = schema.field(&name).ok_or_else(|| {
                let known = schema.fields().map(|field| field.name);
                Error::from(UnknownName::new("field", &name, known))
            })?;
            columns.push(cells.column(&field, &array)?);
        }
        for (name, _) in &self.valid {
            if !columns.iter().any(|column| column.name == *name) {
                let what = format!("the validity of {name:?} is given, and no column of that name");
                return Err(Error::invalid(what));
            }
        }
        let rows = columns.first().map_or(0, rows);
        let mut stream = self.stream_into(&array)?;
        stream.push(&Batch { rows, columns })?;
        stream.finish()
    }

    /// Writes batch by batch, for cells that are not all in memory: they become part of the array together, when the
    /// stream is finished.
    ///
    /// # Errors
    /// Ranges and an order that are not possible for the array.
    pub fn stream(self) -> Result<WriteStream> {
        if !self.columns.is_empty() {
            let what =
                "columns are given for a write, and so are batches: it takes the one or the other";
            return Err(Error::invalid(what));
        }
        let array = self.array.now()?;
        self.stream_into(&array)
    }

    /// What of the dimensions is written.
    fn ranges(&self, schema: &ArraySchema) -> Result<Vec<(String, Range)>> {
        let ranges = self.ranges.iter().map(|(name, interval)| {
            let range = Axis::dimension(schema, name)?.range(interval, false)?;
            Ok((name.clone(), range))
        });
        ranges.collect()
    }

    /// Fails where a column has other sides than the box that is written.
    fn check_boxes(&self, schema: &ArraySchema) -> Result<()> {
        if self.boxes.is_empty() {
            return Ok(());
        }
        if !matches!(self.options.order, None | Some(WriteOrder::RowMajor)) {
            let what =
                "the cells of an ndarray are given in row-major order, and another one is said";
            return Err(Error::invalid(what));
        }
        let is_placed = |(name, _): &(String, _)| schema.dimension_index(name).is_some();
        let wanted = if schema.is_dense() && !self.columns.iter().any(is_placed) {
            let subarray = Subarray::new(schema, &self.ranges(schema)?);
            let subarray = subarray.map_err(|error| self.array.failed(error))?;
            subarray.shape(schema, |index| schema.bounds(index))
        } else {
            None
        };
        for (name, sides) in &self.boxes {
            let given: Vec<u64> = sides.iter().map(|side| *side as u64).collect();
            // A cell of several values is an axis of its own, the fastest.
            let has_values = schema
                .field(name)
                .is_some_and(|f| f.cell_val_num.fixed() != Some(1));
            let is_box = |sides: &[u64]| {
                wanted
                    .as_ref()
                    .map_or(sides.len() == 1, |wanted| sides == wanted)
            };
            let without_values = given.split_last().filter(|_| has_values);
            let fits = is_box(&given) || without_values.is_some_and(|(_, sides)| is_box(sides));
            if !fits {
                let wanted =
                    wanted.map_or("a single axis".to_owned(), |wanted| format!("{wanted:?}"));
                let what = format!(
                    "column {name:?}: an ndarray with the sides {given:?} is given, and {wanted} is to be written"
                );
                let hint = "`range` says which box is written; by default it is the whole domain";
                return Err(Error::invalid(what).with_hint(hint));
            }
        }
        Ok(())
    }

    fn stream_into(mut self, array: &Arc<tdb_array::Array>) -> Result<WriteStream> {
        let ranges = self.ranges(array.newest_schema())?;
        self.options.ranges.extend(ranges);
        let session = self.array.context().shared_session();
        let sink = if self.replaces {
            Sink::Replacing(Box::new(Replacing::new(
                &self.array,
                self.options,
                self.dry_run,
            )?))
        } else {
            let writer = Writer::open(session, array, &self.options);
            Sink::New(writer.map_err(|error| self.array.failed(error))?)
        };
        Ok(WriteStream {
            array: self.array,
            sink,
            dry_run: self.dry_run,
        })
    }
}

/// A write that goes on batch by batch.
#[derive(Debug)]
#[must_use = "nothing is part of the array before the stream is finished"]
pub struct WriteStream {
    array: Array,
    sink: Sink,
    dry_run: bool,
}

/// Where the cells go.
#[derive(Debug)]
enum Sink {
    New(Writer),
    Replacing(Box<Replacing>),
}

impl WriteStream {
    /// Adds the cells of a batch.
    ///
    /// # Errors
    /// Cells that do not fit the array. After an error nothing of the write is stored.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        match &mut self.sink {
            Sink::New(writer) => writer.push(batch).map_err(|error| self.array.failed(error)),
            Sink::Replacing(replacing) => replacing.push(batch),
        }
    }

    /// Cells that were pushed.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.sink {
            Sink::New(writer) => writer.rows(),
            Sink::Replacing(replacing) => replacing.rows(),
        }
    }

    /// Makes all cells part of the array, at once.
    ///
    /// # Errors
    /// As the store reports; cells with the same coordinates, where the array does not allow them.
    pub fn finish(self) -> Result<Written> {
        let writer = match self.sink {
            Sink::New(writer) => writer,
            Sink::Replacing(replacing) => return replacing.finish(),
        };
        let cells = writer.rows();
        if self.dry_run {
            return Ok(Written {
                cells,
                ..Written::default()
            });
        }
        let fragments = writer.finish();
        let fragments = fragments.map_err(|error| self.array.failed(error))?;
        let names = fragments.iter().map(|name| name.as_str().to_owned());
        Ok(Written {
            cells,
            fragments: names.collect(),
            ..Written::default()
        })
    }
}
