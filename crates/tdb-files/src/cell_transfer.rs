//! Writing the cells of a file into an array.

use std::sync::Arc;

use tdb_array::{Array, ArrayError, OpenOptions, TimestampedName};
use tdb_cells::files::{BatchReader, InputError, MadeOn, for_each_batch};
use tdb_cells::{Activity, Batch, CellProblem, FieldInfo, Progress, Session};
use tdb_change::WrittenCells;
use tdb_open::{Context, Error, Result, place};
use tdb_schema::ArraySchema;
use tdb_write::{RepeatedCell, SealedWrite, WriteError, WriteOptions, WriteOrder, Writer};

use super::input::InputFile;
use super::open_input::OpenInput;
use super::repeated_rows::repeated;
use super::shape::shape_of_box;
use super::source::ReadSoFar;

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

/// Called with the description of two rows with the same coordinates, once if there are any.
pub(crate) type TellRepeated<'a> = dyn FnMut(String) + 'a;

/// Cells of a file that are stored, but not committed yet.
pub(crate) struct SealedCells {
    sealed: SealedWrite,
    zoned: Vec<String>,
    /// True if several rows have the same coordinates.
    pub(crate) are_repeated: bool,
}

impl SealedCells {
    /// Commits the cells.
    pub(crate) fn commit(self) -> Result<WrittenCells> {
        let rows = self.sealed.rows();
        let committed = self.sealed.commit()?;
        Ok(written(rows, &committed.fragments, self.zoned))
    }
}

fn written(rows: u64, fragments: &[TimestampedName], zoned: Vec<String>) -> WrittenCells {
    let mut written = WrittenCells::default();
    written.cells = rows;
    written.fragments = fragments
        .iter()
        .map(|name| name.as_str().to_owned())
        .collect();
    written.zoned = zoned;
    written
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
    pub(crate) fn write(self, input: OpenInput, fields: &[FieldInfo]) -> Result<WrittenCells> {
        let mut read = self.read(input, fields)?;
        let writer = self.push_all(&mut read)?;
        let (counters, rows) = (self.session.counters(), writer.rows());
        let finished = counters.write.time(|| writer.finish());
        let names = finished.map_err(|error| self.failed(error, &read))?;
        Ok(written(rows, &names, read.cells.zoned()))
    }

    /// Stores all cells of these fields without committing them, in an array that keeps rows with the same
    /// coordinates. Tells if there are any: at once if they are among the first rows, otherwise at the end.
    pub(crate) fn seal(
        mut self,
        input: OpenInput,
        fields: &[FieldInfo],
        tell: &mut TellRepeated<'_>,
    ) -> Result<SealedCells> {
        self.options.finds_repeated = true;
        let mut read = self.read(input, fields)?;
        let told = self.find_in_first(&mut read)?;
        if let Some(found) = told {
            tell(self.repeated_in_words(found, &read));
        }
        let writer = self.push_all(&mut read)?;
        let stored = self.session.counters().write.time(|| writer.seal());
        let sealed = stored.map_err(|error| self.failed(error, &read))?;
        let found = sealed.repeated();
        if let (None, Some(found)) = (told, found) {
            tell(self.repeated_in_words(found, &read));
        }
        Ok(SealedCells {
            are_repeated: told.or(found).is_some(),
            zoned: read.cells.zoned(),
            sealed,
        })
    }

    fn read(&self, input: OpenInput, fields: &[FieldInfo]) -> Result<RowsRead> {
        let opened = input.counted_cells(fields);
        let (cells, so_far) = opened.map_err(|error| self.file.failed(error))?;
        Ok(RowsRead {
            cells,
            so_far,
            first: None,
            bytes: 0,
        })
    }

    /// Reads the first batch ahead; returns the first of its rows that repeats the coordinates of another.
    fn find_in_first(&self, read: &mut RowsRead) -> Result<Option<RepeatedCell>> {
        let next = self.session.counters().input.time(|| read.cells.next());
        read.first = next.map_err(|error| self.file.failed(error))?;
        let schema = self.array.newest_schema();
        Ok(read
            .first
            .as_ref()
            .and_then(|batch| repeated(schema, batch)))
    }

    /// Passes all cells to a writer.
    fn push_all(&self, read: &mut RowsRead) -> Result<Writer> {
        let (session, counters) = (self.session, self.session.counters());
        let mut writer = Writer::open(session, self.array, &self.options)?;
        let RowsRead {
            cells,
            so_far,
            first,
            bytes,
        } = &mut *read;
        let made_on = MadeOn::of(&**cells);
        let done = for_each_batch(
            session,
            made_on,
            || match first.take() {
                Some(first) => Ok(Some(first)),
                None => {
                    let next = counters.input.time(|| cells.next());
                    next.map_err(TransferError::Input)
                }
            },
            |batch| {
                *bytes += u128::from(size_of_batch(batch));
                let pushed = counters.write.time(|| writer.push(batch));
                pushed.map_err(TransferError::Write)?;
                session.tell(&so_far.progress(Activity::Reading).with_cells(writer.rows()));
                Ok(())
            },
        );
        match done {
            Ok(()) => {}
            Err(TransferError::Input(error)) => return Err(self.file.failed(error)),
            Err(TransferError::Write(error)) => return Err(self.failed(error, read)),
        }
        session.tell(&Progress::new(Activity::Storing, 0).with_cells(writer.rows()));
        Ok(writer)
    }

    /// Converts a write error, adding the position in the file if a single cell is at fault.
    fn failed(&self, error: WriteError, read: &RowsRead) -> Error {
        if let WriteError::Array(ArrayError::Store(error)) = &error
            && let Some(error) = self.file.temp_failure(error)
        {
            return error;
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
        let at = row_in_words(&*read.cells, cell);
        Error::invalid(match problem {
            CellProblem::Duplicate { other } => {
                self.repeated_in_words(RepeatedCell { cell, other }, read)
            }
            CellProblem::NotSorted { other } => {
                let other = row_in_words(&*read.cells, other);
                format!(
                    "{file}: {at}: out of order: it precedes the cell of {other} in global order"
                )
            }
            problem => match &self.label {
                Some(label) => format!("{file}: {at}, label {label:?}: {problem}"),
                None => format!("{file}: {at}, field {field:?}: {problem}"),
            },
        })
    }

    /// Describes two rows with the same coordinates. Cells that were spilled have lost their row numbers.
    fn repeated_in_words(&self, found: RepeatedCell, read: &RowsRead) -> String {
        let file = self.file.name();
        if self
            .options
            .sort_bytes
            .is_some_and(|most| read.bytes > u128::from(most))
        {
            return format!("{file}: two cells have the same coordinates");
        }
        let at = row_in_words(&*read.cells, found.cell);
        let other = row_in_words(&*read.cells, found.other);
        format!("{file}: {at}: the cell of {other} has the same coordinates")
    }
}

/// The rows of a file that is being read.
struct RowsRead {
    cells: Box<dyn BatchReader>,
    so_far: ReadSoFar,
    /// The first batch, if it was read ahead.
    first: Option<Batch>,
    /// Bytes of the cells passed to the writer.
    bytes: u128,
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
