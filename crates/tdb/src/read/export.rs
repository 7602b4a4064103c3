//! Exporting the cells of a read to files.

use std::io::Write;

use tdb_cells::files::BatchWriter;
use tdb_cells::{FieldInfo, Progress};
use tdb_files::{CellSink, ExportedCells, OutputFile, batch_bytes_of_folder, write_all};
use tdb_open::Result;
use tdb_query::Failing;

use super::{Batches, ReadBuilder};

impl ReadBuilder {
    /// Writes all cells to a file whose extension names the format (CSV, JSON lines, Arrow IPC, Parquet or `.npy`), or
    /// to a folder of files. The output appears complete or not at all.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let (file, uri) = (folder.path().join("orders.csv"), folder.path().join("orders"));
    /// # let uri = uri.to_str().expect("a path of text");
    /// std::fs::write(&file, "id,amount\n7,12.5\n9,3\n")?;
    /// tdb::import(&file, uri)?;
    /// let dear = folder.path().join("dear.jsonl");
    /// let exported = tdb::open(uri)?.read().condition("amount > 10").export(&dear)?;
    /// assert_eq!(exported.cells, 1);
    /// assert_eq!(std::fs::read_to_string(&dear)?, "{\"id\":7,\"amount\":12.5}\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if no format has the extension, if the format cannot hold the
    /// cells, or if the file system fails.
    pub fn export(mut self, file: impl Into<OutputFile>) -> Result<ExportedCells> {
        let file = file.into();
        self.fit(&file)?;
        if file.is_folder() {
            let session = self.array.context().shared_session();
            let bytes = &mut self.options.batch_bytes;
            *bytes = bytes.or(Some(batch_bytes_of_folder(session)));
        }
        self.batches()?.export(file)
    }

    /// Adapts the read to `.npy` output, which holds one attribute and the position of each cell.
    fn fit(&mut self, file: &OutputFile) -> Result<()> {
        if file.holds_box()? {
            self.options.dimensions.get_or_insert_with(Vec::new);
            self.options.failing = Failing::Fill;
        }
        Ok(())
    }

    /// Reports progress to `listener`, which is called often and from any worker thread.
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.array = self.array.progress(listener);
        self
    }
}

impl Batches {
    /// As [`ReadBuilder::export`], for callers that check the [warnings](Self::warnings) first. For a `.npy` file, the
    /// read must omit the dimensions and [fill](ReadBuilder::fill).
    ///
    /// # Errors
    /// As for [`ReadBuilder::export`].
    pub fn export(self, file: impl Into<OutputFile>) -> Result<ExportedCells> {
        let file = file.into();
        let layout = file.layout(
            self.array.schema(),
            &self.asked.options,
            self.asked.is_arranged,
        )?;
        let sink = file.begin(layout, &self.fields, self.array.context().shared_session())?;
        self.write_into(sink)
    }

    /// Writes all cells to a writer, in the format of `like`.
    ///
    /// # Errors
    /// As for [`ReadBuilder::export`].
    pub fn write_to<W: Write + Send + 'static>(
        self,
        to: W,
        like: &OutputFile,
    ) -> Result<ExportedCells> {
        let layout = like.layout(
            self.array.schema(),
            &self.asked.options,
            self.asked.is_arranged,
        )?;
        let writer = layout.writer(&self.fields, to)?;
        self.write_into(CellSink::to_writer(writer))
    }

    /// Writes all cells to a batch writer, which `make` creates for the fields of the result.
    ///
    /// # Errors
    /// Fails if reading, creating the writer, or writing fails.
    pub fn write_with(
        self,
        make: impl FnOnce(&[FieldInfo]) -> Result<Box<dyn BatchWriter>>,
    ) -> Result<ExportedCells> {
        let writer = make(&self.fields)?;
        self.write_into(CellSink::to_writer(writer))
    }

    fn write_into(mut self, sink: CellSink) -> Result<ExportedCells> {
        let array = self.array.clone();
        let expected = self.asked.expected;
        let mut done = write_all(
            array.context().shared_session(),
            self.by_ref(),
            sink,
            expected,
        )
        .map_err(|error| error.at(array.uri()))?;
        done.filled = self.filled();
        Ok(done)
    }
}
