//! The values of one field: in a list, or in memory that the caller brings.

use std::slice::SliceIndex;

use tdb_cells::{Column, FieldInfo};
use tdb_query::{NextCells, Reader};
use tdb_schema::TIMESTAMPS;
use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, Scalar};

use super::{Batches, ReadBuilder, expected};
use crate::{Array, Error, ErrorKind, Result};

impl ReadBuilder {
    /// The values of one field, of all cells that match.
    ///
    /// # Errors
    /// A field that holds other values than `T`, that varies in size, or has null cells; errors of reading.
    pub fn to_vec<T: Scalar>(self, field: &str) -> Result<Vec<T>> {
        let mut source = Values::open::<T>(self, field)?;
        let mut values = vec![T::default(); source.expected];
        let mut count = 0;
        while let Some(more) = source.next(part(&mut values, count..)?)? {
            let end = match &more {
                More::Written(more) => count.saturating_add(*more),
                More::Column(column) => {
                    let end = count.saturating_add(values_in::<T>(column));
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

    /// The values of one field, of all cells that match, into memory that is there: read after read may bring the same.
    /// Gives their number; what stands behind them stays as it was. Values of dense arrays are decoded right into it, unless the
    /// field may be null, a condition or points choose cells, or the cells are sorted.
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
    /// As for [`ReadBuilder::to_vec`]; more values than there is room for. Some may stand there then.
    pub fn read_into<T: Scalar>(self, field: &str, values: &mut [T]) -> Result<usize> {
        let mut source = Values::open::<T>(self, field)?;
        let (mut count, all) = (0, values.len());
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
            count = count.saturating_add(more);
        }
        T::settle(part(values, ..count)?);
        Ok(count)
    }

    /// Narrows the result to one field.
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

/// A read of the values of one field.
struct Values {
    array: Array,
    source: Source,
    /// How many there will be, where that is known and the memory of the context holds them; else none.
    expected: usize,
}

/// Where cells come from.
enum Source {
    Read(Box<Reader>),
    Arranged(Box<Batches>),
}

/// The next values.
enum More {
    /// So many are where they belong.
    Written(usize),
    /// They are those of this column.
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
        let cells = expected(&array, &options).map(|cells| arrangement.given(cells));
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
        let bytes = cells.and_then(|cells| cells.checked_mul(size as u64));
        let bytes = bytes.filter(|bytes| *bytes <= session.limits().budget.left());
        let values = bytes.map_or(0, |bytes| bytes / T::SIZE as u64);
        Ok(Self {
            expected: usize::try_from(values).map_err(|_| Bug::new("more values than memory"))?,
            source,
            array,
        })
    }

    /// The next values, where that can be right into the beginning of `memory`.
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
        let column = batch.columns.into_iter().next();
        let column = column.ok_or_else(|| Bug::new("a read of one field without its column"))?;
        check_valid(&column, batch.rows).map_err(|error| error.at(self.array.uri()))?;
        Ok(Some(More::Column(column)))
    }
}

/// A part of memory, which has it.
fn part<T, R: SliceIndex<[T], Output = [T]>>(memory: &mut [T], part: R) -> Result<&mut [T], Bug> {
    let part = memory.get_mut(part);
    part.ok_or_else(|| Bug::new("more values than the memory that they are in"))
}

/// How many values a column has.
fn values_in<T: Scalar>(column: &Column) -> usize {
    column.values.len() / T::SIZE
}

/// Copies the values of a column into memory of as many.
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

/// Fails where a field has other values than `T`, or cells that vary in size: what stands there is no value. The size of a cell.
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

/// Fails where cells are null: what stands there is no value.
fn check_valid(column: &Column, rows: usize) -> Result<()> {
    if column.validity.is_none() || (0..rows).all(|row| column.is_valid(row)) {
        return Ok(());
    }
    let what = format!("field {:?}: there are null cells", column.name);
    let hint = "leave them out with `field(…).is_not_null()`, or read it by `batches`, whose columns have `is_valid`";
    Err(Error::invalid(what).with_hint(hint))
}
