//! Files of cells, as verbs that write take them.

mod format;
mod source;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use clap::Args;
pub(crate) use format::Format;
use format::uncompressed;
pub(crate) use source::ReadSoFar;
use source::{Source, TempError, spooled};
use tdb_array::ErrorKind;
use tdb_cells::files::{BatchReader, ColumnChoice, ColumnGuess, Input, InputError, InputOptions};
use tdb_cells::{FieldInfo, Session};
use tdb_schema::names::UnknownName;
use tdb_store::StoreError;
use tdb_text::NpyShape;
use tdb_tile::{Code, Datatype};

use crate::failure::{DRAFT, Failure, cause};
use crate::global::Global;

/// What of a batch is in memory at a time.
const BATCH: usize = 8 << 20;

/// What one record of text may have at most: as text, as cells and as it is stored it is in memory three times.
const RECORD: usize = 64 << 20;

/// What an index that pandas leaves without a name is called, as by its `reset_index`.
const INDEX: &str = "index";

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
    /// What stands between the fields of CSV; found out by default, and a tabulator in .tsv files
    #[arg(long, value_name = "C", value_parser = delimiter, allow_hyphen_values = true)]
    delimiter: Option<u8>,
    /// A text of CSV for missing cells, in all columns; by default NA, N/A, NaN, null and NULL are, but not in columns of text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    null: Vec<String>,
    #[command(flatten)]
    columns: Columns,
    /// Where is kept what memory cannot hold; the system's folder for such by default
    #[arg(long, value_name = "FOLDER")]
    temp: Option<PathBuf>,
}

/// Which columns of a file are read.
#[derive(Clone, Debug, Default, Args)]
struct Columns {
    /// Read these columns alone
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    columns: Vec<String>,
    /// Leave these columns out
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    exclude: Vec<String>,
    /// Call the column A of the file B; other options but --columns and --exclude take the new name
    #[arg(long, value_name = "A=B", value_parser = renamed, allow_hyphen_values = true)]
    rename: Vec<(String, String)>,
}

/// What the columns of a file become, as far as the array says so.
pub(crate) struct Becoming {
    /// Name of the attribute that a .npy file holds, and how many values of it a cell has.
    pub(crate) npy: Result<(String, u32), Failure>,
    /// Whether the array has a field without a name.
    pub(crate) takes_unnamed: bool,
    /// Datatypes of columns.
    pub(crate) types: Vec<(String, Datatype)>,
}

/// A file whose columns are known by name.
pub(crate) struct OpenInput {
    input: Box<dyn Input>,
    read: ReadSoFar,
    format: Format,
    /// The shape that the file has, if it has one.
    pub(crate) shape: Option<NpyShape>,
}

impl InputArguments {
    /// A file of which nothing is said but its name; standard input is CSV.
    pub(crate) fn of_file(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            format: (file == Path::new("-")).then_some(Format::Csv),
            delimiter: None,
            null: Vec::new(),
            columns: Columns::default(),
            temp: None,
        }
    }

    /// Only these columns are read, where a file has several.
    pub(crate) fn take_columns(&mut self, names: Vec<String>) -> Result<(), Failure> {
        if self.format()? != Format::Npy {
            self.columns.columns = names;
        }
        Ok(())
    }

    /// The file as messages name it.
    pub(crate) fn name(&self) -> String {
        if self.is_standard_input() {
            "standard input".to_owned()
        } else {
            self.file.display().to_string()
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

    /// Opens the file as far as the names of its columns. What was `kept` is read instead of standard input.
    pub(crate) fn open(
        &self,
        becoming: Becoming,
        kept: Option<&File>,
        global: &Global,
        session: &Session,
    ) -> Result<OpenInput, Failure> {
        let format = self.format()?;
        self.check(format)?;
        let options = self.options(&becoming, global, session);
        let npy = match format {
            Format::Npy => becoming
                .npy
                .map_err(|failure| failure.within(&self.name()))?,
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
        Ok(OpenInput {
            input,
            read,
            format,
            shape,
        })
    }

    fn options(&self, becoming: &Becoming, global: &Global, session: &Session) -> InputOptions {
        let memory = session.limits().budget.limit();
        let ending = uncompressed(&self.file);
        let is_tsv = ending.extension().is_some_and(|ending| ending == "tsv");
        InputOptions {
            ticks: global.ticks,
            delimiter: self.delimiter.or(is_tsv.then_some(b'\t')),
            missing: (!self.null.is_empty()).then(|| self.null.clone()),
            columns: ColumnChoice {
                only: self.columns.columns.clone(),
                without: self.columns.exclude.clone(),
                renamed: self.columns.rename.clone(),
                types: becoming.types.clone(),
                index: (!becoming.takes_unnamed).then(|| INDEX.to_owned()),
            },
            batch_bytes: usize::try_from(memory / 32).map_or(BATCH, |most| most.min(BATCH)),
            record_bytes: usize::try_from(memory / 3).map_or(RECORD, |most| most.min(RECORD)),
            memory,
        }
    }

    /// Fails where an option means nothing to the format.
    fn check(&self, format: Format) -> Result<(), Failure> {
        let Columns {
            columns,
            exclude,
            rename,
        } = &self.columns;
        let is_npy = format == Format::Npy;
        let is_csv = format == Format::Csv;
        let refused = [
            ("--columns", is_npy && !columns.is_empty()),
            ("--exclude", is_npy && !exclude.is_empty()),
            ("--rename", is_npy && !rename.is_empty()),
            ("--null", !is_csv && !self.null.is_empty()),
            ("--delimiter", !is_csv && self.delimiter.is_some()),
        ];
        let refused = refused.into_iter().find(|(_, is_refused)| *is_refused);
        refused.map_or(Ok(()), |(option, _)| {
            let format = if is_npy {
                ".npy files"
            } else {
                "files other than CSV"
            };
            let what = format!("{option} means nothing to {format}");
            Err(Failure::invalid(what))
        })
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
                if by_memory {
                    failure.hint(RECORD_HINT)
                } else {
                    failure
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
        #[expect(clippy::disallowed_methods, reason = "a file of the user is no object")]
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

    /// The schema of the array that the file was written from, as JSON, if the file tells it.
    pub(crate) fn array_schema(&self) -> Option<&str> {
        self.input.array_schema()
    }

    /// Reads all of the file to tell what fields would take its columns: CSV on the threads of the session, which share
    /// it; other formats on this one, whose memory is free again for the cells.
    pub(crate) fn guess(self, session: &Session) -> Result<Vec<ColumnGuess>, InputError> {
        if self.format == Format::Csv {
            session.install(|| self.input.guess())
        } else {
            self.input.guess()
        }
    }
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !to.is_empty() => Ok((from.to_owned(), to.to_owned())),
        _ => Err("not of the form A=B".to_owned()),
    }
}

/// A column and its datatype.
pub(crate) fn typed(text: &str) -> Result<(String, Datatype), String> {
    let (name, datatype) = text
        .rsplit_once('=')
        .ok_or("not of the form COL=T, as in zip=string_ascii")?;
    let known = Datatype::from_name(datatype);
    let known = known.ok_or_else(|| {
        let names = Datatype::ALL.iter().map(|datatype| datatype.name());
        UnknownName::new("datatype", datatype, names)
    });
    match known {
        Ok(datatype) => Ok((name.to_owned(), datatype)),
        Err(error) => Err(format!("{error}: {}", error.hint())),
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
    use super::source::Spool;
    use super::*;

    fn told(error: io::Error) -> String {
        let arguments = InputArguments {
            file: "-".into(),
            format: None,
            delimiter: None,
            null: Vec::new(),
            columns: Columns::default(),
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
            null: Vec::new(),
            columns: Columns::default(),
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
