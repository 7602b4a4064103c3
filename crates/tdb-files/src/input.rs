//! Input files of cells.

use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use tdb_array::ErrorKind;
use tdb_cells::Session;
use tdb_cells::files::{ColumnChoice, InputError, InputOptions};
use tdb_open::{Error, Result};
use tdb_store::{LocalStore, StoreError};
use tdb_write::SortFolder;

use super::format::{FileFormat, uncompressed};
use super::input_requirements::{InputRequirements, NpyColumn};
use super::open_input::OpenInput;
use super::source::{ReadSoFar, Source};
use super::temporary::{self, TempError, spooled};

/// Maximum size of a batch in memory, in bytes.
const BATCH: usize = 8 << 20;

/// Maximum size of a text record, in bytes. A record is in memory three times: as text, as cells and in stored form.
const RECORD: usize = 64 << 20;

/// Name given to an unnamed pandas index, as by `reset_index`.
const INDEX: &str = "index";

const RECORD_HINT: &str =
    "a record may take a third of the memory: use --memory to allow more, such as --memory 4GiB";

/// An input file of cells, with options for reading it. A path suffices if its extension names the format. Columns are
/// matched by name.
///
/// Text may be compressed with gzip or zstd. The path `-` is standard input.
///
/// ```no_run
/// use tdb_files::{FileWrite, InputFile};
///
/// let orders = tdb_open::Context::new().open("orders")?;
/// let file = InputFile::new("march.csv").missing(["-"]).rename("order no", "id").exclude(["remark"]);
/// println!("{} cells", FileWrite::default().run(&orders, &file)?.cells);
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct InputFile {
    path: PathBuf,
    format: Option<FileFormat>,
    delimiter: Option<u8>,
    missing: Option<Vec<String>>,
    columns: ColumnChoice,
    temp: Option<PathBuf>,
    ticks: bool,
    allow_unended: bool,
    flatten: bool,
}

impl<P: AsRef<Path>> From<P> for InputFile {
    fn from(path: P) -> Self {
        Self::new(path)
    }
}

impl InputFile {
    /// Creates an input file with default options.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            path: path.as_ref().to_owned(),
            format: None,
            delimiter: None,
            missing: None,
            columns: ColumnChoice::default(),
            temp: None,
            ticks: false,
            allow_unended: false,
            flatten: false,
        }
    }

    /// Sets the format, if the file extension does not give it.
    #[must_use]
    pub fn format(mut self, format: FileFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the delimiter of CSV, an ASCII character. By default it is detected; in `.tsv` files it is a tab.
    #[must_use]
    pub fn delimiter(mut self, delimiter: u8) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets the CSV texts that stand for missing cells, in all columns. By default they are `NA`, `N/A`, `NaN`, `null`
    /// and `NULL`, except in columns of text.
    #[must_use]
    pub fn missing<T: Into<String>>(mut self, texts: impl IntoIterator<Item = T>) -> Self {
        self.missing = Some(texts.into_iter().map(Into::into).collect());
        self
    }

    /// Reads only these columns.
    #[must_use]
    pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.columns.only = names.into_iter().map(Into::into).collect();
        self
    }

    /// Omits these columns.
    #[must_use]
    pub fn exclude<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.columns.without = names.into_iter().map(Into::into).collect();
        self
    }

    /// Renames a column. All options except [`columns`](Self::columns) and [`exclude`](Self::exclude) refer to the new
    /// name.
    #[must_use]
    pub fn rename(mut self, column: &str, to: &str) -> Self {
        self.columns
            .renamed
            .push((column.to_owned(), to.to_owned()));
        self
    }

    /// Sets the folder for data that does not fit into memory; the system's temporary folder by default.
    #[must_use]
    pub fn temp(mut self, folder: impl AsRef<Path>) -> Self {
        self.temp = Some(folder.as_ref().to_owned());
        self
    }

    /// Sets whether an Arrow stream without its end marker is accepted as complete, although its writer may have
    /// failed. By default it is refused.
    #[must_use]
    pub fn allow_unended(mut self, allow: bool) -> Self {
        self.allow_unended = allow;
        self
    }

    /// Sets whether members of Arrow and Parquet structs become columns of their own: `a.b` for the member `b` of the
    /// column `a`. By default columns of structs are refused.
    #[must_use]
    pub fn flatten(mut self, flatten: bool) -> Self {
        self.flatten = flatten;
        self
    }

    /// Sets whether dates and times are raw 64-bit numbers.
    #[must_use]
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.ticks = ticks;
        self
    }

    /// Restricts the columns, if the format can have several columns.
    ///
    /// # Errors
    /// Fails if the format is unknown.
    pub fn only(self, columns: Vec<String>) -> Result<Self> {
        Ok(match self.known_format()? {
            FileFormat::Npy => self,
            FileFormat::Csv
            | FileFormat::Jsonl
            | FileFormat::Json
            | FileFormat::Arrow
            | FileFormat::Parquet => self.columns(columns),
        })
    }

    /// Returns the name of the file for messages.
    #[must_use]
    pub fn name(&self) -> String {
        if self.is_standard_input() {
            "standard input".to_owned()
        } else {
            self.path.display().to_string()
        }
    }

    fn is_standard_input(&self) -> bool {
        self.path == Path::new("-")
    }

    pub(crate) fn counts_ticks(&self) -> bool {
        self.ticks
    }

    /// Returns the size of the file in bytes, if known.
    fn len(&self, kept: Option<&File>) -> Option<u64> {
        let answer = match kept {
            Some(kept) => kept.metadata(),
            None if self.is_standard_input() => return None,
            None => std::fs::metadata(&self.path),
        };
        let metadata = answer.ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Opens the file and reads the names of its columns, using the memory of a session. A file returned by
    /// [`keep`](Self::keep) is read in place of standard input.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is not of the format, or if an option does not apply to the format.
    pub fn open(
        &self,
        becoming: InputRequirements,
        kept: Option<&File>,
        session: &Session,
    ) -> Result<OpenInput> {
        let format = self.known_format()?;
        self.check(format, &becoming)?;
        format
            .check_built()
            .map_err(|error| error.within(&self.name()))?;
        let options = self.options(&becoming, session);
        let npy = match format {
            FileFormat::Npy => becoming.npy.map_err(|error| error.within(&self.name()))?,
            FileFormat::Csv
            | FileFormat::Jsonl
            | FileFormat::Json
            | FileFormat::Arrow
            | FileFormat::Parquet => NpyColumn::default(),
        };
        let read = ReadSoFar::new(session, self.len(kept));
        let source = Source {
            file: self.bytes(kept)?,
            #[cfg(feature = "arrow")]
            temp: self.temp_folder(),
            read: read.clone(),
        };
        let opened = source.open(format, npy, options);
        let (input, shape) = opened.map_err(|error| self.failed(error))?;
        Ok(OpenInput::new(input, read, format, shape))
    }

    fn options(&self, becoming: &InputRequirements, session: &Session) -> InputOptions {
        let memory = session.limits().budget.limit();
        let ending = uncompressed(&self.path);
        let is_tsv = ending.extension().is_some_and(|ending| ending == "tsv");
        InputOptions::default()
            .ticks(self.ticks)
            .delimiter(self.delimiter.or(is_tsv.then_some(b'\t')))
            .missing(self.missing.clone())
            .columns(ColumnChoice {
                types: becoming.types.clone(),
                fields: becoming.fields.clone(),
                index: (!becoming.takes_unnamed).then(|| INDEX.to_owned()),
                ..self.columns.clone()
            })
            .batch_bytes(usize::try_from(memory / 32).map_or(BATCH, |most| most.min(BATCH)))
            .record_bytes(usize::try_from(memory / 3).map_or(RECORD, |most| most.min(RECORD)))
            .memory(memory)
            .allow_unended(self.allow_unended)
            .flatten(self.flatten)
    }

    /// Fails if an option does not apply to the format.
    fn check(&self, format: FileFormat, becoming: &InputRequirements) -> Result<()> {
        let is_npy = format == FileFormat::Npy;
        let is_csv = format == FileFormat::Csv;
        let ColumnChoice {
            only,
            without,
            renamed,
            ..
        } = &self.columns;
        let is_arrow = format == FileFormat::Arrow;
        let (npy, not_csv) = (".npy files", "files other than CSV");
        let refused = [
            ("--columns", npy, is_npy && !only.is_empty()),
            ("--exclude", npy, is_npy && !without.is_empty()),
            ("--rename", npy, is_npy && !renamed.is_empty()),
            ("--type", npy, is_npy && !becoming.types.is_empty()),
            ("--null", not_csv, !is_csv && self.missing.is_some()),
            ("--delimiter", not_csv, !is_csv && self.delimiter.is_some()),
            (
                "--allow-unended",
                "files other than Arrow",
                !is_arrow && self.allow_unended,
            ),
            (
                "--flatten",
                "files other than Arrow and Parquet",
                !(is_arrow || format == FileFormat::Parquet) && self.flatten,
            ),
        ];
        let first = refused.into_iter().find(|(.., is_refused)| *is_refused);
        first.map_or(Ok(()), |(option, files, _)| {
            Err(Error::invalid(format!(
                "{option} cannot be used with {files}"
            )))
        })
    }

    /// Returns the folder for data that does not fit into memory.
    pub(crate) fn temp_folder(&self) -> PathBuf {
        self.temp.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Converts an error, adding the name of the file.
    #[must_use]
    pub fn failed(&self, error: InputError) -> Error {
        let inner = match &error {
            InputError::Input(error) => error.get_ref(),
            _ => None,
        };
        match inner.and_then(|error| error.downcast_ref::<TempError>()) {
            Some(TempError(error)) => temporary::failed(&self.temp_folder(), error),
            None => {
                let by_memory =
                    matches!(&error, InputError::TooLarge { limit, .. } if *limit < RECORD);
                let error = Error::from(error).within(&self.name());
                if by_memory {
                    error.with_hint(RECORD_HINT)
                } else {
                    error
                }
            }
        }
    }

    /// Returns the folder for cells that are sorted outside of memory. The system's temporary folder need not exist
    /// unless cells are spilled.
    ///
    /// # Errors
    /// Fails if the caller specified a folder that does not exist.
    pub(crate) fn sort_folder(&self) -> Result<SortFolder> {
        let folder = self.temp_folder();
        if self.temp.is_some()
            && let Err(error) = LocalStore::open(&folder)
        {
            return Err(temporary::failed(&folder, error.cause()));
        }
        Ok(SortFolder::new(&folder))
    }

    /// Converts a store error that the temporary folder caused; `None` if the array caused it.
    pub(crate) fn temp_failure(&self, error: &StoreError) -> Option<Error> {
        let is_run = error.key().starts_with("sort-");
        let is_draft = tdb_store::is_draft(error.key());
        let folder = self.temp_folder();
        let at_fault = is_run || (is_draft && spooled(&mut io::empty(), &folder).is_err());
        at_fault.then(|| {
            let unusable = LocalStore::open(&folder).err();
            temporary::failed(&folder, unusable.as_ref().unwrap_or(error).cause())
        })
    }

    fn known_format(&self) -> Result<FileFormat> {
        match self.format {
            Some(format) => Ok(format),
            None if self.is_standard_input() => {
                let what = "standard input: cannot determine the format";
                Err(Error::invalid(what)
                    .with_hint("use --format csv, jsonl, json, arrow, parquet or npy"))
            }
            None if self.path.is_dir() => {
                let what = format!("{}: is a folder, not a file", self.name());
                let hint = "import its files one by one, all but the first with --append";
                Err(Error::invalid(what).with_hint(hint))
            }
            None => FileFormat::of_input(&self.path),
        }
    }

    /// Copies standard input to an unnamed temporary file, so that it can be read twice; `None` for other files.
    ///
    /// # Errors
    /// Fails if standard input cannot be read, or if the temporary folder cannot take the file.
    pub fn keep(&self) -> Result<Option<File>> {
        if !self.is_standard_input() {
            return Ok(None);
        }
        let kept = spooled(&mut io::stdin(), &self.temp_folder());
        kept.map(Some).map_err(|error| self.failed(error.into()))
    }

    /// Opens the file; `None` for standard input.
    fn bytes(&self, kept: Option<&File>) -> Result<Option<File>> {
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
        let file = File::open(&self.path)
            .and_then(|file| {
                let is_folder = file.metadata()?.is_dir();
                let wrong = || io::ErrorKind::IsADirectory.into();
                (!is_folder).then_some(file).ok_or_else(wrong)
            })
            .map_err(|error| {
                let kind = if error.kind() == io::ErrorKind::NotFound {
                    ErrorKind::NotFound
                } else {
                    ErrorKind::Store
                };
                Error::new(kind, error).within(&self.name())
            })?;
        Ok(Some(file))
    }
}

#[cfg(test)]
mod tests {
    use super::super::temporary::Spool;
    use super::*;

    fn told(error: io::Error) -> String {
        let file = InputFile::new("-").temp("/full");
        format!("{:#}", file.failed(error.into()))
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_temporary_folder_is_not_the_input() {
        let full = File::options().write(true).open("/dev/full");
        let mut spool = Spool(full.expect("a device"));
        let error = io::copy(&mut &b"1,2"[..], &mut spool).expect_err("full");
        assert_eq!(
            told(error),
            "/full: No space left on device (os error 28)\n\
             hint: use --temp to choose another folder for temporary data"
        );
        let input = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(told(input), "standard input: input: no storage space");
    }

    #[test]
    fn pieces_that_are_sorted_are_in_the_temporary_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let file = InputFile::new("x.csv").temp(folder);
        let failed = |key: &str| {
            let error = io::Error::from(io::ErrorKind::StorageFull);
            let error = StoreError::from_io(key, error);
            file.temp_failure(&error).map(|error| error.to_string())
        };
        assert_eq!(
            failed("sort-0af5-0"),
            Some(format!("{}: no storage space", folder.display()))
        );
        assert_eq!(failed("__fragments/f/a0.tdb"), None);
    }
}
