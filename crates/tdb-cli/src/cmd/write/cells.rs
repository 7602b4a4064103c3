//! The cells of a file on their way into an array.

use std::sync::Arc;

use tdb_array::{Array, ArrayError};
use tdb_cells::files::{BatchReader, InputError, for_each_batch};
use tdb_cells::{Batch, CellProblem, FieldInfo, Session};
use tdb_schema::value::holds_bytes;
use tdb_schema::{ArraySchema, CellValNum};
use tdb_text::NpyShape;
use tdb_write::{WriteError, WriteOptions, WriteOrder, Writer};

use crate::access::Access;
use crate::cmd::input::{Becoming, InputArguments, OpenInput};
use crate::cmd::progress::Progress;
use crate::cmd::{change, shape};
use crate::failure::Failure;
use crate::global::Global;
use tdb::place;

impl Becoming {
    /// Of columns whose fields an array has.
    pub(crate) fn fields_of(schema: &ArraySchema) -> Self {
        Self {
            npy: npy_column(schema),
            takes_unnamed: schema.field("").is_some(),
            types: Vec::new(),
        }
    }
}

/// The attribute that a `.npy` file has values of, and how many of them a cell has.
fn npy_column(schema: &ArraySchema) -> Result<(String, u32), Failure> {
    let [attribute] = &schema.attributes[..] else {
        let count = schema.attributes.len();
        let what = format!("a .npy file holds one attribute, and the array has {count}");
        return Err(Failure::invalid(what));
    };
    if !schema.is_dense() {
        return Err(Failure::invalid(
            "a .npy file holds no cells of a sparse array",
        ));
    }
    let inner = match attribute.cell_val_num {
        CellValNum::Fixed(n) if !holds_bytes(attribute.datatype) => n,
        _ => 1,
    };
    Ok((attribute.name.clone(), inner))
}

/// Takes the order of a `.npy` file; it must have the shape of the box that is written.
pub(crate) fn fit_shape(
    schema: &ArraySchema,
    shape: &NpyShape,
    options: &mut WriteOptions,
) -> Result<(), Failure> {
    let wanted = shape::of_ranges(schema, &options.ranges)?;
    if shape.axes != wanted {
        let what = format!(
            "the file has the shape {:?}, and the box to be written {wanted:?}",
            shape.axes
        );
        return Err(Failure::invalid(what).hint("--range says which box is written"));
    }
    let order = if shape.is_column_major {
        WriteOrder::ColumnMajor
    } else {
        WriteOrder::RowMajor
    };
    if options.order.is_some_and(|other| other != order) {
        return Err(Failure::invalid(
            "the file itself says the order of its cells, another one",
        ));
    }
    options.order = Some(order);
    Ok(())
}

/// Why cells were not written.
pub(crate) enum NotWritten {
    /// Two cells have the same coordinates.
    Duplicate(Failure),
    /// Anything else.
    Failed(Failure),
}

impl NotWritten {
    /// The failure, whatever it is.
    pub(crate) fn failure(self) -> Failure {
        match self {
            Self::Duplicate(failure) | Self::Failed(failure) => failure,
        }
    }
}

impl<F: Into<Failure>> From<F> for NotWritten {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

/// What ends reading and writing early.
enum Stopped {
    Input(InputError),
    Write(WriteError),
}

/// The cells of a file on their way into an array.
pub(crate) struct Writing<'a> {
    pub(crate) session: &'a Session,
    pub(crate) array: &'a Arc<Array>,
    pub(crate) file: &'a InputArguments,
    /// The label whose values the array holds, if it is one of labels.
    pub(crate) label: Option<String>,
    pub(crate) options: WriteOptions,
}

impl Writing<'_> {
    /// Writes all cells of these fields; gives their number.
    pub(crate) fn write(
        &self,
        input: OpenInput,
        fields: &[FieldInfo],
        global: &Global,
    ) -> Result<u64, NotWritten> {
        let counts = &global.counts;
        let mut progress = Progress::new(global, self.file.len());
        let (mut cells, read) = input
            .cells(fields)
            .map_err(|error| self.file.failed(error))?;
        let mut writer = Writer::open(self.session, self.array, &self.options)?;
        let mut bytes = 0_u64;
        let done = for_each_batch(
            self.session,
            || {
                counts
                    .stage("input", || cells.next())
                    .map_err(Stopped::Input)
            },
            |batch| {
                bytes = bytes.saturating_add(size_of_batch(batch));
                let pushed = counts.stage("write", || writer.push(batch));
                pushed.map_err(Stopped::Write)?;
                progress.tell("reading", writer.rows(), read.bytes());
                Ok(())
            },
        );
        match done {
            Ok(()) => {}
            Err(Stopped::Input(error)) => return Err(self.file.failed(error).into()),
            Err(Stopped::Write(error)) => return Err(self.failed(error, &*cells, bytes)),
        }
        global.note_zoned(cells.zoned());
        let rows = writer.rows();
        progress.say("sorting and writing");
        let finished = counts.stage("write", || writer.finish());
        finished.map_err(|error| self.failed(error, &*cells, bytes))?;
        Ok(rows)
    }

    /// The failure, with the place in the file where one cell is at fault.
    fn failed(&self, error: WriteError, cells: &dyn BatchReader, bytes: u64) -> NotWritten {
        if let WriteError::Array(ArrayError::Store(error)) = &error
            && let Some(failure) = self.file.temp_failure(error)
        {
            return failure.into();
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
        // Cells that did not stay in memory have lost their numbers.
        let is_sorted = self.options.sort_bytes.is_some_and(|most| bytes > most);
        let at = place(cell);
        let is_duplicate = matches!(problem, CellProblem::Duplicate { .. });
        let failure = Failure::invalid(match problem {
            CellProblem::Duplicate { .. } if is_sorted => {
                format!("{file}: two cells have the same coordinates")
            }
            CellProblem::Duplicate { other } => {
                let other = place(other);
                format!("{file}: {at}: the cell of {other} has the same coordinates")
            }
            CellProblem::NotSorted { other } => {
                let other = place(other);
                format!("{file}: {at}: comes before the cell of {other} in global order")
            }
            problem => match &self.label {
                Some(label) => format!("{file}: {at}, label {label:?}: {problem}"),
                None => format!("{file}: {at}, field {field:?}: {problem}"),
            },
        });
        if is_duplicate {
            NotWritten::Duplicate(failure)
        } else {
            NotWritten::Failed(failure)
        }
    }
}

/// Where a row stands in its file.
pub(crate) fn row_in_words(cells: &dyn BatchReader, row: u64) -> String {
    match cells.line(row) {
        Some(line) => format!("line {line}"),
        None => format!("row {row}"),
    }
}

/// What the label is called whose values the array with this URI holds, if another array says that it does.
pub(crate) fn label(uri: &str, global: &Global, access: &Access) -> Option<String> {
    let (location, path) = place::labelled(uri, &global.counts)?;
    let array = change::open_array(&location, access).ok()?;
    let mut labels = array.newest_schema().labels.iter();
    let label = labels.find(|label| label.relative && label.uri == path)?;
    Some(label.name.clone())
}

/// Bytes of cells, as the writer counts them.
fn size_of_batch(batch: &Batch) -> u64 {
    let sizes = batch.columns.iter().map(|column| {
        let len = |bytes: &Option<bytes::Bytes>| bytes.as_ref().map_or(0, |bytes| bytes.len());
        column.values.len() + len(&column.offsets) + len(&column.validity)
    });
    sizes.sum::<usize>() as u64
}
