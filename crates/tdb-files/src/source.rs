//! Sources of an input file's bytes: the file, standard input, or the temporary copy of standard input.

use std::fs::File;
use std::io::{self, Read};
#[cfg(feature = "arrow")]
use std::io::{Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tdb_cells::files::{Input, InputError, InputOptions};
use tdb_cells::{Activity, Progress, Session};

use super::format::FileFormat;
use super::input_requirements::NpyColumn;
#[cfg(feature = "arrow")]
use super::temporary::spooled;

/// Shape of the box that a `.npy` file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileShape {
    /// Number of cells along each axis.
    pub(super) axes: Vec<u64>,
    /// True if the first axis varies fastest.
    pub(super) is_column_major: bool,
}

/// Counter of the bytes read from a file; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct ReadSoFar(Arc<Bytes>);

#[derive(Debug)]
struct Bytes {
    read: AtomicU64,
    total: Option<u64>,
    /// Session that receives progress reports while the file is examined.
    session: Session,
    is_looked_through: AtomicBool,
}

impl ReadSoFar {
    pub(super) fn new(session: &Session, total: Option<u64>) -> Self {
        Self(Arc::new(Bytes {
            read: AtomicU64::new(0),
            total,
            session: session.clone(),
            is_looked_through: AtomicBool::new(false),
        }))
    }

    /// Returns the progress of reading the file, as part of an activity.
    pub(crate) fn progress(&self, activity: Activity) -> Progress {
        let read = self.0.read.load(Ordering::Relaxed);
        Progress::new(activity, read).of(self.0.total)
    }

    /// Turns on progress reports to the session while the file is examined.
    pub(super) fn look_through(&self) {
        self.0.is_looked_through.store(true, Ordering::Relaxed);
    }

    fn add(&self, bytes: usize) {
        self.0.read.fetch_add(bytes as u64, Ordering::Relaxed);
        if self.0.is_looked_through.load(Ordering::Relaxed) {
            self.0.session.tell(&self.progress(Activity::Looking));
        }
    }
}

/// Source of a file's bytes.
pub(super) struct Source {
    /// The file; `None` for standard input.
    pub(super) file: Option<File>,
    /// Folder for the copy of standard input that random access needs.
    #[cfg(feature = "arrow")]
    pub(super) temp: std::path::PathBuf,
    pub(super) read: ReadSoFar,
}

impl Source {
    /// Opens the file and reads the names of its columns; also returns the shape of a `.npy` file.
    pub(super) fn open(
        self,
        format: FileFormat,
        npy: NpyColumn,
        options: InputOptions,
    ) -> Result<(Box<dyn Input>, Option<FileShape>), InputError> {
        match format {
            #[cfg(feature = "text")]
            FileFormat::Csv | FileFormat::Jsonl | FileFormat::Json | FileFormat::Npy => {
                self.text(format, npy, options)
            }
            #[cfg(feature = "arrow")]
            FileFormat::Arrow | FileFormat::Parquet => self.arrow(format, options),
            #[cfg(not(all(feature = "text", feature = "arrow")))]
            _ => {
                drop(npy);
                Err(tdb_tile::Bug::new("a format that is not in this build was asked for").into())
            }
        }
    }

    #[cfg(feature = "text")]
    fn text(
        self,
        format: FileFormat,
        npy: NpyColumn,
        options: InputOptions,
    ) -> Result<(Box<dyn Input>, Option<FileShape>), InputError> {
        use tdb_text::{CsvInput, JsonLinesInput, NpyInput, unpacked};

        if format == FileFormat::Npy {
            let input =
                NpyInput::try_new(self.in_order(), &npy.name, npy.values_per_cell, options)?;
            let shape = FileShape {
                axes: input.shape().axes.clone(),
                is_column_major: input.shape().is_column_major,
            };
            return Ok((Box::new(input), Some(shape)));
        }
        let text = unpacked(self.in_order(), options.memory)?;
        Ok(if format == FileFormat::Csv {
            (Box::new(CsvInput::try_new(text, options)?), None)
        } else {
            (Box::new(JsonLinesInput::try_new(text, options)?), None)
        })
    }

    #[cfg(feature = "arrow")]
    fn arrow(
        mut self,
        format: FileFormat,
        options: InputOptions,
    ) -> Result<(Box<dyn Input>, Option<FileShape>), InputError> {
        use tdb_arrow::{ipc_file_input, ipc_stream_input, parquet_input};

        if format == FileFormat::Parquet {
            let input = parquet_input(self.in_any_order(&[])?, options)?;
            return Ok((Box::new(input), None));
        }
        let mut start = Vec::new();
        self.part(ARROW_FILE.len(), &mut start)?;
        let input = if start == ARROW_FILE {
            ipc_file_input(self.in_any_order(&start)?, options)?
        } else {
            let rest = self.in_order();
            ipc_stream_input(io::Cursor::new(start).chain(rest), options)?
        };
        Ok((Box::new(input), None))
    }

    /// Appends the next `len` bytes to `out`.
    #[cfg(feature = "arrow")]
    fn part(&mut self, len: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.take(len as u64).read_to_end(out),
            None => io::stdin().take(len as u64).read_to_end(out),
        }
    }

    /// Returns a reader of all remaining bytes.
    fn in_order(self) -> CountingReader<Box<dyn Read + Send>> {
        let file: Box<dyn Read + Send> = match self.file {
            Some(file) => Box::new(file),
            None => Box::new(io::stdin()),
        };
        CountingReader {
            file,
            read: self.read,
        }
    }

    /// Returns a reader with random access. Standard input is copied to an unnamed file, preceded by `start`, the
    /// bytes already read from it.
    #[cfg(feature = "arrow")]
    fn in_any_order(self, start: &[u8]) -> io::Result<CountingReader<File>> {
        let file = match self.file {
            Some(file) => file,
            None => spooled(&mut start.chain(io::stdin()), &self.temp)?,
        };
        let mut counted = CountingReader {
            file,
            read: self.read,
        };
        counted.seek(SeekFrom::Start(0))?;
        Ok(counted)
    }
}

/// Magic bytes of an Arrow IPC file; the same format without them is a stream.
#[cfg(feature = "arrow")]
const ARROW_FILE: &[u8] = b"ARROW1";

/// A reader that counts the bytes it reads.
struct CountingReader<R> {
    file: R,
    read: ReadSoFar,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.read.0.session.check_cancelled()?;
        let read = self.file.read(out)?;
        self.read.add(read);
        Ok(read)
    }
}

#[cfg(feature = "arrow")]
impl<R: Seek> Seek for CountingReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
