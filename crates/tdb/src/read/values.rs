//! The values of one field: in a list, or in memory that the caller brings.

use tdb_cells::Column;
use tdb_schema::TIMESTAMPS;
use tdb_schema::names::UnknownName;
use tdb_tile::Scalar;

use super::ReadBuilder;
use crate::{Array, Error, ErrorKind, Result};

impl ReadBuilder {
    /// The values of one field, of all cells that match.
    ///
    /// # Errors
    /// A field that holds other values than `T`, that varies in size, or has null cells; errors of reading.
    pub fn to_vec<T: Scalar>(self, field: &str) -> Result<Vec<T>> {
        let mut values = Vec::new();
        self.for_each_column(field, |column| {
            values.extend(numbers::<T>(column)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// The values of one field, of all cells that match, into memory that is there: read after read may bring the same.
    /// Gives their number; what stands behind them stays as it was.
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
        let (array, room) = (self.array.clone(), values.len());
        let mut left = values.iter_mut();
        self.for_each_column(field, |column| {
            for number in numbers::<T>(column)? {
                let place = left.next().ok_or_else(|| no_room(&array, field, room))?;
                *place = number;
            }
            Ok(())
        })?;
        Ok(room.saturating_sub(left.len()))
    }

    /// Gives the cells of a field away, batch by batch.
    fn for_each_column(
        self,
        field: &str,
        mut take: impl FnMut(&Column) -> Result<()>,
    ) -> Result<()> {
        let array = self.array.clone();
        for batch in self.only(field)?.batches()? {
            let batch = batch?;
            let column = batch.column(field).ok_or_else(|| no_field(&array, field))?;
            take(column).map_err(|error| error.at(array.uri()))?;
        }
        Ok(())
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

/// One value of each cell; fails where there are others.
fn numbers<'a, T: Scalar + 'a>(column: &'a Column) -> Result<impl Iterator<Item = T> + 'a> {
    let numbers = column.numbers::<T>()?;
    check_plain(column)?;
    Ok(numbers)
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

/// Fails where a column is more than one value a cell, or has nulls: what stands there is no value.
fn check_plain(column: &Column) -> Result<()> {
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
