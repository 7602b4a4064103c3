//! Cells of a file, written into an array that is there.

use tdb_array::ErrorKind;
use tdb_cells::{Activity, Progress};
use tdb_schema::names::UnknownName;

use super::{WriteBuilder, input_fields};
use crate::files::{
    Becoming, Filling, InputFile, NotWritten, OpenInput, fit_shape, is_part, not_all,
};
use crate::{Error, Result, Written};

impl WriteBuilder {
    /// Writes all cells of a file, whose columns are known by name: all of them, or none. Those that come in any order are
    /// sorted in the [temporary folder](InputFile::temp) where they take more than an eighth of the memory.
    ///
    /// ```no_run
    /// let orders = tdb::open("orders")?;
    /// let written = orders.write().file("february.csv")?;
    /// println!("{} cells", written.cells);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file that cannot be read or is none of its format; columns that are no fields, fields without a column (but with
    /// [`replace`](Self::replace)), cells that do not fit them, each with its place in the file; as for
    /// [`WriteBuilder::commit`].
    pub fn file(self, file: impl Into<InputFile>) -> Result<Written> {
        let file = file.into();
        if !self.columns.is_empty() {
            let what =
                "columns are given for a write, and so is a file: it takes the one or the other";
            return Err(Error::invalid(what));
        }
        let array = self.array.now()?;
        let schema = array.newest_schema();
        let context = self.array.context();
        let becoming = Becoming::fields_of(schema);
        let input = file.open(becoming, None, context.shared_session())?;
        if self.replaces {
            return self.replace_by(&file, input, &array);
        }
        let mut options = self.options.clone();
        options.ranges.extend(self.ranges(schema)?);
        let mut filling = Filling::new(context, self.array.uri(), &array, &file, options)?;
        fit_shape(schema, &input, filling.options()).map_err(|error| error.within(&file.name()))?;
        let fields = input_fields(&array, input.names(), self.codes)?;
        if self.dry_run {
            return self.count_cells(&file, input, &fields);
        }
        let is_part = is_part(schema, input.names());
        let written = filling.write(input, &fields).map_err(NotWritten::error);
        written.map_err(|error| not_all(error.at(self.array.uri()), is_part, "--replace"))
    }

    /// Reads the cells, and counts them.
    fn count_cells(
        &self,
        file: &InputFile,
        input: OpenInput,
        fields: &[tdb_cells::FieldInfo],
    ) -> Result<Written> {
        let mut cells = input.cells(fields).map_err(|error| file.failed(error))?;
        let mut written = Written::default();
        while let Some(batch) = cells.next().map_err(|error| file.failed(error))? {
            written.cells = written.cells.saturating_add(batch.rows as u64);
        }
        written.zoned = cells.zoned();
        Ok(written)
    }

    /// The rows of the file replace cells.
    pub(crate) fn replace_by(
        mut self,
        file: &InputFile,
        input: OpenInput,
        array: &tdb_array::Array,
    ) -> Result<Written> {
        let schema = array.newest_schema();
        let names = input.names().to_vec();
        if let Some(name) = names.iter().find(|name| schema.field(name).is_none()) {
            let known = schema.fields().map(|field| field.name);
            return Err(Error::from(UnknownName::new("field", name, known)).within(&file.name()));
        }
        let mut given = input_fields(array, &names, self.codes)?;
        given.retain(|field| names.contains(&field.name));
        if self.options.sort_store.is_none() {
            let folder = file.sort_folder()?;
            self = self.sort_in_folder(folder);
        }
        let session = self.array.context().shared_session().clone();
        let counters = session.counters();
        let mut stream = self.stream()?;
        let input = input.counted_cells(&given);
        let (mut cells, read) = input.map_err(|error| file.failed(error))?;
        while let Some(batch) = counters
            .input
            .time(|| cells.next())
            .map_err(|error| file.failed(error))?
        {
            let pushed = counters.write.time(|| stream.push(&batch));
            pushed.map_err(|error| of_rows(error, file))?;
            session.tell(&read.progress(Activity::Reading).with_cells(stream.rows()));
        }
        session.tell(&Progress::new(Activity::Storing, 0).with_cells(stream.rows()));
        let written = counters.write.time(|| stream.finish());
        let mut written = written.map_err(|error| of_rows(error, file))?;
        written.zoned = cells.zoned();
        Ok(written)
    }
}

/// The error; where the rows are at fault, with their file.
fn of_rows(error: Error, file: &InputFile) -> Error {
    if error.kind() == ErrorKind::Invalid {
        error.within(&file.name())
    } else {
        error
    }
}
