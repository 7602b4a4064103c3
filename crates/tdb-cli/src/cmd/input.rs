//! Files of cells, as verbs that write take them.

use std::error::Error;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::{Args, ValueEnum};
use tdb_array::ErrorKind;
use tdb_arrow::{ArrowInput, ipc_file_input, ipc_stream_input, parquet_input};
use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError, InputOptions};
use tdb_cells::{FieldInfo, Session};
use tdb_store::StoreError;
use tdb_text::{CsvInput, JsonLinesInput, NpyInput, NpyShape};

use crate::args::Global;
use crate::failure::{DRAFT, Failure, cause};

/// What of a batch is in memory at a time.
const BATCH: u64 = 8 << 20;

/// What one record of text may have at most: as text, as cells and as it is stored it is in memory three times.
const RECORD: usize = 64 << 20;

const RECORD_HINT: &str =
    "a record may take a third of the memory: --memory allows more, as in --memory 4GiB";

/// How a file of cells is read.
#[derive(Debug, Args)]
pub(crate) struct InputArguments {
    /// The file; - is standard input
    #[arg(allow_hyphen_values = true)]
    file: PathBuf,
    /// Format of the file; by its ending if it has a known one
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// What stands between the fields of CSV; a tabulator in .tsv files
    #[arg(long, value_name = "C", value_parser = delimiter, allow_hyphen_values = true)]
    delimiter: Option<u8>,
    /// Where is kept what memory cannot hold; the system's folder for such by default
    #[arg(long, value_name = "FOLDER")]
    temp: Option<PathBuf>,
}

/// A format that cells are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values, with names in the first line
    Csv,
    /// JSON lines
    Jsonl,
    /// Arrow IPC, a file or a stream
    Arrow,
    /// Parquet
    Parquet,
    /// NumPy: one attribute of a dense array
    Npy,
}

/// A file whose columns are known by name.
pub(crate) struct OpenInput {
    input: Box<dyn Input>,
    read: ReadSoFar,
    /// The shape that the file has, if it has one.
    pub(crate) shape: Option<NpyShape>,
}

/// Bytes of a file that have been read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadSoFar(Arc<AtomicU64>);

impl InputArguments {
    /// The file as messages name it.
    pub(crate) fn name(&self) -> String {
        match self.is_standard_input() {
            true => "standard input".to_owned(),
            false => self.file.display().to_string(),
        }
    }

    fn is_standard_input(&self) -> bool {
        self.file == Path::new("-")
    }

    /// Bytes of the file, where that is known.
    pub(crate) fn len(&self) -> Option<u64> {
        let metadata = std::fs::metadata(&self.file).ok()?;
        (metadata.is_file() && !self.is_standard_input()).then_some(metadata.len())
    }

    /// Opens the file as far as the names of its columns. A `.npy` file has no names, so `npy` says which
    /// attribute it holds, and how many values of it a cell has. What was `kept` is read instead of standard input.
    pub(crate) fn open(
        &self,
        npy: Result<(String, u32), Failure>,
        kept: Option<&File>,
        global: &Global,
        session: &Session,
    ) -> Result<OpenInput, Failure> {
        let format = self.format()?;
        let is_tsv = self.file.extension().is_some_and(|ending| ending == "tsv");
        let memory = session.limits().budget.limit();
        let options = InputOptions {
            ticks: global.ticks,
            delimiter: self.delimiter.unwrap_or(if is_tsv { b'\t' } else { b',' }),
            batch_bytes: usize::try_from(BATCH.min(memory / 32)).unwrap_or(usize::MAX),
            record_bytes: usize::try_from(memory / 3).map_or(RECORD, |most| most.min(RECORD)),
            memory,
        };
        let npy = match format {
            Format::Npy => npy.map_err(|failure| failure.within(&self.name()))?,
            _ => Default::default(),
        };
        let read = ReadSoFar::default();
        let source = Source {
            file: self.bytes(kept)?,
            temp: self.temp(),
            read: read.clone(),
        };
        let opened = source.open(format, npy, options);
        let (input, shape) = opened.map_err(|error| self.failed(error))?;
        Ok(OpenInput { input, read, shape })
    }

    /// The folder for what memory cannot hold.
    pub(crate) fn temp(&self) -> PathBuf {
        self.temp.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// The failure, with the name of the file in front.
    pub(crate) fn failed(&self, error: InputError) -> Failure {
        let inner = match &error {
            InputError::Input(error) => error.get_ref(),
            _ => None,
        };
        match inner.and_then(|error| error.downcast_ref::<TempError>()) {
            Some(TempError(error)) => self.temp_failed(error),
            None => {
                let by_memory =
                    matches!(&error, InputError::TooLarge { limit, .. } if *limit < RECORD);
                let failure = Failure::from(error).within(&self.name());
                match by_memory {
                    true => failure.hint(RECORD_HINT),
                    false => failure,
                }
            }
        }
    }

    /// The temporary folder's part in a failure, if it is at fault: `None` where the array is.
    pub(crate) fn temp_failure(&self, error: &StoreError) -> Option<Failure> {
        let name = tdb_store::name(error.key());
        let is_run = error.key().starts_with("sort-");
        let at_fault =
            is_run || (name.starts_with(DRAFT) && spooled(&mut io::empty(), &self.temp()).is_err());
        at_fault.then(|| self.temp_failed(cause(error)))
    }

    /// The failure of the temporary folder.
    pub(crate) fn temp_failed(&self, what: impl Display) -> Failure {
        let what = format!("{}: {what}", self.temp().display());
        Failure::new(ErrorKind::Store, what)
            .hint("--temp names another folder for what memory cannot hold")
    }

    fn format(&self) -> Result<Format, Failure> {
        let named = || Format::of_file(&self.file);
        self.format.or_else(named).ok_or_else(|| {
            let what = format!("{}: the name does not tell the format", self.name());
            Failure::invalid(what).hint("--format csv, jsonl, arrow, parquet or npy")
        })
    }

    /// Keeps standard input in a file without a name, so that it can be read twice; `None` where it is not meant.
    pub(crate) fn keep(&self) -> Result<Option<File>, Failure> {
        if !self.is_standard_input() {
            return Ok(None);
        }
        let kept = spooled(&mut io::stdin(), &self.temp());
        kept.map(Some).map_err(|error| self.failed(error.into()))
    }

    /// The file; `None` is standard input.
    fn bytes(&self, kept: Option<&File>) -> Result<Option<File>, Failure> {
        if let Some(kept) = kept {
            let again = kept.try_clone().and_then(|mut file| {
                file.rewind()?;
                Ok(file)
            });
            return again.map(Some).map_err(|error| self.failed(error.into()));
        }
        if self.is_standard_input() {
            return Ok(None);
        }
        let file = File::open(&self.file).and_then(|file| {
            let is_folder = file.metadata()?.is_dir();
            let wrong = || io::ErrorKind::IsADirectory.into();
            (!is_folder).then_some(file).ok_or_else(wrong)
        });
        let file = file.map_err(|error| {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Store,
            };
            Failure::new(kind, error).within(&self.name())
        })?;
        Ok(Some(file))
    }
}

impl OpenInput {
    /// The names of the columns.
    pub(crate) fn names(&self) -> &[String] {
        self.input.names()
    }

    /// Goes on to read cells of these fields.
    pub(crate) fn cells(
        self,
        fields: &[FieldInfo],
    ) -> Result<(Box<dyn BatchReader>, ReadSoFar), InputError> {
        Ok((self.input.cells(fields)?, self.read))
    }

    /// Counts what is read of the file.
    pub(crate) fn read_so_far(&self) -> ReadSoFar {
        self.read.clone()
    }

    /// Reads all of the file to tell what fields would take its columns.
    pub(crate) fn guess(self) -> Result<Vec<ColumnGuess>, InputError> {
        self.input.guess()
    }
}

impl ReadSoFar {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where the bytes of a file come from.
struct Source {
    file: Option<File>,
    temp: PathBuf,
    read: ReadSoFar,
}

impl Source {
    fn open(
        self,
        format: Format,
        (name, inner): (String, u32),
        options: InputOptions,
    ) -> Result<(Box<dyn Input>, Option<NpyShape>), InputError> {
        let arrow = |input: ArrowInput| (Box::new(input) as _, None);
        Ok(match format {
            Format::Csv => (Box::new(CsvInput::try_new(self.in_order(), options)?), None),
            Format::Jsonl => (
                Box::new(JsonLinesInput::try_new(self.in_order(), options)?),
                None,
            ),
            Format::Parquet => arrow(parquet_input(self.in_any_order(&[])?, options)?),
            Format::Arrow => {
                let mut start = Vec::new();
                let mut source = self;
                source.part(ARROW_FILE.len(), &mut start)?;
                match start == ARROW_FILE {
                    true => arrow(ipc_file_input(source.in_any_order(&start)?, options)?),
                    false => {
                        let rest = source.in_order();
                        arrow(ipc_stream_input(Cursor::new(start).chain(rest), options)?)
                    }
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
fn spooled(bytes: &mut dyn Read, folder: &Path) -> io::Result<File> {
    let made = tempfile::tempfile_in(folder).map_err(TempError::of);
    let mut kept = Spool(made?);
    io::copy(bytes, &mut kept)?;
    Ok(kept.0)
}

/// A file in the temporary folder.
struct Spool(File);

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
struct TempError(String);

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

impl Format {
    /// The format that a file's ending stands for.
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "parquet" => Some(Self::Parquet),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("\\t", _) => Ok(b'\t'),
        (_, [byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("not one character of ASCII, nor \\t".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(error: io::Error) -> String {
        let arguments = InputArguments {
            file: "-".into(),
            format: None,
            delimiter: None,
            temp: Some("/full".into()),
        };
        let mut out = Vec::new();
        let failure = arguments.failed(error.into());
        let look = crate::paint::Look::default();
        failure.write(&mut out, look).expect("to memory");
        String::from_utf8(out).expect("text")
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_temporary_folder_is_not_the_input() {
        let full = File::options().write(true).open("/dev/full");
        let mut spool = Spool(full.expect("a device"));
        let error = io::copy(&mut &b"1,2"[..], &mut spool).expect_err("full");
        assert_eq!(
            told(error),
            "error: /full: No space left on device (os error 28)\n\
             hint: --temp names another folder for what memory cannot hold\n"
        );
        let input = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(
            told(input),
            "error: standard input: input: no storage space\n"
        );
    }

    #[test]
    fn pieces_that_are_sorted_are_in_the_temporary_folder() {
        let arguments = InputArguments {
            file: "x.csv".into(),
            format: None,
            delimiter: None,
            temp: Some("/full".into()),
        };
        let failed = |key: &str| {
            let error = io::Error::from(io::ErrorKind::StorageFull);
            let error = StoreError::from_io(key, error);
            arguments
                .temp_failure(&error)
                .map(|failure| failure.to_string())
        };
        assert_eq!(
            failed("sort-0af5-0"),
            Some("/full: no storage space".to_owned())
        );
        assert_eq!(failed("__fragments/f/a0.tdb"), None);
    }
}
