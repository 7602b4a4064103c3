//! Cells of files and of Arrow, written into an array.

use tdb_cells::FieldInfo;
use tdb_cells::files::{Input, for_each_batch};
use tdb_schema::FieldKind;

use super::WriteBuilder;
use crate::{Error, Result, Written};

/// The fields that an input with these columns has cells of: dense arrays take dimensions or not. Columns of enumerated
/// attributes hold labels or, with `codes`, their indexes.
///
/// # Errors
/// As the store reports; enumerations that break the format.
pub fn input_fields(
    array: &tdb_array::Array,
    columns: &[String],
    codes: bool,
) -> Result<Vec<FieldInfo>> {
    let schema = array.newest_schema();
    let is_dimension = |name: &String| schema.dimension_index(name).is_some();
    let is_placed = !schema.is_dense() || columns.iter().any(is_dimension);
    let mut fields = Vec::new();
    for field in schema.fields() {
        let enumeration = match field.kind {
            FieldKind::Attribute(index) => schema
                .attributes
                .get(index)
                .and_then(|a| a.enumeration.as_deref()),
            _ if !is_placed => continue,
            _ => None,
        };
        let enumeration = enumeration.filter(|_| !codes);
        let enumeration = enumeration.map(|name| array.newest_enumeration(name));
        fields.push(FieldInfo::of(&field, enumeration.transpose()?));
    }
    Ok(fields)
}

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
        for_each_batch::<Error>(
            array.context().shared_session(),
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
