//! What is asked of an array, and what it comes to.

mod batches;
mod expected;
#[cfg(any(feature = "arrow", feature = "text"))]
mod export;
mod groups;
mod label_columns;
mod values;

use std::sync::Arc;

use tdb_aggregate::{Aggregate, Histogram, Table};
use tdb_cells::{Batch, FieldInfo};
use tdb_condition::{ConditionError, Points};
use tdb_query::{Failing, ReadOptions};
use tdb_schema::FieldKind;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Limits};

pub use self::batches::Batches;
pub(crate) use self::expected::expected;
#[cfg(feature = "sql")]
pub(crate) use self::export::write_all;
#[cfg(any(feature = "arrow", feature = "text"))]
pub use self::export::{Exported, batch_bytes_of_folder};
pub use self::groups::Groups;
use crate::column::{GivenCells, rows};
use crate::condition_text::{Where, parse_condition};
use crate::explain::Explanation;
use crate::interval::Axis;
use crate::{Arrangement, Array, Error, Interval, IntoColumn, Order, Result, SortKey};

/// A read in the making: of all cells and fields, unless more is said. Nothing is checked or read before the result is
/// asked for, by [`batches`](Self::batches), [`count`](Self::count), [`to_vec`](Self::to_vec), …
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
    /// Dimensions of which lists of intervals were given.
    listed: Vec<String>,
    labels: Vec<(String, Interval)>,
    condition: Option<Where>,
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

    /// Only these attributes, in this order. In sparse arrays `__timestamps` is one, too: when each cell was written, in
    /// milliseconds since 1970. A label of a dimension is one as well: the label of each cell's coordinate, or its fill value where none was
    /// written.
    pub fn attrs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.attributes = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Only these dimensions, in this order.
    pub fn dims<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.options.dimensions = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// No dimensions.
    pub fn no_dims(mut self) -> Self {
        self.options.dimensions = Some(Vec::new());
        self
    }

    /// An interval of a dimension: `3..=40`, `"BGN"..="KEF"`, `"2024-02"`, `7`. Several of one dimension add up.
    pub fn range(mut self, dimension: &str, interval: impl Into<Interval>) -> Self {
        self.ranges.push((dimension.to_owned(), interval.into()));
        self
    }

    /// Intervals of a dimension, each as [`range`](Self::range) takes it. Where there is none, and none of another call, no cell is
    /// read.
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

    /// An interval of a dimension label. Several of one label are all read; a cell has to lie in one of each label that is asked for, and in
    /// the intervals of the dimension itself.
    pub fn label(mut self, label: &str, interval: impl Into<Interval>) -> Self {
        self.labels.push((label.to_owned(), interval.into()));
        self
    }

    /// Only cells that match: a condition, or its text. A second one has to match, too.
    pub fn condition(mut self, condition: impl Into<Where>) -> Self {
        let condition = condition.into();
        self.condition = Some(match self.condition.take() {
            None => condition,
            Some(other) => other.and(condition),
        });
        self
    }

    /// Only cells at points, of which these are the coordinates along one dimension; of each other one, one call more gives
    /// those. Along dimensions of which there are none, cells lie anywhere. What this takes grows with the tiles that have a
    /// point, not with the domain. Dense arrays are read tile by tile then, in [global order](Order::Global).
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

    /// The order of the result; by default row-major for dense arrays, and as stored for sparse ones.
    pub fn order(mut self, order: Order) -> Self {
        self.options.order = Some(order.into());
        self
    }

    /// At most so many cells.
    pub fn limit(mut self, cells: u64) -> Self {
        self.options.limit = Some(cells);
        self.arrangement.limit = Some(cells);
        self
    }

    /// Without the first so many cells.
    pub fn offset(mut self, cells: u64) -> Self {
        self.arrangement.offset = cells;
        self
    }

    /// The last so many cells, in the order of the read.
    pub fn tail(mut self, cells: u64) -> Self {
        self.arrangement.tail = Some(cells);
        self
    }

    /// In the order of the values of these fields, the first one counting most: `["-b", "a"]` has the greatest `b` first. Text
    /// goes by its bytes, enumerated attributes by their labels, null comes last; equal cells stay in the order of the read.
    ///
    /// Cells that take more than a quarter of the memory are sorted in the temporary folder of the context; with a
    /// [limit](Self::limit), not many more than that are kept.
    pub fn sort<K: Into<SortKey>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.arrangement.sort = keys.into_iter().map(Into::into).collect();
        self
    }

    /// So many cells chosen at random, each as likely as any other, in the order of the read. The same seed chooses the same
    /// ones of the same cells.
    pub fn sample(mut self, cells: u64, seed: u64) -> Self {
        self.arrangement.sample = Some((cells, seed));
        self
    }

    /// Enumerated attributes as their indexes, not as their labels.
    pub fn enumeration_codes(mut self) -> Self {
        self.options.enumeration_codes = true;
        self
    }

    /// About how many bytes a batch has at most.
    pub fn batch_bytes(mut self, bytes: u64) -> Self {
        self.options.batch_bytes = Some(bytes);
        self
    }

    /// The order, the sample and the part of the cells that are given, in place of those that were said so far.
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        self.arrangement = arrangement;
        self
    }

    /// In place of all that was said so far, a request as the engine takes it.
    pub fn with_options(self, options: ReadOptions) -> Self {
        Self {
            options,
            ..Self::new(self.array)
        }
    }

    /// The request as the engine takes it, resolved against the schema.
    ///
    /// # Errors
    /// Names that the array does not have, ends of ranges that are no values of their field, a condition that cannot be read.
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
            Some(Where::Condition(condition)) => Some(condition.clone()),
            Some(Where::Text(text)) => Some(parse_condition(text, schema, self.limits())?),
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
            let field = schema.field_of(FieldKind::Dimension(at));
            let field = field.ok_or_else(|| Bug::new("a schema lacks its own dimension"))?;
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

    /// The array that is read.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// The number of cells that match.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; errors of reading.
    pub fn count(mut self) -> Result<u64> {
        // Which cells they are does not matter.
        self.options.limit = None;
        self.options.attributes = Some(Vec::new());
        self.options.dimensions = Some(Vec::new());
        let options = self.options()?;
        let session = self.array.context().shared_session();
        let cells = tdb_aggregate::count_cells(session, self.array.engine(), &options);
        let cells = cells.map_err(|error| self.array.failed(error))?;
        Ok(self.arrangement.given(cells))
    }

    /// Aggregates of the cells that match: `"count(*), mean(temp)"`, one group for each combination of values of the fields
    /// `by`, or a single one.
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
    /// As for [`ReadBuilder::batches`]; a field of which there is no such aggregate, a sum that does not fit; a part
    /// of the cells that only their order tells; more groups than the memory of the context holds together.
    pub fn aggregate(self, aggregates: &str, by: &[&str]) -> Result<Table> {
        self.arrangement.check_whole()?;
        let wanted = Aggregate::parse_list(aggregates)?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        tdb_aggregate::aggregate(session, self.array.engine(), &options, &wanted, by)
            .map_err(|error| self.array.failed(error))
    }

    /// As [`ReadBuilder::aggregate`], group by group: those that memory does not hold are kept in the temporary folder of the
    /// context.
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
    /// As for [`ReadBuilder::aggregate`]; a temporary folder that is not there, or full.
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

    /// What the read takes, before it does: which tiles of which fragments, and why not the others.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`].
    pub fn explain(self) -> Result<Explanation> {
        let options = self.options()?;
        let session = self.array.context().shared_session();
        Explanation::of(session, self.array.engine(), &options)
            .map_err(|error| error.at(self.array.uri()))
    }

    /// How the values that the cells have in a field are spread: in at most `bins` intervals of equal width.
    ///
    /// # Errors
    /// As for [`ReadBuilder::aggregate`]; a field whose values are no single numbers, dates or times, or are infinite.
    pub fn histogram(self, field: &str, bins: usize) -> Result<Histogram> {
        self.arrangement.check_whole()?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        tdb_aggregate::histogram(session, self.array.engine(), &options, field, bins)
            .map_err(|error| self.array.failed(error))
    }
}

impl Array {
    /// Begins a read: of everything, unless more is said.
    pub fn read(&self) -> ReadBuilder {
        ReadBuilder::new(self.clone())
    }
}
