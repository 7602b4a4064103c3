//! Building reads, and running them for counts, aggregates, batches and explanations.

mod batches;
#[cfg(any(feature = "arrow", feature = "text"))]
mod export;
mod groups;
mod label_columns;
mod values;

use std::sync::Arc;

use tdb_aggregate::{Aggregate, Histogram, Table};
use tdb_cells::{Batch, FieldInfo};
use tdb_condition::{ConditionError, Points};
use tdb_open::{Axis, CellCondition, Error, Interval, Order, Result, parse_condition};
use tdb_query::{Arrangement, Failing, ReadOptions, ResultOrder, SortKey};
use tdb_schema::FieldKind;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Limits};

pub use self::batches::Batches;
pub use self::groups::Groups;
use crate::column::{GivenCells, rows};
use crate::{Array, IntoColumn};

/// A read being built: of all cells and fields unless restricted. Nothing is checked or read before a result is
/// requested by [`batches`](Self::batches), [`count`](Self::count), [`to_vec`](Self::to_vec), …
///
/// ```no_run
/// use tdb::{Order, field};
///
/// let weather = tdb::open("weather")?;
/// let cold = weather
///     .read()
///     .attrs(["temp"])
///     .range("day", 3..=40)
///     .range("station", "BGN"..="KEF")
///     .condition(field("temp").lt(-5))
///     .order(Order::Row);
/// println!("{} cells", cold.clone().count()?);
/// for batch in cold.batches()? {
///     let batch = batch?;
///     let temp = batch.column("temp").expect("it was asked for");
///     println!("{:?}", temp.numbers::<f32>()?.collect::<Vec<_>>());
/// }
/// # Ok::<(), tdb::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is read before the result is asked for"]
pub struct ReadBuilder {
    array: Array,
    options: ReadOptions,
    ranges: Vec<(String, Interval)>,
    /// Dimensions for which `ranges` was called.
    listed: Vec<String>,
    labels: Vec<(String, Interval)>,
    condition: Option<CellCondition>,
    points: Vec<(String, GivenCells)>,
    arrangement: Arrangement,
}

impl ReadBuilder {
    fn new(array: Array) -> Self {
        Self {
            array,
            options: ReadOptions::default(),
            ranges: Vec::new(),
            listed: Vec::new(),
            labels: Vec::new(),
            condition: None,
            points: Vec::new(),
            arrangement: Arrangement::default(),
        }
    }

    /// Reads only these attributes, in this order. In sparse arrays, `__timestamps` is available too: the time at
    /// which each cell was written, in milliseconds since 1970. So are dimension labels: the label of each cell's
    /// coordinate, or the fill value of the label if none was written.
    pub fn attrs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.attributes = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Reads only these dimensions, in this order.
    pub fn dims<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.dimensions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Reads no dimensions.
    pub fn no_dims(mut self) -> Self {
        self.options.dimensions = Some(Vec::new());
        self
    }

    /// Restricts a dimension to an interval: `3..=40`, `"BGN"..="KEF"`, `"2024-02"`, `7`. Several intervals of one
    /// dimension are all read.
    pub fn range(mut self, dimension: &str, interval: impl Into<Interval>) -> Self {
        self.ranges.push((dimension.to_owned(), interval.into()));
        self
    }

    /// Restricts a dimension to a list of intervals, each as in [`range`](Self::range). If the list is empty and the
    /// dimension has no other interval, no cell is read.
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// let found: Vec<&str> = Vec::new();
    /// assert_eq!(weather.read().ranges("station", found).count()?, 0);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    pub fn ranges<I: Into<Interval>>(
        mut self,
        dimension: &str,
        intervals: impl IntoIterator<Item = I>,
    ) -> Self {
        self.listed.push(dimension.to_owned());
        let intervals = intervals.into_iter().map(Into::into);
        self.ranges
            .extend(intervals.map(|interval| (dimension.to_owned(), interval)));
        self
    }

    /// Restricts the read to an interval of a dimension label. Several intervals of one label are all read. A cell
    /// must lie in an interval of each requested label, and in the intervals of the dimension itself.
    pub fn label(mut self, label: &str, interval: impl Into<Interval>) -> Self {
        self.labels.push((label.to_owned(), interval.into()));
        self
    }

    /// Reads only cells that match a condition, built or as text. Several conditions must all match.
    pub fn condition(mut self, condition: impl Into<CellCondition>) -> Self {
        let condition = condition.into();
        self.condition = Some(match self.condition.take() {
            None => condition,
            Some(other) => other.and(condition),
        });
        self
    }

    /// Reads only cells at given points. Each call gives the coordinates of all points along one dimension; along
    /// dimensions without a call, cells may lie anywhere. The cost grows with the number of tiles that contain a
    /// point, not with the domain. Dense arrays are then read tile by tile, in [global order](Order::Global).
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// let read = weather
    ///     .read()
    ///     .points("station", ["BGN", "KEF", "BGN"])
    ///     .points("day", ["2024-01-01", "2024-01-01", "2024-02-29"]);
    /// assert!(read.count()? <= 3);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    pub fn points(mut self, dimension: &str, coordinates: impl IntoColumn) -> Self {
        let coordinates = coordinates.into_cells();
        self.points.push((dimension.to_owned(), coordinates));
        self
    }

    /// Dense arrays: keeps the cells that do not match, with fill values in all attributes, as TileDB does.
    pub fn fill(mut self) -> Self {
        self.options.failing = Failing::Fill;
        self
    }

    /// Sets the order of the result. The default is row-major for dense arrays, and the stored order for sparse ones.
    pub fn order(mut self, order: Order) -> Self {
        self.options.order = Some(result_order(order));
        self
    }

    /// Returns at most this number of cells.
    pub fn limit(mut self, cells: u64) -> Self {
        self.options.limit = Some(cells);
        self.arrangement.limit = Some(cells);
        self
    }

    /// Skips this number of cells.
    pub fn offset(mut self, cells: u64) -> Self {
        self.arrangement.offset = cells;
        self
    }

    /// Returns only this number of cells from the end of the result.
    pub fn tail(mut self, cells: u64) -> Self {
        self.arrangement.tail = Some(cells);
        self
    }

    /// Sorts by the values of these fields, the most significant first: `["-b", "a"]` puts the largest `b` first. Text
    /// is compared by its bytes, enumerated attributes by their labels, and null comes last; equal cells stay in the
    /// order of the read.
    ///
    /// Cells that need more than a quarter of the memory are sorted in the context's temporary folder. With a
    /// [limit](Self::limit), little more than that number of cells is kept.
    pub fn sort<K: Into<SortKey>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.arrangement.sort = keys.into_iter().map(Into::into).collect();
        self
    }

    /// Returns this number of cells, chosen at random with equal probability, in the order of the read. The same seed
    /// chooses the same cells of the same result.
    pub fn sample(mut self, cells: u64, seed: u64) -> Self {
        self.arrangement.sample = Some((cells, seed));
        self
    }

    /// Reads enumerated attributes as their indexes instead of their labels.
    pub fn enumeration_codes(mut self) -> Self {
        self.options.enumeration_codes = true;
        self
    }

    /// Sets the approximate maximum size of a batch, in bytes.
    pub fn batch_bytes(mut self, bytes: u64) -> Self {
        self.options.batch_bytes = Some(bytes);
        self
    }

    /// Replaces the order, the sample, the offset, the limit and the tail set so far.
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }

    /// Replaces everything set so far by a request in the engine's form.
    pub fn with_options(self, options: ReadOptions) -> Self {
        Self {
            options,
            ..Self::new(self.array)
        }
    }

    /// Returns the request in the engine's form, resolved against the schema.
    ///
    /// # Errors
    /// Fails if a name is unknown, if the end of a range is not a value of its field, or if the condition cannot be
    /// parsed.
    pub fn options(&self) -> Result<ReadOptions> {
        let schema = self.array.schema();
        let mut options = self.options.clone();
        for (name, interval) in &self.ranges {
            let range = Axis::dimension(schema, name)?.range(interval, false)?;
            options.ranges.push((name.clone(), range));
        }
        for name in &self.listed {
            Axis::dimension(schema, name)?;
            if !options.ranges.iter().any(|(other, _)| other == name) {
                options.reads_nothing = true;
            }
        }
        for (name, interval) in &self.labels {
            let range = Axis::label(schema, name)?.range(interval, false)?;
            options.label_ranges.push((name.clone(), range));
        }
        if !self.points.is_empty() {
            options.points = Some(Arc::new(self.gathered_points()?));
        }
        options.condition = match &self.condition {
            None => options.condition,
            Some(CellCondition::Condition(condition)) => Some(condition.clone()),
            Some(CellCondition::Text(text)) => Some(parse_condition(text, schema, self.limits())?),
        };
        Ok(options)
    }

    fn gathered_points(&self) -> Result<Points> {
        let schema = self.array.schema();
        let (mut dimensions, mut columns) = (Vec::new(), Vec::new());
        for (name, coordinates) in &self.points {
            let Some(at) = schema.dimension_index(name) else {
                let known = schema.dimensions.iter().map(|d| d.name.as_str());
                return Err(UnknownName::new("dimension", name, known).into());
            };
            let field = schema
                .field_of(FieldKind::Dimension(at))
                .ok_or_else(|| Bug::new("a schema lacks its own dimension"))?;
            columns.push(coordinates.clone().column(&field, self.array.engine())?);
            dimensions.push(FieldInfo::of(&field, None));
        }
        let rows = columns.first().map_or(0, rows);
        if let Some(other) = columns.iter().find(|column| self::rows(column) != rows) {
            let first = columns.first().map_or("", |column| &column.name);
            let what = format!(
                "points: {rows} coordinates along {first:?} and {} along {:?}",
                self::rows(other),
                other.name
            );
            return Err(Error::invalid(what));
        }
        let mut points = Points::gather(dimensions, self.limits());
        points.add(&Batch { rows, columns })?;
        Ok(points.finish().map_err(ConditionError::from)?)
    }

    fn limits(&self) -> &Limits {
        self.array.context().shared_session().limits()
    }

    /// Returns the array that is read.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Counts the cells that match.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if reading fails.
    pub fn count(mut self) -> Result<u64> {
        // The count does not depend on which cells the limit keeps; `given` applies it below.
        self.options.limit = None;
        self.options.attributes = Some(Vec::new());
        self.options.dimensions = Some(Vec::new());
        let options = self.options()?;
        let session = self.array.context().shared_session();
        let cells = tdb_aggregate::count_cells(session, self.array.engine(), &options)
            .map_err(|error| self.array.failed(error))?;
        Ok(self.arrangement.given(cells))
    }

    /// Computes aggregates of the cells that match, such as `"count(*), mean(temp)"`: one group per combination of
    /// values of the fields in `by`, or a single group if `by` is empty.
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// let means = weather.read().aggregate("mean(temp)", &["station"])?;
    /// for group in &means.groups {
    ///     println!("{:?}: {:?}", group.key(0), group.values);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if a field does not support the aggregate, if a sum overflows, if
    /// an offset, a tail, a sample or a limit after sorting is set, or if memory cannot hold all groups.
    pub fn aggregate(self, aggregates: &str, by: &[&str]) -> Result<Table> {
        self.arrangement.check_whole()?;
        let wanted = Aggregate::parse_list(aggregates)?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        tdb_aggregate::aggregate(session, self.array.engine(), &options, &wanted, by)
            .map_err(|error| self.array.failed(error))
    }

    /// As [`ReadBuilder::aggregate`], returning one group at a time: groups that do not fit into memory are kept in
    /// the context's temporary folder.
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// for group in weather.read().groups("count(*)", &["station", "day"])? {
    ///     let group = group?;
    ///     println!("{:?} {:?}: {}", group.key(0), group.key(1), group.cells);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::aggregate`]; fails also if the temporary folder does not exist or is full.
    pub fn groups(self, aggregates: &str, by: &[&str]) -> Result<Groups> {
        self.arrangement.check_whole()?;
        let wanted = Aggregate::parse_list(aggregates)?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        let groups = tdb_aggregate::grouped(session, self.array.engine(), &options, &wanted, by);
        match groups {
            Ok(groups) => Ok(Groups::new(groups, self.array)),
            Err(error) => Err(self.array.failed(error)),
        }
    }

    /// Counts the values of a field in at most `bins` intervals of equal width.
    ///
    /// # Errors
    /// As for [`ReadBuilder::aggregate`]; fails also if the values of the field are not single finite numbers, dates
    /// or times.
    pub fn histogram(self, field: &str, bins: usize) -> Result<Histogram> {
        self.arrangement.check_whole()?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        tdb_aggregate::histogram(session, self.array.engine(), &options, field, bins)
            .map_err(|error| self.array.failed(error))
    }
}

impl Array {
    /// Begins a read, of everything unless restricted.
    pub fn read(&self) -> ReadBuilder {
        ReadBuilder::new(self.clone())
    }
}

/// Returns the order in the engine's form.
fn result_order(order: Order) -> ResultOrder {
    match order {
        Order::Row => ResultOrder::RowMajor,
        Order::Col => ResultOrder::ColumnMajor,
        Order::Global => ResultOrder::Global,
        Order::Any => ResultOrder::Unordered,
    }
}
