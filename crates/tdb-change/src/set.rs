//! Changing the values of cells in place.
//!
//! The new cells depend on what was read, so they must not hide cells that other programs write meanwhile. Arrays have
//! no locks, so the change is optimistic: it reads a view of the array, stores its cells without committing them, and
//! checks that the view is still current. It then announces its time, so that slower plain writes take a later one,
//! commits, and looks again. If something was written in between, the commit is taken back and everything is repeated
//! on a new view. `replace` and `restore` proceed in the same way.

mod expression;
mod new_values;

use std::sync::Arc;

use tdb_aggregate::count_cells;
use tdb_array::{ChangeOptions, ErrorKind, NameSource, Reach};
use tdb_open::{Array, CellCondition, Error, Result, Time, Value};
use tdb_query::{MOST_WALKED, ReadOptions, Reader, ResultOrder, narrow_walk};
use tdb_schema::ArraySchema;
use tdb_schema::names::UnknownName;
use tdb_tile::Bug;
use tdb_write::{Duplicates, SealedWrite, WriteOptions, WriteOrder, Writer};

use self::expression::ValueExpression;
use self::new_values::{Gets, NewValue, stored, with_values};
use crate::cover::{CellBox, Place, boxes_of_commit, place_of};

/// A change of cell values being built: see [`set`].
#[derive(Clone, Debug)]
#[must_use = "nothing is changed before the commit"]
pub struct SetBuilder {
    array: Array,
    condition: CellCondition,
    values: Vec<(String, GivenValue)>,
    most: u64,
    dry_run: bool,
    ticks: bool,
    options: WriteOptions,
}

/// New value of an attribute, as the caller specified it.
#[derive(Clone, Debug)]
enum GivenValue {
    Null,
    Value(Value),
    /// Expression that computes a number from the fields of the cell.
    Expression(String),
}

/// Result of a change of cell values, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetCells {
    /// Number of cells that match the condition.
    pub cells: u64,
    /// Names of the new fragments.
    pub fragments: Vec<String>,
    /// Number of times the change waited for other programs that changed the array at the same moment, or was repeated
    /// because of them.
    pub yielded: u32,
}

/// Begins changing the values of cells that match a condition. At most one cell is changed, unless
/// [`SetBuilder::max`] allows more.
pub fn set(array: &Array, condition: impl Into<CellCondition>) -> SetBuilder {
    SetBuilder {
        array: array.clone(),
        condition: condition.into(),
        values: Vec::new(),
        most: 1,
        dry_run: false,
        ticks: false,
        options: WriteOptions::default(),
    }
}

impl SetBuilder {
    /// Sets the value of an attribute. Enumerated attributes take the label, cells of several numbers a text such as
    /// `[1, 2, 3]`. For attributes of bytes, such as blobs, text stands for its own bytes and is not parsed.
    pub fn value(mut self, attribute: &str, value: impl Into<Value>) -> Self {
        let value = GivenValue::Value(value.into());
        self.values.push((attribute.to_owned(), value));
        self
    }

    /// Sets a numeric attribute to an expression of the fields of each cell before the change: `price * 1.1`, `"order
    /// id" + 1`, `(a + b) / 2`. Arithmetic is exact except for the rounding of floats: integers do not wrap, and
    /// fractions are not truncated. If a field in the expression is null, so is the result.
    ///
    /// ```no_run
    /// let orders = tdb_open::Context::new().open("orders")?;
    /// tdb_change::set(&orders, "town = 'Bergen'").expression("amount", "amount * 1.1").max(1000).commit()?;
    /// # Ok::<(), tdb_open::Error>(())
    /// ```
    pub fn expression(mut self, attribute: &str, expression: impl Into<String>) -> Self {
        let expression = GivenValue::Expression(expression.into());
        self.values.push((attribute.to_owned(), expression));
        self
    }

    /// Makes an attribute null.
    pub fn null(mut self, attribute: &str) -> Self {
        self.values.push((attribute.to_owned(), GivenValue::Null));
        self
    }

    /// Sets the maximum number of cells to change; 1 by default. More matches are an error.
    pub fn max(mut self, cells: u64) -> Self {
        self.most = cells;
        self
    }

    /// Sets whether only to count the cells.
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sets whether text for dates and times is a raw number of ticks: `"2020"` is then 2020 ticks, not a year.
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.ticks = ticks;
        self
    }

    /// Sets the time of the change; now by default.
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.options.timestamp = Some(time.into().0);
        self
    }

    /// Sets the source of names and of the current time.
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.options.names = names;
        self
    }

    /// Writes the matching cells again with the new values. Cells that other programs write meanwhile are taken into
    /// account: the change is repeated on top of them. Cells with a timestamp in the future are not, and take
    /// precedence once their time has come ([`Array::later`]).
    ///
    /// # Errors
    /// Fails if more cells match than allowed, if an attribute is unknown, if a value does not fit its attribute (even
    /// if computed for a single cell), if the array allows duplicates, where no cell replaces another, if reading or
    /// writing fails, or if other programs keep changing the same cells.
    pub fn commit(self) -> Result<SetCells> {
        let array = self.array.as_of(self.options.timestamp)?;
        self.check(&array)?;
        if self.dry_run {
            let cells = self.count(&array)?;
            return Ok(SetCells {
                cells,
                ..SetCells::default()
            });
        }
        let failed = |error| array.failed(error);
        let change = ChangeOptions::default()
            .timestamp(self.options.timestamp)
            .names(Arc::clone(&self.options.names));
        let mut change = array.read_modify_write(&change)?;
        loop {
            let view = change.view().map_err(failed)?;
            let seen = array.of_view(&view);
            self.check(&seen)?;
            if self.count(&seen)? == 0 {
                return Ok(SetCells::default());
            }
            let (cells, write) = self.write(&seen, view.time())?;
            if !change.is_current(&view).map_err(failed)? {
                continue;
            }
            change.announce(view.time()).map_err(failed)?;
            let committed = write.commit().map_err(|error| array.failed(error))?;
            if change
                .keep(&view, &committed, Reach::Domain)
                .map_err(failed)?
            {
                let names = committed.fragments.iter();
                return Ok(SetCells {
                    cells,
                    fragments: names.map(|name| name.as_str().to_owned()).collect(),
                    yielded: change.yielded(),
                });
            }
        }
    }

    /// Fails if the values do not fit the array.
    fn check(&self, array: &Array) -> Result<()> {
        let schema = array.engine().newest_schema();
        if schema.allows_duplicates {
            let what = "the array allows duplicates: a cell that is written replaces no other";
            let hint = "delete the cells, and write them again";
            return Err(Error::invalid(what).with_hint(hint));
        }
        self.stored_values(array, schema).map(|_| ())
    }

    /// Counts the matching cells; fails if they are more than `most`.
    fn count(&self, array: &Array) -> Result<u64> {
        let session = array.context().shared_session();
        let counted = (self.matching(array)?)
            .attributes(Some(Vec::new()))
            .dimensions(Some(Vec::new()));
        let cells =
            count_cells(session, array.engine(), &counted).map_err(|error| array.failed(error))?;
        if cells > self.most {
            return Err(too_many(cells, self.most));
        }
        Ok(cells)
    }

    /// Builds the read for the matching cells. Dense arrays are narrowed to written cells, since unwritten cells,
    /// which have fill values, are too many to set.
    fn matching(&self, array: &Array) -> Result<ReadOptions> {
        let limits = array.context().shared_session().limits();
        let mut options =
            ReadOptions::default().condition(Some(self.condition.parsed(array.schema(), limits)?));
        let narrowed = narrow_walk(array.engine(), &mut options, MOST_WALKED, false);
        narrowed.map_err(|error| with_condition(error.into(), array))?;
        Ok(options)
    }

    /// Writes the matching cells without committing, and returns their number and the write.
    fn write(&self, array: &Array, time: u64) -> Result<(u64, SealedWrite)> {
        let schema = Arc::clone(array.engine().newest_schema());
        let values = self.stored_values(array, &schema)?;
        let options = self.options.clone().timestamp(Some(time));
        if schema.is_dense() {
            self.write_boxes(array, &schema, &values, options)
        } else {
            let write = self.write_cells(array, &values, options)?;
            Ok((write.rows(), write))
        }
    }

    fn stored_values(&self, array: &Array, schema: &ArraySchema) -> Result<Vec<NewValue>> {
        if self.values.is_empty() {
            return Err(Error::invalid("no value is given: nothing would change"));
        }
        let values = self.values.iter().map(|(name, value)| {
            let attribute = schema
                .attributes
                .iter()
                .find(|a| a.name == *name)
                .ok_or_else(|| {
                    let known = schema.attributes.iter().map(|a| a.name.as_str());
                    if schema.dimension_index(name).is_some() {
                        let what = format!("{name:?} is a dimension: cells cannot be moved");
                        return Error::invalid(what)
                            .with_hint("delete the cell, and write another");
                    }
                    Error::from(UnknownName::new("attribute", name, known))
                })?;
            let gets = match value {
                GivenValue::Value(value) => {
                    Gets::Bytes(stored(array, attribute, value, self.ticks)?)
                }
                GivenValue::Expression(text) => {
                    let limits = array.context().shared_session().limits();
                    Gets::ValueExpression(ValueExpression::new(text, attribute, schema, limits)?)
                }
                GivenValue::Null if attribute.nullable => Gets::Null,
                GivenValue::Null => {
                    let what = format!("attribute {name:?} cannot be null");
                    return Err(Error::invalid(what));
                }
            };
            Ok(NewValue {
                attribute: name.clone(),
                gets,
            })
        });
        values.collect()
    }

    /// Sparse arrays: writes each matching cell with its new values.
    fn write_cells(
        &self,
        array: &Array,
        values: &[NewValue],
        mut options: WriteOptions,
    ) -> Result<SealedWrite> {
        options.order = Some(WriteOrder::Global);
        options.duplicates = Some(Duplicates::Error);
        let session = array.context().shared_session();
        let read = (self.matching(array)?)
            .order(Some(ResultOrder::Global))
            .enumeration_codes(true);
        let reader =
            Reader::open(session, array.engine(), &read).map_err(|error| array.failed(error))?;
        let mut writer =
            Writer::open(session, array.engine(), &options).map_err(|error| array.failed(error))?;
        for batch in reader {
            let batch = batch.map_err(|error| array.failed(error))?;
            let schema = array.engine().newest_schema();
            let batch = with_values(schema, &batch, &mut |_| Ok(true), values)?;
            writer.push(&batch).map_err(|error| array.failed(error))?;
            if writer.rows() > self.most {
                return Err(too_many(writer.rows(), self.most));
            }
        }
        writer.seal().map_err(|error| array.failed(error))
    }

    /// Dense arrays: writes boxes that contain the matching cells, in which only these get new values.
    fn write_boxes(
        &self,
        array: &Array,
        schema: &ArraySchema,
        values: &[NewValue],
        options: WriteOptions,
    ) -> Result<(u64, SealedWrite)> {
        let places = self.places(array, schema)?;
        let cells = places.len() as u64;
        let mut meant = MatchedPlaces {
            found: vec![false; places.len()],
            places,
        };
        let mut written: Option<SealedWrite> = None;
        for cell_box in boxes_of_commit(&meant.places, array.engine().write_version()) {
            let write = write_box(array, &cell_box, &mut meant, values, &options)?;
            written = Some(match written {
                Some(others) => others.with(write),
                None => write,
            });
        }
        if meant.found.contains(&false) {
            return Err(Bug::new("a cell that matches is in none of the boxes around them").into());
        }
        let written = written.ok_or_else(|| Bug::new("cells that match lie in no box"))?;
        Ok((cells, written))
    }

    /// Returns the coordinates of the matching cells of a dense array, sorted.
    fn places(&self, array: &Array, schema: &ArraySchema) -> Result<Vec<Place>> {
        let options = (self.matching(array)?)
            .order(Some(ResultOrder::RowMajor))
            .attributes(Some(Vec::new()));
        let mut places = Vec::new();
        let session = array.context().shared_session();
        let reader = Reader::open(session, array.engine(), &options);
        for batch in reader.map_err(|error| array.failed(error))? {
            let batch = batch.map_err(|error| array.failed(error))?;
            let rows = (0..batch.rows).map(|row| place_of(schema, &batch, row));
            places.extend(rows.collect::<Result<Vec<_>, Bug>>()?);
            if places.len() as u64 > self.most {
                return Err(too_many(places.len() as u64, self.most));
            }
        }
        places.sort_unstable();
        Ok(places)
    }
}

/// Sorted places of the cells that get new values, and which of them were seen in a box.
#[derive(Debug)]
struct MatchedPlaces {
    places: Vec<Place>,
    found: Vec<bool>,
}

impl MatchedPlaces {
    fn is_meant(&mut self, place: &Place) -> bool {
        let Ok(index) = self.places.binary_search(place) else {
            return false;
        };
        if let Some(found) = self.found.get_mut(index) {
            *found = true;
        }
        true
    }
}

/// Writes a box unchanged except for the cells that get new values.
fn write_box(
    array: &Array,
    cell_box: &CellBox,
    meant: &mut MatchedPlaces,
    values: &[NewValue],
    options: &WriteOptions,
) -> Result<SealedWrite> {
    let schema = array.engine().newest_schema();
    let session = array.context().shared_session();
    let options = options
        .clone()
        .ranges(cell_box.ranges(&schema.dimensions)?)
        .order(Some(WriteOrder::RowMajor));
    let read = ReadOptions::default()
        .order(Some(ResultOrder::RowMajor))
        .ranges(options.ranges.clone())
        .enumeration_codes(true);
    let reader =
        Reader::open(session, array.engine(), &read).map_err(|error| array.failed(error))?;
    let mut writer =
        Writer::open(session, array.engine(), &options).map_err(|error| array.failed(error))?;
    for batch in reader {
        let batch = batch.map_err(|error| array.failed(error))?;
        let mut is_meant = |row| Ok(meant.is_meant(&place_of(schema, &batch, row)?));
        let mut changed = with_values(schema, &batch, &mut is_meant, values)?;
        changed
            .columns
            .retain(|column| schema.dimension_index(&column.name).is_none());
        writer.push(&changed).map_err(|error| array.failed(error))?;
    }
    writer.seal().map_err(|error| array.failed(error))
}

/// Replaces the hint of a walk that is too large: `set` takes a condition, not ranges.
fn with_condition(error: Error, array: &Array) -> Error {
    let tests = condition_of_last_write(array.engine());
    match tests.filter(|_| error.kind() == ErrorKind::Limit) {
        Some(tests) => error.with_hint(format!(
            "use `{tests}` to select the cells of the last write"
        )),
        None => error,
    }
}

fn too_many(cells: u64, most: u64) -> Error {
    let what = format!("{cells} cells match, and at most {most} may be changed");
    Error::invalid(what).with_hint(format!("use --max {cells} to change them all"))
}

/// Formats a condition for the cells of the last write: `x >= 5 and x <= 7` for each dimension.
fn condition_of_last_write(array: &tdb_array::Array) -> Option<String> {
    let written = &array.fragments().last()?.metadata.non_empty_domain;
    let dimensions = array.schema().dimensions.iter();
    let tests: Option<Vec<String>> = dimensions
        .zip(written)
        .map(|(dimension, range)| {
            let end = |bytes: &[u8]| match tdb_schema::value::read(dimension.datatype, bytes)? {
                value @ tdb_schema::value::Value::Time(..) => Some(format!("'{value}'")),
                value => Some(value.to_string()),
            };
            let (lo, hi) = (end(&range.lo)?, end(&range.hi)?);
            let name = &dimension.name;
            Some(format!("\"{name}\" >= {lo} and \"{name}\" <= {hi}"))
        })
        .collect();
    Some(tests?.join(" and "))
}
