//! Cells of files and of Arrow, written into an array.

use tdb_cells::files::{Input, MadeOn, for_each_batch};
use tdb_write::input_fields;

use super::WriteBuilder;
use crate::{Error, Result, Written};

impl WriteBuilder {
    /// Writes all cells of an input, whose columns are known by name: a file of CSV, JSON lines, Arrow or Parquet, as the crates
    /// `tdb-text` and `tdb-arrow` open them. Columns of enumerated attributes hold labels, or [indexes](Self::enumeration_codes).
    ///
    /// # Errors
    /// Columns that are no fields, fields without a column (but with [`replace`](Self::replace)), cells that do not fit them,
    /// each with its place in the input; as for [`WriteBuilder::commit`]. Nothing is stored then.
    pub fn input(self, input: Box<dyn Input + '_>) -> Result<Written> {
        let array = self.array.clone();
        let engine = array.now()?;
        let names = input.names().to_vec();
        let mut fields = input_fields(&engine, &names, self.codes)?;
        if self.replaces {
            fields.retain(|field| names.contains(&field.name));
        }
        let mut cells = input.cells(&fields)?;
        let mut stream = self.stream()?;
        let made_on = MadeOn::of(&*cells);
        for_each_batch::<Error>(
            array.context().shared_session(),
            made_on,
            || Ok(cells.next()?),
            |batch| stream.push(batch),
        )?;
        stream.finish()
    }

    /// Writes record batches of Arrow: of a [read](crate::ReadBuilder::arrow), of a file, of other libraries. Their columns are
    /// the fields of the array, by name; dictionaries hold labels.
    ///
    /// ```no_run
    /// let (weather, copy) = (tdb::open("weather")?, tdb::open("cold weather")?);
    /// let cold = weather.read().condition("temp < -5").arrow()?;
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
    ) -> Result<Written> {
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
