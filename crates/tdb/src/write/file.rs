use tdb_change::WrittenCells;
use tdb_files::{FileWrite, InputFile};
use tdb_open::{Error, Result};

use super::WriteBuilder;

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
    pub fn file(self, file: impl Into<InputFile>) -> Result<WrittenCells> {
        if !self.columns.is_empty() {
            let what =
                "columns are given for a write, and so is a file: it takes the one or the other";
            return Err(Error::invalid(what));
        }
        let array = self.array.newest()?;
        let mut options = self.options.clone();
        if !self.replaces {
            options
                .ranges
                .extend(self.ranges(array.engine().newest_schema())?);
        }
        let mut write = FileWrite::new(options);
        write.replaces = self.replaces;
        write.dry_run = self.dry_run;
        write.codes = self.codes;
        write.run(&array, &file.into())
    }
}
