//! Reads cells from record batches.

use std::cell::Cell;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema};
use tdb_cells::files::{
    BatchReader, ColumnChoice, ColumnGuess, Input, InputError, InputOptions, by_name,
};
use tdb_cells::{Batch, FieldInfo, threads};
use tdb_tile::Limits;

use super::arrow_guess::{ArrowGuess, check_types};
use super::columns::{ColumnSelection, RangeIndex};
use super::convert::ColumnConverter;
use super::size::unpacked_size;
use crate::ARRAY_SCHEMA;

/// Size in bytes above which a batch is alone in memory.
const MOST_BESIDE_ANOTHER: u64 = 16 << 20;

/// Reads cells from any source of Arrow record batches.
///
/// Numbers can be read into fields of other number types, and dates and times into other units, if no cell loses
/// information. Cells of dictionaries are read as their labels.
pub struct ArrowInput {
    batches: Batches,
    names: Vec<String>,
    /// The columns, with their names in the array.
    fields: Vec<Field>,
    choice: ColumnChoice,
    array_schema: Option<String>,
    /// Names of the columns that pandas used as index.
    index: Vec<String>,
}

/// Batches of the columns that are read.
struct Batches {
    reader: Box<dyn RecordBatchReader + Send>,
    /// Numbers of these columns; `None` for all.
    chosen: Option<Vec<usize>>,
    /// A pandas index that the file does not store as a column; its values are computed and added as the last column.
    counted: Option<RangeIndex>,
    /// Number of rows read so far.
    rows: u64,
    /// Whether batches may depend on work of other threads.
    waits: bool,
    source: Source,
}

/// Format and memory limit of a source of batches.
#[derive(Clone, Copy)]
struct Source {
    format: &'static str,
    /// Maximum memory of the cells of a batch, in bytes.
    memory: u64,
}

impl ArrowInput {
    /// Reads from these batches, which may depend on work of other threads; `format` is the name of their source in
    /// errors.
    #[must_use]
    pub fn new(batches: Box<dyn RecordBatchReader + Send>, format: &'static str) -> Self {
        let schema = batches.schema();
        let fields = schema.fields().iter();
        Self {
            names: fields.clone().map(|field| field.name().clone()).collect(),
            fields: fields.map(|field| Field::clone(field)).collect(),
            batches: Batches {
                reader: batches,
                chosen: None,
                counted: None,
                rows: 0,
                waits: true,
                source: Source {
                    format,
                    memory: InputOptions::default().memory,
                },
            },
            choice: ColumnChoice::default(),
            index: Vec::new(),
            array_schema: schema.metadata().get(ARRAY_SCHEMA).cloned(),
        }
    }

    /// Selects and renames columns.
    ///
    /// # Errors
    /// A chosen column does not exist, or no column is left.
    pub fn with_columns(self, choice: &ColumnChoice) -> Result<Self, InputError> {
        let chosen = ColumnSelection::of(&self.batches.reader.schema(), choice)?;
        let numbers = chosen.numbers.clone();
        let mut input = self.with_chosen(chosen);
        input.batches.chosen = Some(numbers);
        Ok(input)
    }

    /// Sets the columns that the batches contain, with their names in the array.
    pub(super) fn with_chosen(mut self, chosen: ColumnSelection) -> Self {
        let names = chosen.fields.iter().map(|field| field.name().clone());
        self.names = names.collect();
        self.fields = chosen.fields;
        self.choice = chosen.choice;
        self.index = chosen.index;
        self.batches.counted = chosen.counted;
        self
    }

    /// Sets the schema of the array, for batches without it.
    #[cfg(feature = "parquet")]
    pub(super) fn with_array_schema(mut self, json: Option<String>) -> Self {
        self.array_schema = json;
        self
    }

    /// Sets the maximum memory of a batch's cells in bytes. A dictionary label counts once for each cell that has it.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.batches.source.memory = bytes;
        self
    }
}

#[cfg(any(feature = "ipc", feature = "parquet"))]
impl ArrowInput {
    /// Reads from a file, which does not depend on other threads.
    pub(super) fn of_file(
        batches: Box<dyn RecordBatchReader + Send>,
        format: &'static str,
    ) -> Self {
        let mut input = Self::new(batches, format);
        input.batches.waits = false;
        input
    }
}

impl Input for ArrowInput {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn array_schema(&self) -> Option<&str> {
        self.array_schema.as_deref()
    }

    fn index(&self) -> &[String] {
        &self.index
    }

    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a,
    {
        let places = by_name(&self.names, fields)?;
        let fields_of = places.iter().map(|place| fields.get(*place));
        let zoned = fields_of
            .zip(&self.fields)
            .filter_map(|(field, column)| {
                field.filter(|field| field.datatype.is_datetime() && has_zone(column.data_type()))
            })
            .map(|field| field.name.clone())
            .collect();
        let columns = places
            .iter()
            .zip(&self.fields)
            .filter_map(|(place, column)| {
                let field = fields.get(*place)?;
                Some(ColumnConverter::try_new(column, field))
            });
        Ok(Box::new(ArrowCells {
            columns: columns.collect::<Result<_, _>>()?,
            waits: self.batches.waits,
            batches: Some(self.batches),
            rows: 0,
            zoned,
        }))
    }

    fn guess(mut self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        check_types(&self.fields, &self.choice)?;
        let mut guesses: Vec<ArrowGuess> = self
            .fields
            .iter()
            .map(|field| {
                let datatype = self.choice.datatype(field.name());
                ArrowGuess::try_new(field, datatype)
            })
            .collect::<Result<_, _>>()?;
        let mut rows = 0;
        let mut next = self.batches.next()?;
        while let Some(batch) = next {
            let size = batch.get_array_memory_size() as u64;
            let mut see = || see(&mut guesses, &batch, rows);
            // Large batches are alone in memory.
            let (seen, following) = if size > MOST_BESIDE_ANOTHER {
                (see(), None)
            } else {
                let (seen, following) = threads::both(see, || self.batches.next());
                (seen, Some(following))
            };
            seen?;
            rows += batch.num_rows() as u64;
            next = match following {
                Some(following) => following?,
                None => {
                    drop(batch);
                    self.batches.next()?
                }
            };
        }
        Ok(guesses
            .into_iter()
            .map(|guess| guess.finish(rows))
            .collect())
    }
}

/// Inspects the columns of a batch in parallel, on the threads of the current session.
///
/// # Errors
/// The error of the first column that has one.
fn see(guesses: &mut [ArrowGuess], batch: &RecordBatch, first: u64) -> Result<(), InputError> {
    let work = guesses.iter_mut().zip(batch.columns()).collect();
    let Ok(seen) = threads::map(work, |(guess, column): (&mut ArrowGuess, _)| {
        Ok::<_, Infallible>(guess.see(column, first))
    });
    seen.into_iter().collect()
}

struct ArrowCells {
    /// `None` after the last batch, because readers keep data of their source in memory.
    batches: Option<Batches>,
    waits: bool,
    columns: Vec<ColumnConverter>,
    rows: u64,
    /// Names of fields whose columns have times in a zone.
    zoned: Vec<String>,
}

/// Names of UTC as a time zone.
const UTC: [&str; 6] = ["UTC", "Etc/UTC", "GMT", "Z", "+00:00", "-00:00"];

/// Whether times are in a zone other than UTC.
fn has_zone(data_type: &DataType) -> bool {
    match data_type {
        DataType::Timestamp(_, Some(zone)) => !UTC.contains(&&**zone),
        _ => false,
    }
}

impl BatchReader for ArrowCells {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        let batch: RecordBatch = loop {
            let Some(batches) = &mut self.batches else {
                return Ok(None);
            };
            match batches.next()? {
                None => self.batches = None,
                Some(batch) if batch.num_rows() == 0 => {}
                Some(batch) => break batch,
            }
        };
        let work = self.columns.iter().zip(batch.columns()).collect();
        let convert = |(converter, array): (&ColumnConverter, _)| {
            Ok::<_, Infallible>(converter.column(array, self.rows))
        };
        let Ok(columns) = threads::map(work, convert);
        let columns = columns.into_iter().collect::<Result<_, _>>()?;
        self.rows += batch.num_rows() as u64;
        Ok(Some(Batch {
            rows: batch.num_rows(),
            columns,
        }))
    }

    fn line(&self, _: u64) -> Option<u64> {
        None
    }

    fn waits(&self) -> bool {
        self.waits
    }

    fn zoned(&self) -> Vec<String> {
        self.zoned.clone()
    }
}

impl Batches {
    fn next(&mut self) -> Result<Option<RecordBatch>, InputError> {
        let Source { format, memory } = self.source;
        let mut batch = guarded(format, || self.reader.next().transpose())?
            .map_err(|error| failed(format, error))?;
        if let (Some(batch), Some(chosen)) = (&mut batch, &self.chosen) {
            let projected = batch.project(chosen);
            *batch = projected.map_err(|error| failed(format, error))?;
        }
        if let (Some(batch), Some(counted)) = (&mut batch, self.counted) {
            let numbers = counted
                .numbers(self.rows, batch.num_rows())
                .ok_or_else(|| InputError::Column {
                    column: "the index of pandas".to_owned(),
                    what: "its start and step lead beyond 64 bits".to_owned(),
                })?;
            self.rows += batch.num_rows() as u64;
            let fields = batch.schema().fields().to_vec();
            let index = Field::new("", DataType::Int64, false);
            let fields: Vec<FieldRef> = fields.into_iter().chain([Arc::new(index)]).collect();
            let mut columns = batch.columns().to_vec();
            columns.push(Arc::new(numbers));
            let counted = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns);
            *batch = counted.map_err(|error| failed(format, error))?;
        }
        if let Some(batch) = &batch {
            let sizes = batch.columns().iter().map(unpacked_size);
            let size = sizes.fold(0, u64::saturating_add);
            Limits::check_memory("memory", size, memory)?;
        }
        Ok(batch)
    }
}

/// Calls a reader of Arrow, and converts a panic into an error: damaged files can make Arrow's readers index beyond a
/// buffer.
pub(super) fn guarded<T>(format: &'static str, read: impl FnOnce() -> T) -> Result<T, InputError> {
    let outer = GUARDED.replace(true);
    // A reader that has panicked is not used again.
    let read = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    read.map_err(|_| InputError::Library {
        format,
        source: "the file is damaged: its lengths lead beyond its bytes".into(),
    })
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of the current thread will be converted into an [`InputError`], so that a program's panic hook can
/// ignore it.
///
/// ```
/// let hook = std::panic::take_hook();
/// std::panic::set_hook(Box::new(move |info| {
///     if !tdb_arrow::panics_are_errors() {
///         hook(info);
///     }
/// }));
/// ```
#[must_use]
pub fn panics_are_errors() -> bool {
    GUARDED.get()
}

pub(super) fn failed(format: &'static str, error: ArrowError) -> InputError {
    let error = match error {
        ArrowError::IoError(what, error) => match error.downcast::<InputError>() {
            Ok(error) => return error,
            Err(error) => ArrowError::IoError(what, error),
        },
        error => error,
    };
    match error {
        // These are caused by wrong lengths in the file.
        ArrowError::IoError(_, error)
            if matches!(
                error.kind(),
                ErrorKind::UnexpectedEof | ErrorKind::InvalidInput | ErrorKind::InvalidData
            ) =>
        {
            InputError::Library {
                format,
                source: error.into(),
            }
        }
        ArrowError::IoError(_, error) => InputError::Input(error),
        ArrowError::ExternalError(source) => InputError::Library { format, source },
        ArrowError::NotYetImplemented(what) => InputError::Unsupported { format, what },
        error => InputError::Library {
            format,
            source: error.into(),
        },
    }
}
