//! Writing the cells of a file into an array.

use std::sync::Arc;

use tdb_array::{Array, ArrayError, OpenOptions};
use tdb_cells::files::{BatchReader, InputError, MadeOn, for_each_batch};
use tdb_cells::{Activity, Batch, CellProblem, FieldInfo, Progress, Session};
use tdb_change::WrittenCells;
use tdb_open::{Context, Error, Result, place};
use tdb_schema::ArraySchema;
use tdb_write::{WriteError, WriteOptions, WriteOrder, Writer};

use super::input::InputFile;
use super::open_input::OpenInput;
use super::shape::shape_of_box;

/// Checks that a `.npy` file has the shape of the box to write, and adopts its cell order.
pub(crate) fn fit_shape(
    schema: &ArraySchema,
    input: &OpenInput,
    options: &mut WriteOptions,
) -> Result<()> {
    let Some(shape) = &input.shape else {
        return Ok(());
    };
    let wanted = shape_of_box(schema, &options.ranges)?;
    if shape.axes != wanted {
        let what = format!(
            "the file has the shape {:?}, and the box to be written {wanted:?}",
            shape.axes
        );
        return Err(Error::invalid(what).with_hint("use --range to set the box to write"));
    }
    let order = if shape.is_column_major {
        WriteOrder::ColumnMajor
    } else {
        WriteOrder::RowMajor
    };
    if options.order.is_some_and(|other| other != order) {
        let what = "the file specifies another order of its cells";
        return Err(Error::invalid(what));
    }
    options.order = Some(order);
    Ok(())
}

/// Why cells were not written.
pub(crate) enum NotWritten {
    /// Two cells have equal coordinates.
    Duplicate(Error),
    /// Any other error.
    Failed(Error),
}

impl NotWritten {
    /// Returns the error.
    pub(crate) fn error(self) -> Error {
        match self {
            Self::Duplicate(error) | Self::Failed(error) => error,
        }
    }
}

impl<E: Into<Error>> From<E> for NotWritten {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// An error that stops the copying of cells.
enum TransferError {
    Input(InputError),
    Write(WriteError),
}

/// A pending write of a file's cells into an array.
pub(crate) struct CellTransfer<'a> {
    session: &'a Session,
    array: &'a Arc<Array>,
    file: &'a InputFile,
    /// Name of the dimension label, if the array holds the values of one.
    label: Option<String>,
    options: WriteOptions,
}

impl<'a> CellTransfer<'a> {
    /// Prepares to write a file into the array at `uri`; cells in any order are sorted in the temporary folder.
    pub(crate) fn new(
        context: &'a Context,
        uri: &str,
        array: &'a Arc<Array>,
        file: &'a InputFile,
        mut options: WriteOptions,
    ) -> Result<Self> {
        let session = context.shared_session();
        if options.sort_store.is_none() {
            options.sort_store = Some(Arc::new(file.sort_folder()?));
            options.sort_bytes = Some(session.limits().budget.limit() / 8);
        }
        Ok(Self {
            session,
            array,
            file,
            label: label(uri, context),
            options,
        })
    }

    /// Returns the write options, for changes.
    pub(crate) fn options(&mut self) -> &mut WriteOptions {
        &mut self.options
    }

    /// Writes all cells of these fields.
    pub(crate) fn write(
        self,
        input: OpenInput,
        fields: &[FieldInfo],
    ) -> Result<WrittenCells, NotWritten> {
        let (session, counters) = (self.session, self.session.counters());
        let (mut cells, read) = input
            .counted_cells(fields)
            .map_err(|error| self.file.failed(error))?;
        let mut writer = Writer::open(session, self.array, &self.options)?;
        let mut bytes = 0_u64;
        let made_on = MadeOn::of(&*cells);
        let done = for_each_batch(
            session,
            made_on,
            || {
                counters
                    .input
                    .time(|| cells.next())
                    .map_err(TransferError::Input)
            },
            |batch| {
                bytes = bytes.saturating_add(size_of_batch(batch));
                let pushed = counters.write.time(|| writer.push(batch));
                pushed.map_err(TransferError::Write)?;
                session.tell(&read.progress(Activity::Reading).with_cells(writer.rows()));
                Ok(())
            },
        );
        match done {
            Ok(()) => {}
            Err(TransferError::Input(error)) => return Err(self.file.failed(error).into()),
            Err(TransferError::Write(error)) => return Err(self.failed(error, &*cells, bytes)),
        }
        let zoned = cells.zoned();
        let rows = writer.rows();
        session.tell(&Progress::new(Activity::Storing, 0).with_cells(rows));
        let finished = counters.write.time(|| writer.finish());
        let names = finished.map_err(|error| self.failed(error, &*cells, bytes))?;
        let mut written = WrittenCells::default();
        written.cells = rows;
        written.fragments = names.iter().map(|name| name.as_str().to_owned()).collect();
        written.zoned = zoned;
        Ok(written)
    }

    /// Converts a write error, adding the position in the file if a single cell is at fault.
    fn failed(&self, error: WriteError, cells: &dyn BatchReader, bytes: u64) -> NotWritten {
        if let WriteError::Array(ArrayError::Store(error)) = &error
            && let Some(error) = self.file.temp_failure(error)
        {
            return error.into();
        }
        let WriteError::Cell {
            field,
            cell,
            problem,
        } = error
        else {
            return error.into();
        };
        let file = self.file.name();
        let place = |cell: u64| row_in_words(cells, cell);
        // Cells that were spilled have lost their row numbers.
        let is_sorted = self.options.sort_bytes.is_some_and(|most| bytes > most);
        let at = place(cell);
        let is_duplicate = matches!(problem, CellProblem::Duplicate { .. });
        let error = Error::invalid(match problem {
            CellProblem::Duplicate { .. } if is_sorted => {
                format!("{file}: two cells have the same coordinates")
            }
            CellProblem::Duplicate { other } => {
                let other = place(other);
                format!("{file}: {at}: the cell of {other} has the same coordinates")
            }
            CellProblem::NotSorted { other } => {
                let other = place(other);
                format!(
                    "{file}: {at}: out of order: it precedes the cell of {other} in global order"
                )
            }
            problem => match &self.label {
                Some(label) => format!("{file}: {at}, label {label:?}: {problem}"),
                None => format!("{file}: {at}, field {field:?}: {problem}"),
            },
        });
        if is_duplicate {
            NotWritten::Duplicate(error)
        } else {
            NotWritten::Failed(error)
        }
    }
}

/// Describes the position of a row in its file: `line 7`, or `row 7` if lines are unknown.
pub(crate) fn row_in_words(cells: &dyn BatchReader, row: u64) -> String {
    match cells.line(row) {
        Some(line) => format!("line {line}"),
        None => format!("row {row}"),
    }
}

/// Returns the name of the dimension label whose values the array at `uri` holds, if the array above lists it.
fn label(uri: &str, context: &Context) -> Option<String> {
    let (place, path) = place::labelled(uri, context.opener())?;
    let array = Array::open_location(&context.location(&place), OpenOptions::default()).ok()?;
    let mut labels = array.newest_schema().labels.iter();
    let label = labels.find(|label| label.relative && label.uri == path)?;
    Some(label.name.clone())
}

/// Returns the bytes of a batch, as the writer counts them.
fn size_of_batch(batch: &Batch) -> u64 {
    let sizes = batch.columns.iter().map(|column| {
        let len = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, |bytes| bytes.len());
        column.values.len() + len(&column.offsets) + len(&column.validity)
    });
    sizes.sum::<usize>() as u64
}
