//! Writing the cells of a file into an existing array.

use std::sync::Arc;

use tdb_array::ErrorKind;
use tdb_cells::{Activity, FieldInfo, Progress};
use tdb_change::{Replacing, WrittenCells};
use tdb_open::{Array, Error, Result};
use tdb_schema::names::UnknownName;
use tdb_tile::Exact;
use tdb_write::{WriteOptions, input_fields};

use crate::cell_transfer::{CellTransfer, fit_shape};
use crate::partial_columns::{is_part, not_all};
use crate::{InputFile, InputRequirements, OpenInput};

/// A write of all cells of a file into an array.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileWrite {
    /// Ranges, order, time and other options of the write.
    pub options: WriteOptions,
    /// True to replace existing cells with the same coordinates; attributes without a column keep their values.
    pub replaces: bool,
    /// True only to count the cells.
    pub dry_run: bool,
    /// True if enumerated columns hold indexes instead of labels.
    pub codes: bool,
}

impl FileWrite {
    /// Creates a write with these options.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        Self {
            options,
            ..Self::default()
        }
    }

    /// Writes all cells of the file, or none. Columns are matched by name. The array must be open as of now.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not of its format, if a column is not a field, if a field has no column
    /// (unless cells are replaced), or if cells do not fit, with their position in the file.
    pub fn run(self, array: &Array, file: &InputFile) -> Result<WrittenCells> {
        let (context, engine) = (array.context(), array.engine());
        let schema = engine.newest_schema();
        let becoming = InputRequirements::fields_of(schema);
        let input = file.open(becoming, None, context.shared_session())?;
        if self.replaces {
            return self.replace(array, file, input);
        }
        let mut filling = CellTransfer::new(context, array.uri(), engine, file, self.options)?;
        fit_shape(schema, &input, filling.options()).map_err(|error| error.within(&file.name()))?;
        let fields = input_fields(engine, input.names(), self.codes)?;
        if self.dry_run {
            return count_cells(file, input, &fields);
        }
        let is_part = is_part(schema, input.names());
        let written = filling.write(input, &fields);
        written.map_err(|error| not_all(error.at(array.uri()), is_part, "--replace"))
    }

    /// Replaces cells by the rows of an input that is already open.
    pub(crate) fn replace(
        mut self,
        array: &Array,
        file: &InputFile,
        input: OpenInput,
    ) -> Result<WrittenCells> {
        let schema = array.engine().newest_schema();
        let names = input.names().to_vec();
        if let Some(name) = names.iter().find(|name| schema.field(name).is_none()) {
            let known = schema.fields().map(|field| field.name);
            return Err(Error::from(UnknownName::new("field", name, known)).within(&file.name()));
        }
        let mut given = input_fields(array.engine(), &names, self.codes)?;
        given.retain(|field| names.contains(&field.name));
        if self.options.sort_store.is_none() {
            self.options.sort_store = Some(Arc::new(file.sort_folder()?));
        }
        let session = array.context().shared_session().clone();
        let counters = session.counters();
        let mut replacing = Replacing::new(array, self.options, self.dry_run)?;
        let input = input.counted_cells(&given);
        let (mut cells, read) = input.map_err(|error| file.failed(error))?;
        while let Some(batch) = counters
            .input
            .time(|| cells.next())
            .map_err(|error| file.failed(error))?
        {
            let pushed = counters.write.time(|| replacing.push(&batch));
            pushed.map_err(|error| of_rows(error, file))?;
            session.tell(
                &read
                    .progress(Activity::Reading)
                    .with_cells(replacing.rows()),
            );
        }
        session.tell(&Progress::new(Activity::Storing, 0).with_cells(replacing.rows()));
        let mut written = counters
            .write
            .time(|| replacing.finish())
            .map_err(|error| of_rows(error, file))?;
        written.zoned = cells.zoned();
        Ok(written)
    }
}

/// Reads the cells, and only counts them.
fn count_cells(file: &InputFile, input: OpenInput, fields: &[FieldInfo]) -> Result<WrittenCells> {
    let mut cells = input.cells(fields).map_err(|error| file.failed(error))?;
    let mut written = WrittenCells::default();
    while let Some(batch) = cells.next().map_err(|error| file.failed(error))? {
        written.cells = written.cells.exact_add(batch.rows as u64)?;
    }
    written.zoned = cells.zoned();
    Ok(written)
}

/// Adds the name of the file to the error, if its rows are at fault.
fn of_rows(error: Error, file: &InputFile) -> Error {
    if error.kind() == ErrorKind::Invalid {
        error.within(&file.name())
    } else {
        error
    }
}
