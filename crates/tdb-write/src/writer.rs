use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, TimestampedName};
use tdb_cells::{Batch, Session, WholeTiles};
use tdb_fragment::{ConditionTree, FragmentIndex};
use tdb_schema::FieldKind;
use tdb_tile::Exact;

use crate::buffered_cells::BufferedCells;
use crate::copies::{CopiedFragment, Copies};
use crate::dense::placed;
use crate::dense_stream::{DenseStream, waiting};
use crate::gather::pick_cells;
use crate::input::CheckedCells;
use crate::options::{WriteOptions, WriteOrder};
use crate::repeated::{DuplicateRule, StoredCells};
use crate::runs::Runs;
use crate::sealed_write::SealedWrite;
use crate::series::Series;
use crate::sparse::OrderedWriter;
use crate::target::FragmentTarget;
use crate::unordered::UnorderedWriter;
use crate::{OrderProblem, PlaceProblem, WriteError, coordinates, filter_check};

/// Writes cells into an array, batch by batch.
///
/// All batches of a writer form one atomic write: readers see all of it once [`Writer::finish`] returns, and nothing
/// before. If a writer is dropped or has failed, the array is unchanged.
#[derive(Debug)]
pub struct Writer {
    fields: Vec<FieldKind>,
    target: Arc<FragmentTarget>,
    /// Number of cells so far.
    seen: u64,
    sink: Option<Sink>,
}

#[derive(Debug)]
enum Sink {
    Ordered(Box<OrderedWriter>),
    Unordered(Box<UnorderedWriter>),
    Dense(Box<DenseWriter>),
}

impl Writer {
    /// Starts a write into an array, with the newest schema of the array.
    ///
    /// Each batch must have a column for every attribute and, for a sparse array, for every dimension; the order of
    /// columns does not matter. For a dense array, batches may also have columns for all dimensions: each cell is
    /// then placed at its coordinates, in any order, and the cells must fill a box.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
    /// use tdb_cells::{Batch, Column, Session};
    /// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
    /// use tdb_store::MemoryStore;
    /// use tdb_tile::Datatype::Int32;
    /// use tdb_write::{WriteOptions, Writer};
    ///
    /// let day = Dimension::numbers("day", Int32, (1, 365), 7);
    /// let rain = Attribute::new("rain", Int32);
    /// let schema = ArraySchema::new(ArrayType::Sparse, vec![day], vec![rain]);
    /// # let mut schema = schema;
    /// # // By default it takes zstd, which is a feature.
    /// # schema.coords_filters = tdb_filters::FilterList::default();
    /// let weather = Location::new(Arc::new(MemoryStore::new()), "weather");
    /// Array::create(&weather, &schema, &[], &ChangeOptions::at(1))?;
    /// let array = Arc::new(Array::open_location(&weather, OpenOptions::default())?);
    ///
    /// let session = Session::default();
    /// let days = Column::of_numbers("day", Int32, &[40, 3])?;
    /// let rain = Column::of_numbers("rain", Int32, &[7, 0])?;
    /// let columns = vec![days, rain];
    /// let mut writer = Writer::open(&session, &array, &WriteOptions::default())?;
    /// writer.push(&Batch { rows: 2, columns })?;
    /// let fragments = writer.finish()?;
    /// assert_eq!(fragments.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](tdb_array::ErrorKind::Invalid) for options that the array does not support; filters that
    /// cannot encode.
    pub fn open(
        session: &Session,
        array: &Arc<Array>,
        options: &WriteOptions,
    ) -> Result<Self, WriteError> {
        let replacement = options.replacement.clone();
        let times = replacement.as_ref().map(|replacement| replacement.times);
        let target = Arc::new(FragmentTarget::new(session, array, replacement)?);
        let schema = &target.schema;
        let times = times.or(options.timestamp.map(|time| (time, time)));
        let most = options.max_fragment_bytes;
        // A replacement is checked when it is committed.
        if most.is_some() && target.replacement.is_none() && !target.version.has_fragment_folder() {
            let version = target.version;
            return Err(WriteError::SeveralFragments { version });
        }
        let series = Series::new(Arc::clone(&target), Arc::clone(&options.names), times, most);
        let order = match (options.order, schema.is_dense()) {
            (Some(order), _) => order,
            (None, _) if target.replacement.is_some() => WriteOrder::Global,
            (None, true) => WriteOrder::RowMajor,
            (None, false) => WriteOrder::Unordered,
        };
        if target.replacement.is_some() && order != WriteOrder::Global {
            return Err(WriteError::Order(OrderProblem::Replacement));
        }
        let sink = if schema.is_dense() {
            dense_sink(&target, series, order, options)?
        } else {
            sparse_sink(&target, series, order, options)?
        };
        Ok(Self {
            fields: target.fields(),
            target,
            seen: 0,
            sink: Some(sink),
        })
    }

    /// Adds the cells of a batch. The whole batch is validated before any of it is written.
    ///
    /// # Errors
    /// [`WriteError::Column`] and [`WriteError::Cell`] for data that does not fit the array; errors of the store.
    /// After an error the writer cannot be used again.
    pub fn push(&mut self, batch: &Batch) -> Result<(), WriteError> {
        let Some(mut sink) = self.sink.take() else {
            return Err(WriteError::Failed);
        };
        match &mut sink {
            Sink::Dense(writer) => writer.push(&self.fields, batch, self.seen)?,
            Sink::Ordered(writer) => writer.push(&self.check(batch)?)?,
            Sink::Unordered(writer) => writer.push(self.check(batch)?)?,
        }
        self.seen = self.seen.exact_add(batch.rows as u64)?;
        self.sink = Some(sink);
        Ok(())
    }

    /// Validates the cells of a batch for a sparse array.
    fn check(&self, batch: &Batch) -> Result<CheckedCells, WriteError> {
        let schema = &self.target.schema;
        let cells = CheckedCells::check(schema, &self.fields, batch, self.seen)?;
        if self.target.replacement.is_none() {
            coordinates::check(schema, &cells, self.seen)?;
        }
        filter_check::check(&self.target, &self.fields, &cells, self.seen)?;
        Ok(cells)
    }

    /// Whether [`Writer::copy`] may be called now. For sparse arrays, the cells so far must end at a tile border. For
    /// dense arrays this is always true, and [`Writer::copy`] checks the border.
    #[must_use]
    pub fn is_between_tiles(&self) -> bool {
        match &self.sink {
            Some(Sink::Ordered(writer)) => writer.is_between_tiles(),
            Some(Sink::Dense(_)) => true,
            Some(Sink::Unordered(_)) | None => false,
        }
    }

    /// Adds tiles in stored form, in global order. They are decoded, to check them and to compute their statistics,
    /// but not encoded again.
    ///
    /// # Errors
    /// Damaged tiles, and the errors of [`Writer::push`].
    pub fn copy(&mut self, from: &CopiedFragment, whole: &WholeTiles) -> Result<(), WriteError> {
        let copies = &Copies::new(from, whole);
        match self.sink.take() {
            Some(Sink::Ordered(mut writer)) => {
                writer.copy(copies)?;
                self.sink = Some(Sink::Ordered(writer));
            }
            Some(Sink::Dense(mut writer)) => {
                writer.stream.copy(copies, &mut writer.series)?;
                self.sink = Some(Sink::Dense(writer));
            }
            Some(Sink::Unordered(_)) | None => {
                return Err(WriteError::Order(OrderProblem::Copies));
            }
        }
        self.seen = self.seen.exact_add(whole.rows()?)?;
        let counters = self.target.session.counters();
        counters.add_copied(whole.tiles.len() as u64);
        Ok(())
    }

    /// Number of cells so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.seen
    }

    /// Commits the write: all cells become visible. Returns the names of the new fragments, which is empty if there
    /// were no cells.
    ///
    /// # Errors
    /// Errors of [`Writer::push`]; [`WriteError::CellCount`] or [`WriteError::Gaps`] if the cells of a dense array do
    /// not fill the box.
    pub fn finish(mut self) -> Result<Vec<TimestampedName>, WriteError> {
        self.sealed()?.series.commit()
    }

    /// Writes all remaining cells durably; only the commit is missing then, see [`SealedWrite::commit`].
    ///
    /// # Errors
    /// Errors of [`Writer::finish`].
    pub fn seal(mut self) -> Result<SealedWrite, WriteError> {
        let rows = self.seen;
        let StoredCells { series, repeated } = self.sealed()?;
        let array = Arc::clone(&self.target.array);
        Ok(SealedWrite::new(array, series.into_sealed(), rows).with_repeated(repeated))
    }

    /// Like [`Writer::finish`], together with a delete: both become visible at once. `kept` is the condition under
    /// which other cells are kept. The time of the delete in `change` must be before that of the write, because a
    /// delete removes all cells up to its time.
    ///
    /// # Errors
    /// Errors of [`Writer::finish`] and of [`Array::delete_cells`].
    pub fn finish_with_delete(
        mut self,
        kept: &ConditionTree,
        change: &ChangeOptions,
    ) -> Result<Vec<TimestampedName>, WriteError> {
        self.sealed()?.series.commit_with_delete(kept, change)
    }

    /// Writes the remaining cells.
    fn sealed(&mut self) -> Result<StoredCells, WriteError> {
        match self.sink.take() {
            None => Err(WriteError::Failed),
            Some(Sink::Ordered(writer)) => writer.finish(),
            Some(Sink::Unordered(writer)) => writer.finish(),
            Some(Sink::Dense(writer)) => writer.finish().map(StoredCells::from),
        }
    }
}

impl CopiedFragment {
    /// Opens a fragment of the array that `writer` writes to. `None` if its tiles have another format version or other
    /// filters, or it lacks a field.
    ///
    /// # Errors
    /// The fragment index belongs to another array, or its metadata cannot be read.
    pub fn open(writer: &Writer, fragment: FragmentIndex) -> Result<Option<Self>, WriteError> {
        Self::of(&writer.target, fragment)
    }
}

/// Creates the sink for a dense array, after checking the options.
fn dense_sink(
    target: &Arc<FragmentTarget>,
    mut series: Series,
    order: WriteOrder,
    options: &WriteOptions,
) -> Result<Sink, WriteError> {
    if order == WriteOrder::Unordered {
        return Err(WriteError::Order(OrderProblem::Dense));
    }
    // Cells of a replacement are stored already, so their order is not checked; they arrive in tile order, and their
    // memory is counted by the reader.
    let is_new = target.replacement.is_none();
    let budget = is_new.then(|| target.session.limits().budget.clone());
    let waiting = BufferedCells::within(budget.clone());
    let mut stream = DenseStream::new(&target.schema, &options.ranges, order, waiting)?;
    if is_new {
        stream.check_order(&target.schema);
    }
    series.cut_boxes(stream.boxes());
    Ok(Sink::Dense(Box::new(DenseWriter {
        target: Arc::clone(target),
        series,
        has_ranges: !options.ranges.is_empty(),
        stream,
        placed: BufferedCells::within(budget),
        order_of_cells: None,
    })))
}

/// Creates the sink for a sparse array, after checking the options.
fn sparse_sink(
    target: &Arc<FragmentTarget>,
    series: Series,
    order: WriteOrder,
    options: &WriteOptions,
) -> Result<Sink, WriteError> {
    if matches!(order, WriteOrder::RowMajor | WriteOrder::ColumnMajor) {
        return Err(WriteError::Order(OrderProblem::Sparse));
    }
    if !options.ranges.is_empty() {
        return Err(WriteError::Place(PlaceProblem::Sparse));
    }
    let rule = DuplicateRule::new(options, target.schema.allows_duplicates)?;
    if order == WriteOrder::Global {
        let writer = OrderedWriter::new(target, series, rule);
        return Ok(Sink::Ordered(Box::new(writer)));
    }
    let mut sorting = UnorderedWriter::new(target, series, rule);
    if let Some(store) = &options.sort_store {
        let memory = target.session.limits().budget.limit();
        // The cells are copied once while they are sorted, hence at most a quarter.
        let most = options.sort_bytes.unwrap_or(memory / 8).min(memory / 4);
        let prefix = format!("sort-{:032x}", options.names.id()?);
        sorting.keep_runs(Runs::new(Arc::clone(store), prefix), most);
    }
    Ok(Sink::Unordered(Box::new(sorting)))
}

/// Writes the cells of a box.
#[derive(Debug)]
struct DenseWriter {
    target: Arc<FragmentTarget>,
    series: Series,
    has_ranges: bool,
    /// Cells without coordinates, in the order of the write.
    stream: DenseStream,
    /// Cells with coordinate columns.
    placed: BufferedCells,
    /// Whether cells have coordinate columns; `None` before the first batch.
    order_of_cells: Option<bool>,
}

impl DenseWriter {
    fn push(&mut self, fields: &[FieldKind], batch: &Batch, first: u64) -> Result<(), WriteError> {
        let schema = &self.target.schema;
        let is_dimension = |name: &str| schema.dimension_index(name).is_some();
        let placed = batch
            .columns
            .iter()
            .any(|column| is_dimension(&column.name));
        if *self.order_of_cells.get_or_insert(placed) != placed {
            return Err(WriteError::Place(PlaceProblem::Mixed));
        }
        if placed && self.has_ranges {
            return Err(WriteError::Place(PlaceProblem::Twice));
        }
        let dimensions = (0..schema.dimensions.len()).map(FieldKind::Dimension);
        let all: Vec<FieldKind> = if placed {
            dimensions.chain(fields.iter().copied()).collect()
        } else {
            fields.to_vec()
        };
        let cells = CheckedCells::check(schema, &all, batch, first)?;
        filter_check::check(&self.target, &all, &cells, first)?;
        if placed {
            return self.placed.push(cells, waiting);
        }
        let limits = self.target.session.limits();
        self.stream.push(cells, &mut self.series, limits)
    }

    fn finish(mut self) -> Result<Series, WriteError> {
        if self.order_of_cells != Some(true) {
            self.stream.finish(&mut self.series)?;
            return Ok(self.series);
        }
        let mut held = self.placed.join(waiting)?;
        let cells = &mut held.cells;
        if cells.rows == 0 {
            return Ok(self.series);
        }
        let schema = &self.target.schema;
        let (order, ranges) = placed(schema, cells)?;
        cells.fields.drain(..schema.dimensions.len());
        let pick = |cells: &CheckedCells| pick_cells(cells, &order);
        let in_order = self.placed.copied(cells, pick, waiting)?;
        drop(held);
        // The cells have a grant already.
        let pending = BufferedCells::within(None);
        let mut stream = DenseStream::new(schema, &ranges, WriteOrder::RowMajor, pending)?;
        self.series.cut_boxes(stream.boxes());
        stream.check_order(schema);
        let limits = self.target.session.limits();
        let pushed = stream.push(in_order.cells.clone(), &mut self.series, limits);
        pushed.map_err(|error| error.of_cell(&order))?;
        stream.finish(&mut self.series)?;
        Ok(self.series)
    }
}
