//! The cells of a read, written into files.

use std::io::Write;

use tdb_cells::files::BatchWriter;
use tdb_cells::{Activity, Batch, Column, FieldInfo, Progress, Session};
use tdb_query::Failing;

use super::{Batches, ReadBuilder};
use crate::files::{CellSink, OutputFile};
use crate::{Context, Result};

/// What an export did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// Cells that were written.
    pub cells: u64,
    /// Bytes of their values, as they are in memory.
    pub bytes: u64,
    /// Cells of a dense array among them for which the condition fails, or that are at none of the points: they have fill
    /// values.
    pub filled: u64,
    /// Files that were written.
    pub files: u64,
    /// Folders in the folder, of an export into parts.
    pub folders: u64,
}

impl ReadBuilder {
    /// Writes all cells into a file, whose ending says the format: CSV, JSON lines, Arrow IPC, Parquet or `.npy`; or into a
    /// folder of files. It appears whole or not at all.
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
    /// An ending that no format has; as for [`ReadBuilder::batches`]; cells that the format has no place for; as the system
    /// reports.
    pub fn export(mut self, file: impl Into<OutputFile>) -> Result<Exported> {
        let file = file.into();
        self.fit(&file)?;
        if file.is_folder() {
            let session = self.array.context().shared_session();
            let bytes = &mut self.options.batch_bytes;
            *bytes = bytes.or(Some(batch_bytes_of_folder(session)));
        }
        self.batches()?.export(file)
    }

    /// A `.npy` file holds one attribute, and keeps the place of each cell.
    fn fit(&mut self, file: &OutputFile) -> Result<()> {
        if file.holds_box()? {
            self.options.dimensions.get_or_insert_with(Vec::new);
            self.options.failing = Failing::Fill;
        }
        Ok(())
    }

    /// Tells how far it has come, often, on whichever thread works.
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.array = self.array.progress(listener);
        self
    }
}

impl Batches {
    /// As [`ReadBuilder::export`], once the [warnings](Self::warnings) have been seen. For a `.npy` file, the read leaves the
    /// dimensions out, and [fills](ReadBuilder::fill).
    ///
    /// # Errors
    /// As for [`ReadBuilder::export`].
    pub fn export(self, file: impl Into<OutputFile>) -> Result<Exported> {
        let file = file.into();
        let layout = file.layout(
            self.array.schema(),
            &self.asked.options,
            self.asked.is_arranged,
        )?;
        let sink = file.begin(layout, &self.fields, self.array.context().shared_session())?;
        self.write_into(sink)
    }

    /// Writes all cells in the format of a file, but to where somebody else says.
    ///
    /// # Errors
    /// As for [`ReadBuilder::export`].
    pub fn write_to<W: Write + Send + 'static>(self, to: W, like: &OutputFile) -> Result<Exported> {
        let layout = like.layout(
            self.array.schema(),
            &self.asked.options,
            self.asked.is_arranged,
        )?;
        let writer = layout.writer(&self.fields, to)?;
        self.write_into(CellSink::Writer(writer))
    }

    /// Writes all cells into what is made for these fields.
    ///
    /// # Errors
    /// Errors of reading, and of what is made.
    pub fn write_with(
        self,
        make: impl FnOnce(&[FieldInfo]) -> Result<Box<dyn BatchWriter>>,
    ) -> Result<Exported> {
        let writer = make(&self.fields)?;
        self.write_into(CellSink::Writer(writer))
    }

    fn write_into(mut self, sink: CellSink) -> Result<Exported> {
        let array = self.array.clone();
        let expected = self.asked.expected;
        let done = write_all(array.context(), self.by_ref(), sink, expected);
        let mut done = done.map_err(|error| error.at(array.uri()))?;
        done.filled = self.filled();
        Ok(done)
    }
}

/// The part of the memory that a batch takes that is cut into parts for the files of a folder; and its bytes at most.
const PART: u64 = 16;
const MOST_CUT: u64 = 32 << 20;

/// Bytes of a batch that is cut into parts for the files of a folder, where nobody says otherwise: it is in memory twice.
#[must_use]
pub fn batch_bytes_of_folder(session: &Session) -> u64 {
    (session.limits().budget.limit() / PART).min(MOST_CUT)
}

/// Writes cells, of which so many are expected if that is known, to where they go.
pub(crate) fn write_all(
    context: &Context,
    batches: impl Iterator<Item = Result<Batch>>,
    mut sink: CellSink,
    expected: Option<u64>,
) -> Result<Exported> {
    let session = context.shared_session();
    let counters = session.counters();
    let mut done = Exported::default();
    for batch in batches {
        let batch = batch?;
        let size = |column: &Column| column.values.len();
        let bytes: usize = batch.columns.iter().map(size).sum();
        done.cells = done.cells.saturating_add(batch.rows as u64);
        done.bytes = done.bytes.saturating_add(bytes as u64);
        counters.write.time(|| sink.write(&batch))?;
        let progress = Progress::new(Activity::Exporting, done.cells);
        session.tell(&progress.with_cells(done.cells).of(expected));
    }
    (done.files, done.folders) = counters.write.time(|| sink.finish())?;
    Ok(done)
}
