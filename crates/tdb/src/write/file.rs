//! Writing the cells of a file into an existing array.

use tdb_array::ErrorKind;
use tdb_cells::{Activity, Progress};
use tdb_schema::names::UnknownName;

use super::{WriteBuilder, input_fields};
use crate::files::{
    Becoming, Filling, InputFile, NotWritten, OpenInput, fit_shape, is_part, not_all,
};
use crate::{Error, Result, Written};

impl WriteBuilder {
    /// Writes all cells of a file, or none. Columns are matched by name. Cells in any order that take more than an
    /// eighth of the memory are sorted in the [temporary folder](InputFile::temp).
    ///
    /// ```no_run
    /// let orders = tdb::open("orders")?;
    /// let written = orders.write().file("february.csv")?;
    /// println!("{} cells", written.cells);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not of its format, if a column is not a field, if a field has no column
    /// (unless [`replace`](Self::replace) is set), or if cells do not fit, with their position in the file. Other
    /// errors are those of [`WriteBuilder::commit`].
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

    /// Reads the cells, and only counts them.
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

    /// Replaces cells by the rows of the file.
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

/// Adds the name of the file to the error, if its rows are at fault.
fn of_rows(error: Error, file: &InputFile) -> Error {
    if error.kind() == ErrorKind::Invalid {
        error.within(&file.name())
    } else {
        error
    }
}
