//! Writing a folder of files, which appears complete or not at all.
//!
//! Files are written to a temporary folder next to the destination, which is renamed at the end. Each partition has at
//! most one open file. With more partitions than open files, the least recently used file is closed and its partition
//! continues in a further file; if that happens too often within one batch, the remaining cells are sorted by
//! partition first, since otherwise each partition would become many small files.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use tdb_array::ErrorKind;
use tdb_cells::files::BatchWriter;
use tdb_cells::{Batch, CellsError, FieldInfo, Session};
use tdb_open::{Error, Result};
use tdb_query::{SortedCells, Sorter, split};
use tdb_tile::Exact;
use tempfile::TempDir;

use super::owned_place;
use crate::partition::{Part, Partitioning};

/// Maximum number of files open at once. With more partitions, files are closed in turn, and their partitions continue
/// in further files.
pub(super) const MOST_OPEN: usize = 16;

/// Number of partitions per batch whose files were closed already, beyond which the remaining cells are sorted by
/// partition.
const MOST_RESUMED: usize = 4 * MOST_OPEN;

/// Number of sorted cells per batch.
const ROWS: usize = 1 << 16;

/// Maximum number of folders: each takes an entry on disk and a name in memory.
const MOST_FOLDERS: usize = 100_000;

/// How cells are distributed over files.
pub(super) struct Spread {
    /// Path of the folder to create.
    pub(super) place: PathBuf,
    pub(super) by: Vec<String>,
    pub(super) max_rows: Option<u64>,
    /// File extension.
    pub(super) ending: &'static str,
}

/// Creates the writer of a file.
pub(super) type Make = dyn Fn(&[FieldInfo], BufWriter<File>) -> Result<Box<dyn BatchWriter>>;

/// Writes cells into the files of a folder.
pub(crate) struct FolderWriter {
    spread: Spread,
    partitioning: Partitioning,
    fields: Vec<FieldInfo>,
    make: Box<Make>,
    /// Temporary folder next to the destination; removed with its contents if the work fails.
    beside: TempDir,
    open: HashMap<String, OpenFile>,
    /// Number of files started in each folder.
    begun: HashMap<String, u64>,
    /// Number of batches so far, to find the least recently used file.
    clock: u64,
    files: u64,
    session: Session,
    /// Cells to be written at the end, sorted by partition; `None` while cells are written directly.
    sorter: Option<Sorter>,
}

struct OpenFile {
    writer: Box<dyn BatchWriter>,
    rows: u64,
    last: u64,
}

impl FolderWriter {
    pub(super) fn begin(
        spread: Spread,
        fields: &[FieldInfo],
        make: Box<Make>,
        session: &Session,
    ) -> Result<Self> {
        let partitioning = Partitioning::new(fields, &spread.by)?;
        let fields = partitioning.fields(fields);
        let place = &spread.place;
        let failed = |error: io::Error| failed(place, &error);
        match fs::read_dir(place) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    let what = format!("{}: there is something here already", place.display());
                    let error = Error::new(ErrorKind::Exists, what);
                    return Err(error.with_hint("choose a new or an empty folder"));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let parent = place
            .parent()
            .filter(|path| !path.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        if !parent.is_dir() {
            let what = format!(
                "{}: there is no folder {}",
                place.display(),
                parent.display()
            );
            let error = Error::new(ErrorKind::NotFound, what);
            return Err(
                error.with_hint(format!("create it first: `mkdir -p {}`", parent.display()))
            );
        }
        let whole = parent.canonicalize().map_err(failed)?;
        let whole = place
            .file_name()
            .map_or(whole.clone(), |last| whole.join(last));
        owned_place::check(place, &whole)?;
        let mut builder = tempfile::Builder::new();
        let beside = builder
            .prefix(".tdb-")
            .suffix(".part")
            .tempdir_in(parent)
            .map_err(failed)?;
        fs::create_dir(beside.path().join("whole")).map_err(failed)?;
        Ok(Self {
            spread,
            partitioning,
            fields,
            make,
            beside,
            open: HashMap::new(),
            begun: HashMap::new(),
            clock: 0,
            files: 0,
            session: session.clone(),
            sorter: None,
        })
    }

    pub(super) fn write(&mut self, batch: &Batch) -> Result<()> {
        if let Some(sorter) = &mut self.sorter {
            return Ok(sorter.add(batch.clone())?);
        }
        let parts = self.partitioning.cut(batch)?;
        let is_resumed = |part: &&Part| {
            self.begun.contains_key(&part.folder) && !self.open.contains_key(&part.folder)
        };
        if parts.iter().filter(is_resumed).count() > MOST_RESUMED {
            self.sorter = Sorter::new(&self.session, &self.spread.by);
            if let Some(sorter) = &mut self.sorter {
                return Ok(sorter.add(batch.clone())?);
            }
        }
        self.write_parts(parts)
    }

    /// Writes the cells that were collected for sorting.
    fn write_sorted(&mut self) -> Result<()> {
        let Some(sorter) = self.sorter.take() else {
            return Ok(());
        };
        let mut cells: SortedCells = sorter.finish()?;
        while let Some(batch) = cells.next(ROWS)? {
            self.session.check_cancelled().map_err(CellsError::from)?;
            let parts = self.partitioning.cut(&batch)?;
            self.write_parts(parts)?;
        }
        Ok(())
    }

    fn write_parts(&mut self, parts: Vec<Part>) -> Result<()> {
        self.clock += 1;
        for part in parts {
            let mut rest = Some(part.batch);
            while let Some(batch) = rest.take() {
                let mut file = match self.open.remove(&part.folder) {
                    Some(file) => file,
                    None => self.new_file(&part.folder)?,
                };
                let room = match self.spread.max_rows {
                    None => u64::MAX,
                    Some(most) => most.saturating_sub(file.rows),
                };
                let (now, later) = split(batch, room)?;
                file.writer.write(&now)?;
                file.rows = file.rows.exact_add(now.rows as u64)?;
                file.last = self.clock;
                rest = later;
                if self.spread.max_rows.is_some_and(|most| file.rows >= most) {
                    file.writer.finish()?;
                } else {
                    self.open.insert(part.folder.clone(), file);
                }
            }
        }
        Ok(())
    }

    /// Closes all files, and moves the folder to its destination. Returns the numbers of files and of folders in it.
    pub(super) fn finish(mut self) -> Result<(u64, u64)> {
        self.write_sorted()?;
        if self.files == 0 && self.spread.by.is_empty() {
            // A result without cells is still one file.
            let file = self.new_file("")?;
            self.open.insert(String::new(), file);
        }
        for (_, file) in std::mem::take(&mut self.open) {
            file.writer.finish()?;
        }
        let place = &self.spread.place;
        fs::rename(self.beside.path().join("whole"), place)
            .map_err(|error| failed(place, &error))?;
        let folders = self.begun.keys().filter(|folder| !folder.is_empty());
        Ok((self.files, folders.count() as u64))
    }

    fn new_file(&mut self, folder: &str) -> Result<OpenFile> {
        if self.open.len() >= MOST_OPEN {
            let oldest = self
                .open
                .iter()
                .min_by_key(|(_, file)| file.last)
                .map(|(folder, _)| folder.clone());
            if let Some(file) = oldest.and_then(|folder| self.open.remove(&folder)) {
                file.writer.finish()?;
            }
        }
        if !self.begun.contains_key(folder) && self.begun.len() >= MOST_FOLDERS {
            let what = format!(
                "{}: there would be more than {MOST_FOLDERS} folders",
                self.spread.place.display()
            );
            let error = Error::new(ErrorKind::Limit, what);
            return Err(error.with_hint("use --partition-by only for fields with few values"));
        }
        let number = self.begun.entry(folder.to_owned()).or_default();
        let name = format!("part-{number:05}.{}", self.spread.ending);
        *number += 1;
        let within = self.beside.path().join("whole").join(folder);
        let place = &self.spread.place;
        let failed = |error: io::Error| failed(&place.join(folder).join(&name), &error);
        fs::create_dir_all(&within).map_err(failed)?;
        #[expect(clippy::disallowed_methods, reason = "a file of the user is no object")]
        let file = File::create(within.join(&name)).map_err(failed)?;
        self.files += 1;
        Ok(OpenFile {
            writer: (self.make)(&self.fields, BufWriter::new(file))?,
            rows: 0,
            last: self.clock,
        })
    }
}

fn failed(place: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Store, format!("{}: {error}", place.display()))
}
