//! Converts the rows of a query to types that an array stores. Text for a time or a number is parsed, and a value
//! that the field cannot hold exactly is an error. Types that hold cells are left to the writer, which converts them
//! by value.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use datafusion::arrow::compute::kernels::cmp::neq;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::compute::{CastOptions, and_not, cast, cast_with_options, is_not_null};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::Result;
use tdb_cells::FieldInfo;
use tdb_cells::files::{InputError, InputPlace, shown_type};
use tdb_schema::value::holds_bytes;
use tdb_tile::Datatype;

use crate::cell_places::CellPlaces;
use crate::error::external;
use crate::rounded::{Neighbour, TimeRounding, tick};

/// Hint for a value that is finer than the field.
const ROUND_TIME: &str =
    "round it: date_trunc('second', x), or x::date; cast makes another type of it";

/// Hint for text beyond ASCII in an ASCII field.
const ASCII: &str = "string_ascii holds ASCII alone, and a field of string_utf8 any text";

/// Hint for a value that the field's type does not have.
const ANOTHER: &str = "cast(x as …) and round(x) make another value of it";

/// Rows of a query, with a column for each of some fields of an array, in types that can be stored.
pub(crate) struct Storable<R> {
    rows: R,
    fields: Vec<FieldInfo>,
    /// Schema of the table.
    table: SchemaRef,
    schema: SchemaRef,
    /// Number of rows returned so far.
    given: u64,
    /// Record of the coordinates of the rows.
    places: Option<Arc<CellPlaces>>,
}

impl<R: RecordBatchReader> Storable<R> {
    /// Wraps rows whose columns are these fields, in order; the table has columns of the types in `table` for them.
    pub(crate) fn new(rows: R, fields: Vec<FieldInfo>, table: SchemaRef) -> Self {
        let columns = rows.schema();
        let named = columns
            .fields()
            .iter()
            .zip(table.fields())
            .zip(&fields)
            .map(|((column, table), field)| {
                let data_type = stored_type(column.data_type(), table.data_type(), field);
                Field::new(&field.name, data_type, true)
            });
        Self {
            schema: Arc::new(Schema::new(named.collect::<Vec<_>>())),
            rows,
            fields,
            table,
            given: 0,
            places: None,
        }
    }

    /// Records the coordinates of the rows in `places`.
    pub(crate) fn noting(mut self, places: &Arc<CellPlaces>) -> Self {
        self.places = Some(Arc::clone(places));
        self
    }

    fn storable(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        if let Some(places) = &self.places {
            places.note(self.given, batch);
        }
        let wanted = self.schema.fields().iter().zip(self.table.fields());
        let columns = batch
            .columns()
            .iter()
            .zip(wanted)
            .zip(&self.fields)
            .map(|((column, (stored, table)), field)| {
                let made = made(column, (stored.data_type(), table.data_type()), field);
                made.map_err(|wrong| self.refused(column, field, wrong))
            })
            .collect::<Result<Vec<_>>>()?;
        self.given += batch.num_rows() as u64;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    fn refused(
        &self,
        column: &ArrayRef,
        field: &FieldInfo,
        wrong: StorageProblem,
    ) -> datafusion::common::DataFusionError {
        let StorageProblem::Row(row, hint) = wrong else {
            return match wrong {
                StorageProblem::Error(error) => error.into(),
                StorageProblem::Row(..) => external("a row that is none"),
            };
        };
        let value = array_value_to_string(column, row).unwrap_or_else(|error| format!("({error})"));
        let datatype = shown_type(field).0;
        external(InputError::Cell {
            field: field.name.clone(),
            place: InputPlace::Row(self.given + row as u64),
            what: format!("{value} cannot be stored as {datatype} without a change"),
            hint: Some(hint),
        })
    }
}

impl<R: RecordBatchReader> Iterator for Storable<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.rows.next()?;
        Some(batch.and_then(|batch| {
            let batch = self.storable(&batch);
            batch.map_err(|error| ArrowError::ExternalError(Box::new(error)))
        }))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Storable<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Reason why a column cannot be stored.
enum StorageProblem {
    /// Row whose value does not fit, with a hint.
    Row(usize, &'static str),
    Error(ArrowError),
}

impl From<ArrowError> for StorageProblem {
    fn from(error: ArrowError) -> Self {
        Self::Error(error)
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn is_binary(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::FixedSizeBinary(_)
    )
}

/// Returns the type in which a column of a query is passed to the writer; `table` is its type in the table.
fn stored_type(column: &DataType, table: &DataType, field: &FieldInfo) -> DataType {
    let shown = match table {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    let datatype = shown_type(field).0;
    match column {
        _ if is_text(column) && holds_bytes(datatype) => DataType::LargeUtf8,
        // Text of a time, of a number, or of a boolean.
        _ if is_text(column) => shown.clone(),
        DataType::Null => DataType::Null,
        _ if is_binary(column) => column.clone(),
        _ if holds_bytes(datatype) => DataType::LargeUtf8,
        // Floats are rounded to the nearest; integers and booleans must be equal.
        _ if column.is_numeric() && is_value(shown) => shown.clone(),
        DataType::Interval(_) => shown.clone(),
        other => other.clone(),
    }
}

fn is_value(data_type: &DataType) -> bool {
    data_type.is_numeric() || data_type == &DataType::Boolean
}

fn made(
    column: &ArrayRef,
    (stored, table): (&DataType, &DataType),
    field: &FieldInfo,
) -> Result<ArrayRef, StorageProblem> {
    let datatype = shown_type(field).0;
    let is_time = tick(stored).is_some();
    let made = match column.data_type() {
        from if is_text(from) && is_time => of_text(column, stored)?,
        from if from == stored => Arc::clone(column),
        _ => converted(column, stored)?,
    };
    if datatype == Datatype::StringAscii {
        check_ascii(&made)?;
    }
    if tick(made.data_type()).is_some() && tick(table).is_some() {
        check_whole(&made, table)?;
    }
    Ok(made)
}

/// Converts a column to another type; fails if a value changes.
fn converted(column: &ArrayRef, to: &DataType) -> Result<ArrayRef, StorageProblem> {
    let options = CastOptions {
        safe: true,
        ..CastOptions::default()
    };
    let made = cast_with_options(column, to, &options)?;
    check_all_there(column, &made)?;
    if !column.data_type().is_numeric() || !is_value(to) {
        return Ok(made);
    }
    let differs = if to.is_floating() && !column.data_type().is_integer() {
        is_beyond(column, &made)?
    } else {
        neq(
            &cast_with_options(&made, column.data_type(), &options)?,
            column,
        )?
    };
    match differs.iter().position(|differs| differs == Some(true)) {
        Some(row) => Err(StorageProblem::Row(row, ANOTHER)),
        None => Ok(made),
    }
}

/// Returns which numbers become infinite as floats of another size.
fn is_beyond(column: &ArrayRef, made: &ArrayRef) -> Result<BooleanArray, ArrowError> {
    let infinite = |column: &ArrayRef| {
        let wide = cast(column, &DataType::Float64)?;
        let numbers = wide.as_primitive::<Float64Type>();
        Ok::<_, ArrowError>(BooleanArray::from_unary(numbers, f64::is_infinite))
    };
    and_not(&infinite(made)?, &infinite(column)?)
}

/// Parses text as times, in nanoseconds if they are in range, otherwise in microseconds.
fn of_text(column: &ArrayRef, to: &DataType) -> Result<ArrayRef, StorageProblem> {
    let column = match column.data_type() {
        DataType::Dictionary(_, values) => cast(column, values)?,
        _ => Arc::clone(column),
    };
    let in_unit = |unit| cast(&column, &DataType::Timestamp(unit, None));
    let fine = in_unit(TimeUnit::Nanosecond)?;
    check_whole(&fine, to)?;
    let exact = rounded(&fine, to)?;
    let far = in_unit(TimeUnit::Microsecond)?;
    check_all_there(&column, &far)?;
    if to == &DataType::Timestamp(TimeUnit::Nanosecond, None) {
        check_all_there(&column, &exact)?;
        return Ok(exact);
    }
    check_whole(&far, to)?;
    Ok(zip(&is_not_null(&exact)?, &exact, &rounded(&far, to)?)?)
}

fn rounded(times: &ArrayRef, to: &DataType) -> Result<ArrayRef, StorageProblem> {
    if times.data_type() == to {
        return Ok(Arc::clone(times));
    }
    let rounded = TimeRounding::new(to.clone(), Neighbour::Before).of(times);
    rounded.map_err(|error| StorageProblem::Error(ArrowError::ExternalError(error.into())))
}

fn check_all_there(column: &ArrayRef, made: &ArrayRef) -> Result<(), StorageProblem> {
    let lost = |row: &usize| made.is_null(*row) && !column.is_null(*row);
    match (0..column.len()).find(lost) {
        Some(row) => Err(StorageProblem::Row(row, ANOTHER)),
        None => Ok(()),
    }
}

/// Fails for times between two ticks of the table's type.
fn check_whole(times: &ArrayRef, table: &DataType) -> Result<(), StorageProblem> {
    let (from, to) = (tick(times.data_type()), tick(table));
    let Some((from, to)) = from.zip(to).filter(|(from, to)| from < to) else {
        return Ok(());
    };
    let ticks = match times.data_type() {
        DataType::Date32 => return Ok(()),
        _ => cast(times, &DataType::Int64)?,
    };
    let numbers = ticks.as_primitive::<Int64Type>();
    let is_between = |ticks: i64| (i128::from(ticks) * from).rem_euclid(to) != 0;
    match numbers
        .iter()
        .position(|ticks| ticks.is_some_and(is_between))
    {
        Some(row) => Err(StorageProblem::Row(row, ROUND_TIME)),
        None => Ok(()),
    }
}

fn check_ascii(column: &ArrayRef) -> Result<(), StorageProblem> {
    let Some(texts) = column.as_string_opt::<i64>() else {
        return Ok(());
    };
    match texts
        .iter()
        .position(|text| text.is_some_and(|text| !text.is_ascii()))
    {
        Some(row) => Err(StorageProblem::Row(row, ASCII)),
        None => Ok(()),
    }
}
