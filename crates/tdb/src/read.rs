use tdb_aggregate::{Aggregate, Histogram, Table};
use tdb_cells::{Batch, Column, FieldInfo};
use tdb_condition::{Condition, ConditionError, ConditionNode};
use tdb_query::{Failing, ReadOptions, Reader};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;
use tdb_tile::{Limits, Scalar};

use crate::explain::Explanation;
use crate::interval::Axis;
use crate::{Arranged, Arrangement, Array, Error, Interval, Order, Result, SortKey};

/// Which cells a read returns: a condition of the builder, or as text.
#[derive(Clone, Debug)]
pub enum Where {
    /// Made by [`field`](crate::field).
    Condition(Condition),
    /// As on the command line: `temp < -5 and sky in ('snow', 'rain')`.
    Text(String),
}

impl From<Condition> for Where {
    fn from(condition: Condition) -> Self {
        Self::Condition(condition)
    }
}

impl From<&str> for Where {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Where {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

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
    labels: Vec<(String, Interval)>,
    condition: Option<Where>,
    arrangement: Arrangement,
}

impl ReadBuilder {
    fn new(array: Array) -> Self {
        Self {
            array,
            options: ReadOptions::default(),
            ranges: Vec::new(),
            labels: Vec::new(),
            condition: None,
            arrangement: Arrangement::default(),
        }
    }

    /// Only these attributes, in this order.
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

    /// An interval of a dimension label.
    pub fn label(mut self, label: &str, interval: impl Into<Interval>) -> Self {
        self.labels.push((label.to_owned(), interval.into()));
        self
    }

    /// Only cells that match: a condition, or its text. A second one has to match, too.
    pub fn condition(mut self, condition: impl Into<Where>) -> Self {
        let condition = condition.into();
        self.condition = Some(match (self.condition.take(), condition) {
            (None, condition) => condition,
            (Some(Where::Condition(one)), Where::Condition(other)) => {
                Where::Condition(one.and(other))
            }
            (Some(one), other) => Where::Text(format!("({}) and ({})", text(one), text(other))),
        });
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
    /// All cells that are sorted are in memory together; with a [limit](Self::limit), not many more than that.
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
        for (name, interval) in &self.labels {
            let range = Axis::label(schema, name)?.range(interval, false)?;
            options.label_ranges.push((name.clone(), range));
        }
        options.condition = match &self.condition {
            None => options.condition,
            Some(Where::Condition(condition)) => Some(condition.clone()),
            Some(Where::Text(text)) => Some(parse_condition(text, schema, self.limits())?),
        };
        Ok(options)
    }

    fn limits(&self) -> &Limits {
        self.array.context().shared_session().limits()
    }

    /// The array that is read.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Reads batch by batch: each fits the memory of the context, together they are the result, in order.
    ///
    /// # Errors
    /// As for [`ReadBuilder::options`]; a request that the array does not allow.
    pub fn batches(self) -> Result<Batches> {
        let mut options = self.options()?;
        let schema = self.array.schema();
        let prepared = self.arrangement.prepare(schema, &mut options)?;
        let session = self.array.context().shared_session();
        let reader = Reader::open(session, self.array.engine(), &options)
            .map_err(|error| self.array.failed(error))?;
        let fields = prepared.fields(reader.fields());
        let warnings = reader.warnings().to_vec();
        let array = self.array.clone();
        let source = Source { reader, array };
        Ok(Batches {
            fields,
            warnings,
            cells: prepared.apply(session, source),
            array: self.array,
        })
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
    /// of the cells that only their order tells.
    pub fn aggregate(self, aggregates: &str, by: &[&str]) -> Result<Table> {
        self.arrangement.check_whole()?;
        let wanted = Aggregate::parse_list(aggregates)?;
        let options = self.options()?;
        let session = self.array.context().shared_session();
        tdb_aggregate::aggregate(session, self.array.engine(), &options, &wanted, by)
            .map_err(|error| self.array.failed(error))
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

    /// The whole result at once, where the memory of the context holds it.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; a result that is larger.
    pub fn all(mut self) -> Result<Batch> {
        self.options.batch_bytes = Some(u64::MAX);
        let mut batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let first = batches.next().transpose()?;
        if batches.next().transpose()?.is_some() {
            let error = Error::new(
                tdb_array::ErrorKind::Limit,
                "the result is larger than what the memory of the context holds at a time",
            );
            let hint = "read it batch by batch, or give the context more memory";
            return Err(error.at(batches.array.uri()).with_hint(hint));
        }
        Ok(first.unwrap_or_else(|| no_cells(&fields)))
    }

    /// The values of one field, of all cells that match.
    ///
    /// # Errors
    /// A field that holds other values than `T`, that varies in size, or has null cells; errors of reading.
    pub fn to_vec<T: Scalar>(self, field: &str) -> Result<Vec<T>> {
        let array = self.array.clone();
        let mut values = Vec::new();
        for batch in self.only(field)?.batches()? {
            let batch = batch?;
            let column = batch.column(field).ok_or_else(|| array.no_field(field))?;
            let numbers = column.numbers::<T>().map_err(|error| array.failed(error))?;
            check_plain(column)?;
            values.extend(numbers);
        }
        Ok(values)
    }

    /// Narrows the result to one field.
    pub(crate) fn only(mut self, field: &str) -> Result<Self> {
        let schema = self.array.schema();
        let is_dimension = schema.dimension_index(field).is_some();
        if !is_dimension && schema.attribute_index(field).is_none() {
            return Err(self.array.no_field(field));
        }
        let (dimensions, attributes) = if is_dimension {
            (vec![field.to_owned()], Vec::new())
        } else {
            (Vec::new(), vec![field.to_owned()])
        };
        self.options.dimensions = Some(dimensions);
        self.options.attributes = Some(attributes);
        Ok(self)
    }
}

/// The condition that a text says, on fields that the schema has: `temp < -5 and sky in ('snow', 'rain')`.
///
/// # Errors
/// A text that is none, with the place of the mistake; a field that the array does not have.
pub fn parse_condition(text: &str, schema: &ArraySchema, limits: &Limits) -> Result<Condition> {
    let condition = Condition::parse(text, limits).map_err(|error| match error {
        ConditionError::Text { at, .. } => Error::from(error).in_text(text, at),
        error => error.into(),
    })?;
    let known = || schema.fields().map(|field| field.name);
    let is_unknown = |name: &&str| known().all(|known| known != *name);
    let unknown = condition.fields().find(is_unknown).map(str::to_owned);
    let Some(name) = unknown.as_deref() else {
        return Ok(condition);
    };
    let unknown = UnknownName::new("field", name, known());
    let is_compared = |node: &ConditionNode| match node {
        ConditionNode::Comparison(comparison) => {
            comparison.right.fields().any(|field| field == name)
        }
        _ => false,
    };
    let hint = if condition.nodes().iter().any(is_compared) {
        format!("{}; text stands in 'single quotes'", unknown.hint())
    } else {
        unknown.hint().to_owned()
    };
    let error = Error::from(unknown).with_hint(&hint);
    Err(match Condition::place_of(text, name) {
        Some(at) => error.in_text(text, at),
        None => error,
    })
}

impl Array {
    /// Begins a read: of everything, unless more is said.
    pub fn read(&self) -> ReadBuilder {
        ReadBuilder::new(self.clone())
    }

    fn no_field(&self, name: &str) -> Error {
        let known = self.schema().fields().map(|field| field.name);
        UnknownName::new("field", name, known).into()
    }
}

fn text(condition: Where) -> String {
    match condition {
        Where::Condition(condition) => condition.to_string(),
        Where::Text(text) => text,
    }
}

/// A result without cells has its columns all the same.
fn no_cells(fields: &[FieldInfo]) -> Batch {
    let columns = fields.iter().map(|field| Column {
        name: field.name.clone(),
        datatype: field.datatype,
        cell_val_num: field.cell_val_num,
        nullable: field.nullable,
        values: bytes::Bytes::new(),
        offsets: field
            .cell_val_num
            .is_var()
            .then(|| bytes::Bytes::from_static(&[0; 8])),
        validity: None,
        enumeration: field.enumeration.clone(),
    });
    Batch {
        rows: 0,
        columns: columns.collect(),
    }
}

/// Fails where a column is more than one value a cell, or has nulls: what stands there is no value.
pub(crate) fn check_plain(column: &Column) -> Result<()> {
    let name = &column.name;
    if column.offsets.is_some() {
        let what = format!("field {name:?}: its cells vary in size: they are no plain numbers");
        return Err(
            Error::invalid(what).with_hint("read it by `batches`, whose columns have `cell`")
        );
    }
    let rows = column
        .cell_size()
        .and_then(|size| column.values.len().checked_div(size));
    if (0..rows.unwrap_or(0)).any(|row| !column.is_valid(row)) {
        let what = format!("field {name:?}: there are null cells");
        let hint = "leave them out with `field(…).is_not_null()`, or read it by `batches`, whose columns have `is_valid`";
        return Err(Error::invalid(what).with_hint(hint));
    }
    Ok(())
}

/// The batches of a read.
#[derive(Debug)]
pub struct Batches {
    fields: Vec<FieldInfo>,
    warnings: Vec<String>,
    cells: Arranged<Source, Error>,
    array: Array,
}

/// The reader of the engine beneath, with its errors told as of the array.
#[derive(Debug)]
struct Source {
    reader: Reader,
    array: Array,
}

impl Iterator for Source {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.map_err(|error| self.array.failed(error)))
    }
}

impl Batches {
    /// What the columns of each batch hold.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// What is odd about the request, and no reason to refuse it: ranges that reach beyond the domain.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().map(AsRef::as_ref)
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.cells.next()
    }
}
