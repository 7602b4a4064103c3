use std::sync::Arc;

use tdb_array::NameSource;
use tdb_cells::{Batch, Column};
use tdb_schema::names::UnknownName;
use tdb_write::{Duplicates, WriteOptions, WriteOrder, Writer};

use crate::column::{GivenCells, rows};
use crate::interval::Axis;
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
}

impl Array {
    /// Begins a write. What is written is not seen in this array, but by opening it again.
    pub fn write(&self) -> WriteBuilder {
        WriteBuilder::new(self.clone())
    }
}

/// What a write did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Cells that were given.
    pub cells: u64,
    /// Names of the new fragments: none where there was no cell.
    pub fragments: Vec<String>,
}

impl WriteBuilder {
    fn new(array: Array) -> Self {
        Self {
            array,
            options: WriteOptions::default(),
            ranges: Vec::new(),
            columns: Vec::new(),
            valid: Vec::new(),
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

    fn stream_into(mut self, array: &Arc<tdb_array::Array>) -> Result<WriteStream> {
        for (name, interval) in &self.ranges {
            let range = Axis::dimension(array.newest_schema(), name)?.range(interval, false)?;
            self.options.ranges.push((name.clone(), range));
        }
        let session = self.array.context().shared_session();
        let writer = Writer::open(session, array, &self.options)
            .map_err(|error| self.array.failed(error))?;
        Ok(WriteStream {
            array: self.array,
            writer,
        })
    }
}

/// A write that goes on batch by batch.
#[derive(Debug)]
#[must_use = "nothing is part of the array before the stream is finished"]
pub struct WriteStream {
    array: Array,
    writer: Writer,
}

impl WriteStream {
    /// Adds the cells of a batch.
    ///
    /// # Errors
    /// Cells that do not fit the array. After an error nothing of the write is stored.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        let pushed = self.writer.push(batch);
        pushed.map_err(|error| self.array.failed(error))
    }

    /// Makes all cells part of the array, at once.
    ///
    /// # Errors
    /// As the store reports; cells with the same coordinates, where the array does not allow them.
    pub fn finish(self) -> Result<Written> {
        let cells = self.writer.rows();
        let fragments = self.writer.finish();
        let fragments = fragments.map_err(|error| self.array.failed(error))?;
        let names = fragments.iter().map(|name| name.as_str().to_owned());
        Ok(Written {
            cells,
            fragments: names.collect(),
        })
    }
}
