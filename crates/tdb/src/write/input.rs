//! Writing the cells of files and of Arrow data into an array.

use tdb_cells::files::{Input, MadeOn, for_each_batch};
use tdb_change::WrittenCells;
use tdb_open::{Error, Result};
use tdb_write::input_fields;

use super::WriteBuilder;

impl WriteBuilder {
    /// Writes all cells of an input, such as a file of CSV, JSON lines, Arrow or Parquet opened with `tdb-text` or
    /// `tdb-arrow`. Columns are matched by name; enumerated columns hold labels, or
    /// [indexes](Self::enumeration_codes).
    ///
    /// # Errors
    /// Fails, without storing anything, if a column is not a field, if a field has no column (unless
    /// [`replace`](Self::replace) is set), or if cells do not fit, with their position in the input. Other errors are
    /// those of [`WriteBuilder::commit`].
    pub fn input(self, input: Box<dyn Input + '_>) -> Result<WrittenCells> {
        let array = self.array.clone();
        let engine = array.now()?;
        let names = input.names().to_vec();
        let mut fields = input_fields(&engine, &names, self.codes)?;
        if self.replaces {
            fields.retain(|field| names.contains(&field.name));
        }
        let mut cells = input.cells(&fields)?;
        let mut stream = self.stream_into(&engine)?;
        let made_on = MadeOn::of(&*cells);
        for_each_batch::<Error>(
            array.context().shared_session(),
            made_on,
            || Ok(cells.next()?),
            |batch| stream.push(batch),
        )?;
        stream.finish()
    }

    /// Writes Arrow record batches from a [read](crate::ReadBuilder::arrow), a file or another library. Columns are
    /// matched to fields by name; dictionaries hold labels.
    ///
    /// ```no_run
    /// let (weather, copy) = (tdb::open("weather")?, tdb::open("cold weather")?);
    /// let cold = weather.read().condition("temp < -5").arrow()?.into_reader();
    /// println!("{} cells", copy.write().arrow(cold)?.cells);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`WriteBuilder::input`].
    #[cfg(feature = "arrow")]
    pub fn arrow(
        self,
        batches: impl arrow_array::RecordBatchReader + Send + 'static,
    ) -> Result<WrittenCells> {
        let input = tdb_arrow::ArrowInput::new(Box::new(batches), "Arrow");
        let memory = self
            .array
            .context()
            .shared_session()
            .limits()
            .budget
            .limit();
        self.input(Box::new(input.with_memory(memory)))
    }
}
