#[cfg(feature = "serde")]
mod cell;
#[cfg(feature = "serde")]
mod draft;
#[cfg(any(feature = "arrow", feature = "text"))]
mod file;
mod input;
#[cfg(feature = "serde")]
mod rows;
mod stream;

use std::path::Path;
use std::sync::Arc;

use tdb_array::NameSource;
use tdb_cells::{Batch, Column, Progress};
use tdb_change::{Replacing, WrittenCells};
use tdb_open::{Axis, Error, Interval, Order, Result, Time};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, Subarray};
use tdb_store::LocalStore;
use tdb_tile::Range;
use tdb_write::{Duplicates, SortFolder, WriteOptions, WriteOrder, Writer};

use crate::column::{GivenCells, rows};
use crate::{Array, IntoColumn};
use stream::Sink;
pub use stream::WriteStream;

/// A write being built: nothing is stored before [`commit`](Self::commit), which stores everything or nothing.
///
/// In sparse arrays, all dimensions and attributes are columns. In dense arrays, the attributes are columns, for the
/// box given by [`range`](Self::range) (the whole domain by default). If the dimensions are columns too, they give the
/// position of each cell.
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
    /// Columns given as an `ndarray`, with the sides of their box.
    pub(crate) boxes: Vec<(String, Vec<usize>)>,
    replaces: bool,
    dry_run: bool,
    /// Enumerated columns hold indexes instead of labels.
    codes: bool,
}

impl Array {
    /// Begins a write. The written cells are not visible in this array until it is opened again.
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

    /// Sets the cells of a field.
    pub fn column(mut self, field: &str, cells: impl IntoColumn) -> Self {
        self.columns.push((field.to_owned(), cells.into_cells()));
        self
    }

    /// Sets which cells of a nullable attribute are valid, for a column given without `Option`s.
    pub fn validity(mut self, field: &str, valid: impl Into<Vec<bool>>) -> Self {
        self.valid.push((field.to_owned(), valid.into()));
        self
    }

    /// Dense arrays: sets the range of a dimension to write.
    pub fn range(mut self, dimension: &str, interval: impl Into<Interval>) -> Self {
        self.ranges.push((dimension.to_owned(), interval.into()));
        self
    }

    /// Sets the order in which cells are given. The default is row-major for dense arrays and any order for sparse
    /// ones.
    pub fn order(mut self, order: Order) -> Self {
        self.options.order = Some(match order {
            Order::Row => WriteOrder::RowMajor,
            Order::Col => WriteOrder::ColumnMajor,
            Order::Global => WriteOrder::Global,
            Order::Any => WriteOrder::Unordered,
        });
        self
    }

    /// Sets the time of the write; now by default.
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.options.timestamp = Some(time.into().0);
        self
    }

    /// Sparse arrays: writes the first of several cells with equal coordinates. Otherwise they are an error, unless
    /// the array allows duplicates.
    pub fn first_of_duplicates(mut self) -> Self {
        self.options.duplicates = Some(Duplicates::First);
        self
    }

    /// Sparse arrays: sets how cells with equal coordinates are handled. By default they are an error, unless the
    /// array allows duplicates.
    pub fn duplicates(mut self, duplicates: Duplicates) -> Self {
        self.options.duplicates = Some(duplicates);
        self
    }

    /// Files and Arrow: declares that enumerated columns hold indexes instead of labels.
    pub fn enumeration_codes(mut self) -> Self {
        self.codes = true;
        self
    }

    /// Replaces the ranges, the order, the time and other options set so far by a request in the engine's form.
    pub fn with_options(mut self, options: WriteOptions) -> Self {
        self.options = options;
        self
    }

    /// Reports progress to `listener`, which is called often and from any worker thread.
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.array = self.array.progress(listener);
        self
    }

    /// Replaces existing cells with the same coordinates. Attributes without a column keep their values, and are null
    /// in new cells. In dense arrays, the rows give their positions and need not fill a box.
    ///
    /// If the array allows duplicates, the old cells are deleted in the same commit; this works for up to 1,000
    /// places.
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

    /// Sets whether only to count the cells, without writing.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sparse arrays: sets the folder for cells that come in any order and need more than an eighth of the memory,
    /// until they are sorted. Without a folder, all cells are in memory at once.
    ///
    /// # Errors
    /// Fails if the folder does not exist.
    pub fn sort_in(self, folder: &Path) -> Result<Self> {
        LocalStore::open(folder).map_err(Error::of_store)?;
        Ok(self.sort_in_folder(SortFolder::new(folder)))
    }

    /// As [`WriteBuilder::sort_in`], with a folder that need not exist unless cells are spilled.
    pub(crate) fn sort_in_folder(mut self, folder: SortFolder) -> Self {
        self.options.sort_store = Some(Arc::new(folder));
        self
    }

    /// Sets the maximum size of a fragment in bytes; larger writes are split.
    pub fn max_fragment(mut self, bytes: u64) -> Self {
        self.options.max_fragment_bytes = Some(bytes);
        self
    }

    /// Sets the source of names and of the current time.
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.options.names = names;
        self
    }

    /// Writes the columns as one fragment.
    ///
    /// # Errors
    /// Fails if columns do not fit the schema or each other, if cells lie outside of the domain, or if the store
    /// fails.
    pub fn commit(mut self) -> Result<WrittenCells> {
        if !self.replaces {
            let array = self.array.now()?;
            let batch = self.batch(&array)?;
            let mut stream = self.stream_into(&array)?;
            stream.push(&batch)?;
            return stream.finish();
        }
        let mut replacing = Replacing::begin(&self.array, self.replacing_options()?, self.dry_run)?;
        let array = Arc::clone(replacing.array().engine());
        let batch = self.batch(&array)?;
        replacing.push(&batch)?;
        replacing.finish()
    }

    /// Makes a batch of the given columns.
    fn batch(&mut self, array: &tdb_array::Array) -> Result<Batch> {
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
            columns.push(cells.column(&field, array)?);
        }
        for (name, _) in &self.valid {
            if !columns.iter().any(|column| column.name == *name) {
                let what = format!("the validity of {name:?} is given, and no column of that name");
                return Err(Error::invalid(what));
            }
        }
        let rows = columns.first().map_or(0, rows);
        Ok(Batch { rows, columns })
    }

    /// Begins a write batch by batch, for cells that do not all fit into memory. They become part of the array
    /// together, when the stream is finished.
    ///
    /// # Errors
    /// Fails if columns were given, or if the array does not allow the ranges or the order.
    pub fn stream(self) -> Result<WriteStream> {
        if !self.columns.is_empty() {
            let what = "a write takes either columns or batches, not both";
            return Err(Error::invalid(what));
        }
        let array = if self.replaces {
            Arc::clone(self.array.engine())
        } else {
            self.array.now()?
        };
        self.stream_into(&array)
    }

    /// Returns the ranges to write, resolved against the schema.
    fn ranges(&self, schema: &ArraySchema) -> Result<Vec<(String, Range)>> {
        let ranges = self.ranges.iter().map(|(name, interval)| {
            let range = Axis::dimension(schema, name)?.range(interval, false)?;
            Ok((name.clone(), range))
        });
        ranges.collect()
    }

    /// Fails if a column has other sides than the box to write.
    fn check_boxes(&self, schema: &ArraySchema) -> Result<()> {
        if self.boxes.is_empty() {
            return Ok(());
        }
        if !matches!(self.options.order, None | Some(WriteOrder::RowMajor)) {
            let what = "an ndarray is written in row-major order: no other order can be given";
            return Err(Error::invalid(what));
        }
        let is_placed = |(name, _): &(String, _)| schema.dimension_index(name).is_some();
        let wanted = if schema.is_dense() && !self.columns.iter().any(is_placed) {
            let subarray = Subarray::new(schema, &self.ranges(schema)?)
                .map_err(|error| self.array.failed(error))?;
            subarray.shape(schema, |index| schema.bounds(index))
        } else {
            None
        };
        for (name, sides) in &self.boxes {
            let given: Vec<u64> = sides.iter().map(|side| *side as u64).collect();
            // Cells of several values add a last axis, which varies fastest.
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

    /// Returns the options of a write that replaces cells, which has no box of its own.
    fn replacing_options(&self) -> Result<WriteOptions> {
        let mut options = self.options.clone();
        let ranges = self.ranges(self.array.engine().newest_schema())?;
        options.ranges.extend(ranges);
        Ok(options)
    }

    /// Begins a write batch by batch into the array as it is now. If cells are replaced, the change opens it itself.
    fn stream_into(mut self, array: &Arc<tdb_array::Array>) -> Result<WriteStream> {
        let session = self.array.context().shared_session();
        let sink = if self.replaces {
            let options = self.replacing_options()?;
            let replacing = Replacing::new(&self.array, options, self.dry_run)?;
            Sink::Replacing(Box::new(replacing))
        } else {
            let ranges = self.ranges(array.newest_schema())?;
            self.options.ranges.extend(ranges);
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
