//! Reading the values of one field into a list, or into memory of the caller.

use std::slice::SliceIndex;

use tdb_aggregate::expected_count;
use tdb_cells::{Column, FieldInfo};
use tdb_open::{Error, ErrorKind, Result};
use tdb_query::{NextCells, Reader};
use tdb_schema::TIMESTAMPS;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Exact, Scalar};

use super::{Batches, ReadBuilder};
use crate::Array;

impl ReadBuilder {
    /// Reads the values of one field, of all cells that match.
    ///
    /// # Errors
    /// Fails if the field has values other than `T`, varies in size, or has null cells, or if reading fails.
    pub fn to_vec<T: Scalar>(self, field: &str) -> Result<Vec<T>> {
        let mut source = Values::open::<T>(self, field)?;
        let mut values = vec![T::default(); source.expected];
        let mut count = 0_usize;
        while let Some(more) = source.next(part(&mut values, count..)?)? {
            let end = match &more {
                More::Written(more) => count.exact_add(*more)?,
                More::Column(column) => {
                    let end = count.exact_add(values_in::<T>(column))?;
                    if values.len() < end {
                        values.resize(end, T::default());
                    }
                    put(column, part(&mut values, count..end)?)?;
                    end
                }
            };
            count = end;
        }
        values.truncate(count);
        T::settle(&mut values);
        Ok(values)
    }

    /// Reads the values of one field, of all cells that match, into memory of the caller, which can be reused. Returns
    /// their number; memory after them is unchanged. Values of dense arrays are decoded directly into `values`, unless
    /// the field is nullable, a condition or points choose cells, or the cells are sorted.
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// let mut temp = vec![0_f32; 1_000];
    /// for day in 3..=40 {
    ///     let cells = weather.read().range("day", day).read_into("temp", &mut temp)?;
    ///     println!("{day}: {:?}", temp.iter().take(cells).copied().reduce(f32::max));
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::to_vec`]; fails also if there are more values than room. Some values may have been
    /// written then.
    pub fn read_into<T: Scalar>(self, field: &str, values: &mut [T]) -> Result<usize> {
        let mut source = Values::open::<T>(self, field)?;
        let (mut count, all) = (0_usize, values.len());
        while let Some(more) = source.next(part(values, count..)?)? {
            let more = match more {
                More::Written(more) => more,
                More::Column(column) => {
                    let more = values_in::<T>(&column);
                    let room = part(values, count..)?.get_mut(..more);
                    put(
                        &column,
                        room.ok_or_else(|| no_room(&source.array, field, all))?,
                    )?;
                    more
                }
            };
            count = count.exact_add(more)?;
        }
        T::settle(part(values, ..count)?);
        Ok(count)
    }

    /// Restricts the result to one field.
    pub(crate) fn only(mut self, field: &str) -> Result<Self> {
        let schema = self.array.schema();
        let is_dimension = schema.dimension_index(field).is_some();
        let is_attribute = schema.attribute_index(field).is_some() || field == TIMESTAMPS;
        if !is_dimension && !is_attribute {
            return Err(no_field(&self.array, field));
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

/// A running read of the values of one field.
struct Values {
    array: Array,
    source: Source,
    /// Number of values, if known in advance and if they fit the memory of the context; otherwise 0.
    expected: usize,
}

/// Source of cells.
enum Source {
    Read(Box<Reader>),
    Arranged(Box<Batches>),
}

/// The next values of a read.
enum More {
    /// This number of values was written to the memory of the caller.
    Written(usize),
    /// The values are in this column.
    Column(Column),
}

impl Values {
    fn open<T: Scalar>(read: ReadBuilder, field: &str) -> Result<Self> {
        let read = read.only(field)?;
        let array = read.array.clone();
        let session = array.context().shared_session();
        let mut options = read.options()?;
        let arrangement = read.arrangement.clone();
        let prepared = arrangement.clone().prepare(array.schema(), &mut options)?;
        let cells = expected_count(array.engine(), &options).map(|cells| arrangement.given(cells));
        let source = if arrangement.changes_cells() {
            Source::Arranged(Box::new(read.batches()?))
        } else {
            let reader = Reader::open(session, array.engine(), &options);
            Source::Read(Box::new(reader.map_err(|error| array.failed(error))?))
        };
        let fields = match &source {
            Source::Read(reader) => prepared.fields(reader.fields()),
            Source::Arranged(batches) => batches.fields().to_vec(),
        };
        let info = fields.first().ok_or_else(|| no_field(&array, field))?;
        let size = check_plain::<T>(info).map_err(|error| error.at(array.uri()))?;
        let bytes = cells
            .and_then(|cells| cells.checked_mul(size as u64))
            .filter(|bytes| *bytes <= session.limits().budget.left());
        let values = bytes.map_or(0, |bytes| bytes / T::SIZE as u64);
        Ok(Self {
            expected: usize::try_from(values).map_err(|_| Bug::new("more values than memory"))?,
            source,
            array,
        })
    }

    /// Reads the next values, directly into the beginning of `memory` if possible; `None` at the end.
    fn next<T: Scalar>(&mut self, memory: &mut [T]) -> Result<Option<More>> {
        let batch = match &mut self.source {
            Source::Arranged(batches) => batches.next().transpose()?,
            Source::Read(reader) => {
                let next = reader.next_into(T::memory(memory));
                match next.map_err(|error| self.array.failed(error))? {
                    Some(NextCells::Written(bytes)) => {
                        return Ok(Some(More::Written(bytes / T::SIZE)));
                    }
                    Some(NextCells::Batch(batch)) => Some(batch),
                    None => None,
                }
            }
        };
        let Some(batch) = batch else {
            return Ok(None);
        };
        let column = batch
            .columns
            .into_iter()
            .next()
            .ok_or_else(|| Bug::new("a read of one field without its column"))?;
        check_valid(&column, batch.rows).map_err(|error| error.at(self.array.uri()))?;
        Ok(Some(More::Column(column)))
    }
}

/// Returns a part of a slice that is known to be long enough.
fn part<T, R: SliceIndex<[T], Output = [T]>>(memory: &mut [T], part: R) -> Result<&mut [T], Bug> {
    let part = memory.get_mut(part);
    part.ok_or_else(|| Bug::new("more values than the memory that they are in"))
}

/// Returns the number of values in a column.
fn values_in<T: Scalar>(column: &Column) -> usize {
    column.values.len() / T::SIZE
}

/// Copies the values of a column into memory of the same size.
fn put<T: Scalar>(column: &Column, memory: &mut [T]) -> Result<()> {
    let memory = T::memory(memory);
    if memory.len() != column.values.len() {
        return Err(Bug::new("values of another size than their memory").into());
    }
    memory.copy_from_slice(&column.values);
    Ok(())
}

fn no_field(array: &Array, name: &str) -> Error {
    let known = array.schema().fields().map(|field| field.name);
    UnknownName::new("field", name, known).into()
}

fn no_room(array: &Array, field: &str, room: usize) -> Error {
    let what =
        format!("field {field:?}: the result has more values than the {room} there is room for");
    let hint = "`count` says how many cells there are; a limit or ranges make them fewer";
    Error::new(ErrorKind::Invalid, what)
        .with_hint(hint)
        .at(array.uri())
}

/// Returns the size of a cell. Fails if the field has values other than `T`, or cells that vary in size.
fn check_plain<T: Scalar>(field: &FieldInfo) -> Result<usize> {
    field.check_numbers::<T>()?;
    field.cell_size().ok_or_else(|| {
        let what = format!(
            "field {:?}: its cells vary in size: they are no plain numbers",
            field.name
        );
        Error::invalid(what).with_hint("read it by `batches`, whose columns have `cell`")
    })
}

/// Fails if cells are null, since their bytes are not values.
fn check_valid(column: &Column, rows: usize) -> Result<()> {
    if column.validity.is_none() || (0..rows).all(|row| column.is_valid(row)) {
        return Ok(());
    }
    let what = format!("field {:?}: there are null cells", column.name);
    let hint = "leave them out with `field(…).is_not_null()`, or read it by `batches`, whose columns have `is_valid`";
    Err(Error::invalid(what).with_hint(hint))
}
