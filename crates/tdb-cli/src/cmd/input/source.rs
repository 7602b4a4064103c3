//! Where the bytes of a file come from: the file, standard input, or what is kept of that.

use std::error::Error;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb_arrow::{ArrowInput, ipc_file_input, ipc_stream_input, parquet_input};
use tdb_cells::files::{Input, InputError, InputOptions};
use tdb_text::{CsvInput, JsonLinesInput, NpyInput, NpyShape, unpacked};

use super::format::Format;

/// Bytes of a file that have been read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadSoFar(Arc<AtomicU64>);

impl ReadSoFar {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where the bytes of a file come from.
pub(super) struct Source {
    pub(super) file: Option<File>,
    pub(super) temp: PathBuf,
    pub(super) read: ReadSoFar,
}

impl Source {
    /// Opens the file as far as the names of its columns; its shape, if it has one.
    pub(super) fn open(
        self,
        format: Format,
        (name, inner): (String, u32),
        options: InputOptions,
    ) -> Result<(Box<dyn Input>, Option<NpyShape>), InputError> {
        let arrow = |input: ArrowInput| (Box::new(input) as _, None);
        Ok(match format {
            Format::Csv => {
                let text = unpacked(self.in_order(), options.memory)?;
                (Box::new(CsvInput::try_new(text, options)?), None)
            }
            Format::Jsonl => {
                let text = unpacked(self.in_order(), options.memory)?;
                (Box::new(JsonLinesInput::try_new(text, options)?), None)
            }
            Format::Parquet => arrow(parquet_input(self.in_any_order(&[])?, options)?),
            Format::Arrow => {
                let mut start = Vec::new();
                let mut source = self;
                source.part(ARROW_FILE.len(), &mut start)?;
                if start == ARROW_FILE {
                    arrow(ipc_file_input(source.in_any_order(&start)?, options)?)
                } else {
                    let rest = source.in_order();
                    arrow(ipc_stream_input(Cursor::new(start).chain(rest), options)?)
                }
            }
            Format::Npy => {
                let input = NpyInput::try_new(self.in_order(), &name, inner, options)?;
                let shape = input.shape().clone();
                (Box::new(input), Some(shape))
            }
        })
    }

    /// The next bytes.
    fn part(&mut self, len: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.take(len as u64).read_to_end(out),
            None => io::stdin().take(len as u64).read_to_end(out),
        }
    }

    /// All bytes from here on.
    fn in_order(self) -> Counted<Box<dyn Read + Send>> {
        let file: Box<dyn Read + Send> = match self.file {
            Some(file) => Box::new(file),
            None => Box::new(io::stdin()),
        };
        Counted {
            file,
            read: self.read,
        }
    }

    /// All bytes, as often as need be; of standard input, `start` was read before, and the rest goes to a file
    /// without a name.
    fn in_any_order(self, start: &[u8]) -> io::Result<Counted<File>> {
        let file = match self.file {
            Some(file) => file,
            None => spooled(&mut start.chain(io::stdin()), &self.temp)?,
        };
        let mut counted = Counted {
            file,
            read: self.read,
        };
        counted.seek(SeekFrom::Start(0))?;
        Ok(counted)
    }
}

/// A file without a name that takes all bytes.
pub(super) fn spooled(bytes: &mut dyn Read, folder: &Path) -> io::Result<File> {
    let made = tempfile::tempfile_in(folder).map_err(TempError::of);
    let mut kept = Spool(made?);
    io::copy(bytes, &mut kept)?;
    Ok(kept.0)
}

/// A file in the temporary folder.
pub(super) struct Spool(pub(super) File);

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(TempError::of)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(TempError::of)
    }
}

/// What went wrong in the temporary folder, not with the input.
#[derive(Debug)]
pub(super) struct TempError(pub(super) String);

impl TempError {
    fn of(error: io::Error) -> io::Error {
        let kind = error.kind();
        // Where the path is told, the cause is beneath; the folder is what is told here.
        let cause = error.get_ref().and_then(|error| error.source());
        let text = cause.map_or_else(|| error.to_string(), ToString::to_string);
        match kind {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, Self(text)),
        }
    }
}

impl Display for TempError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for TempError {}

/// What the file of a format begins with that is also a stream.
const ARROW_FILE: &[u8] = b"ARROW1";

/// A file whose bytes are counted as they are read.
struct Counted<R> {
    file: R,
    read: ReadSoFar,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(out)?;
        self.read.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
