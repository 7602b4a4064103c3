//! Output files of cells.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tdb_cells::files::{BatchWriter, OutputOptions};
use tdb_cells::{FieldInfo, Session};
use tdb_open::{Error, Result};
use tdb_query::ReadOptions;
use tdb_schema::ArraySchema;

use super::folder::{FolderWriter, MOST_OPEN, Spread};
use super::format::FileFormat;
use super::shape::shape_of_result;
use super::whole_file::WholeFile;

/// Size of the write buffer, in bytes.
const BUFFER: usize = 1 << 16;

/// An output file of cells, with options for writing it. A path suffices if its extension names the format. The file
/// appears complete or not at all, and replaces an existing one.
///
/// ```
/// use tdb_files::OutputFile;
///
/// assert!(!OutputFile::new("weather.parquet").is_folder());
/// assert!(OutputFile::new("by station").partition_by(["station"]).is_folder());
/// ```
#[derive(Clone, Debug)]
pub struct OutputFile {
    path: PathBuf,
    format: Option<FileFormat>,
    partition_by: Vec<String>,
    max_rows: Option<u64>,
    is_stream: bool,
    options: OutputOptions,
}

impl<P: AsRef<Path>> From<P> for OutputFile {
    fn from(path: P) -> Self {
        Self::new(path)
    }
}

impl OutputFile {
    /// Creates an output file with default options.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            path: path.as_ref().to_owned(),
            format: None,
            partition_by: Vec::new(),
            max_rows: None,
            is_stream: false,
            options: OutputOptions::default(),
        }
    }

    /// Sets the format, if the file extension does not give it.
    #[must_use]
    pub fn format(mut self, format: FileFormat) -> Self {
        self.format = Some(format);
        self
    }

    /// Writes a partitioned folder of files, Parquet by default: `FIELD=VALUE/part-00000.parquet` for each value of
    /// these fields.
    #[must_use]
    pub fn partition_by<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.partition_by = names.into_iter().map(Into::into).collect();
        self
    }

    /// Writes a folder of files with at most this number of cells each.
    #[must_use]
    pub fn max_rows(mut self, rows: u64) -> Self {
        self.max_rows = Some(rows);
        self
    }

    /// Writes Arrow IPC as a stream, which can be read while it is written.
    #[must_use]
    pub fn stream(mut self) -> Self {
        self.is_stream = true;
        self
    }

    /// Sets whether dates and times are written as raw 64-bit numbers.
    #[must_use]
    pub fn ticks(mut self, ticks: bool) -> Self {
        self.options.ticks = ticks;
        self
    }

    /// Sets whether Arrow and Parquet store text as bytes, which need not be UTF-8.
    #[must_use]
    pub fn binary_strings(mut self, binary_strings: bool) -> Self {
        self.options.binary_strings = binary_strings;
        self
    }

    /// True if a folder of files is written.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        !self.partition_by.is_empty() || self.max_rows.is_some()
    }

    fn known_format(&self) -> Result<FileFormat> {
        let format = match self.format {
            Some(format) => format,
            None if self.is_folder() => {
                let ending = self.path.extension().and_then(|ending| ending.to_str());
                let known = ending.and_then(FileFormat::of_ending);
                known.unwrap_or(FileFormat::Parquet)
            }
            None => FileFormat::of_output(&self.path)?,
        };
        format.check_built()?;
        if self.is_folder() && format == FileFormat::Npy {
            let what = "a folder holds files of rows: csv, jsonl, json, arrow or parquet";
            return Err(Error::invalid(what));
        }
        Ok(format)
    }

    /// True if the format stores the cells of a box, without their coordinates.
    ///
    /// # Errors
    /// Fails if no format has the extension.
    pub fn holds_box(&self) -> Result<bool> {
        Ok(self.known_format()? == FileFormat::Npy)
    }

    /// Returns how to write the cells of a read. `is_arranged` states that they are sorted, sampled or cut.
    ///
    /// # Errors
    /// Fails if no format has the extension, or if the format cannot hold the cells of such a read.
    pub fn layout(
        &self,
        schema: &ArraySchema,
        options: &ReadOptions,
        is_arranged: bool,
    ) -> Result<FileLayout> {
        let format = self.known_format()?;
        if format == FileFormat::Npy && is_arranged {
            let what = "a .npy file stores all cells of a box, in their order";
            return Err(Error::invalid(what).with_hint("use --range to choose the box"));
        }
        let remembers = matches!(format, FileFormat::Arrow | FileFormat::Parquet);
        Ok(FileLayout {
            format,
            is_stream: self.is_stream,
            options: self.options,
            shape: if format == FileFormat::Npy {
                shape_of_result(schema, options)?
            } else {
                Vec::new()
            },
            array_schema: remembers.then(|| remembered(schema)),
            most_waiting: u64::MAX,
        })
    }

    /// Returns how to write rows that are not the cells of one array.
    ///
    /// # Errors
    /// Fails if no format has the extension, or if the format holds the cells of one array only.
    pub fn layout_of_rows(&self) -> Result<FileLayout> {
        let format = self.known_format()?;
        if format == FileFormat::Npy {
            let what = "rows of a query cannot be written as .npy, which stores a box of one array";
            return Err(Error::invalid(what));
        }
        Ok(FileLayout {
            format,
            is_stream: self.is_stream,
            options: self.options,
            shape: Vec::new(),
            array_schema: None,
            most_waiting: u64::MAX,
        })
    }

    /// Creates the file or folder.
    ///
    /// # Errors
    /// Fails if the place cannot be written, or if the format cannot hold the fields.
    pub fn begin(
        self,
        layout: FileLayout,
        fields: &[FieldInfo],
        session: &Session,
    ) -> Result<CellSink> {
        if self.is_folder() {
            let layout = layout.within(session, MOST_OPEN as u64);
            let spread = Spread {
                place: self.path,
                by: self.partition_by,
                max_rows: self.max_rows,
                ending: layout.format.endings().first().copied().unwrap_or(""),
            };
            let make = move |fields: &[FieldInfo], to| layout.writer(fields, to);
            let folder = FolderWriter::begin(spread, fields, Box::new(make), session)?;
            return Ok(CellSink(Sink::Folder(Box::new(folder))));
        }
        let layout = layout.within(session, 1);
        let (file, to) = WholeFile::begin(&self.path)?;
        let writer = layout.writer(fields, BufWriter::with_capacity(BUFFER, to))?;
        Ok(CellSink(Sink::File { writer, file }))
    }
}

/// Returns the array schema for storage in the file, from which an import can restore it. Labels are omitted, since
/// the cells contain them.
fn remembered(schema: &ArraySchema) -> String {
    use tdb_schema::json::{Times, schema_to_json};
    schema_to_json(schema, &[], Times::Iso).to_string()
}

/// How the cells of a read are written to files.
#[derive(Debug)]
pub struct FileLayout {
    format: FileFormat,
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "only Arrow has streams")
    )]
    is_stream: bool,
    options: OutputOptions,
    /// `.npy`: number of cells along each dimension of the result.
    #[cfg_attr(
        not(feature = "text"),
        expect(dead_code, reason = "only text has a shape")
    )]
    shape: Vec<u64>,
    /// Arrow and Parquet: the array schema, as JSON.
    #[cfg_attr(
        not(feature = "arrow"),
        expect(dead_code, reason = "only Arrow and Parquet hold it")
    )]
    array_schema: Option<String>,
    /// Parquet: maximum number of bytes buffered before a row group is written.
    most_waiting: u64,
}

/// Cells waiting to be written may use 1/WAITING of the memory, and those of one file at least `LEAST_WAITING` bytes.
const WAITING: u64 = 4;
const LEAST_WAITING: u64 = 256 << 10;

impl FileLayout {
    /// Divides the buffer memory among `files` files that are written at the same time.
    fn within(mut self, session: &Session, files: u64) -> Self {
        let share = session.limits().budget.limit() / WAITING;
        self.most_waiting = (share / files.max(1)).max(LEAST_WAITING);
        self
    }

    /// Creates the writer of a file.
    ///
    /// # Errors
    /// Fails if the format cannot hold the fields, or if writing fails.
    pub fn writer<W: Write + Send + 'static>(
        &self,
        fields: &[FieldInfo],
        to: W,
    ) -> Result<Box<dyn BatchWriter>> {
        match self.format {
            #[cfg(feature = "text")]
            FileFormat::Csv => Ok(Box::new(tdb_text::CsvWriter::try_new(
                to,
                fields,
                self.options,
            )?)),
            #[cfg(feature = "text")]
            FileFormat::Jsonl => {
                let writer = tdb_text::JsonLinesWriter::try_new(to, fields, self.options)?;
                Ok(Box::new(writer))
            }
            #[cfg(feature = "text")]
            FileFormat::Json => {
                let writer = tdb_text::JsonArrayWriter::try_new(to, fields, self.options)?;
                Ok(Box::new(writer))
            }
            #[cfg(feature = "text")]
            FileFormat::Npy => Ok(Box::new(tdb_text::NpyWriter::try_new(
                to,
                fields,
                &self.shape,
            )?)),
            #[cfg(feature = "arrow")]
            FileFormat::Arrow | FileFormat::Parquet => self.arrow_writer(fields, to),
            #[cfg(not(all(feature = "text", feature = "arrow")))]
            _ => {
                drop((fields, to));
                let what = "a format that is not in this build was asked for";
                Err(tdb_tile::Bug::new(what).into())
            }
        }
    }

    #[cfg(feature = "arrow")]
    fn arrow_writer<W: Write + Send + 'static>(
        &self,
        fields: &[FieldInfo],
        to: W,
    ) -> Result<Box<dyn BatchWriter>> {
        use tdb_arrow::{IpcFileWriter, IpcStreamWriter, ParquetWriter};

        let (options, schema) = (self.options, self.array_schema.as_deref());
        Ok(match (self.format, self.is_stream) {
            (FileFormat::Parquet, _) => {
                let most = self.most_waiting;
                Box::new(ParquetWriter::within(to, fields, options, schema, most)?)
            }
            (_, true) => Box::new(IpcStreamWriter::try_new(to, fields, options, schema)?),
            (_, false) => Box::new(IpcFileWriter::try_new(to, fields, options, schema)?),
        })
    }
}

/// Destination of the cells.
pub struct CellSink(Sink);

enum Sink {
    /// A writer over a destination that the caller closes.
    Writer(Box<dyn BatchWriter>),
    File {
        writer: Box<dyn BatchWriter>,
        file: WholeFile,
    },
    Folder(Box<FolderWriter>),
}

impl CellSink {
    /// Creates a sink for a writer over a destination that the caller closes.
    #[must_use]
    pub fn to_writer(writer: Box<dyn BatchWriter>) -> Self {
        Self(Sink::Writer(writer))
    }

    /// Writes cells.
    ///
    /// # Errors
    /// Fails if the format cannot hold the cells, or if writing fails.
    pub fn write(&mut self, batch: &tdb_cells::Batch) -> Result<()> {
        match &mut self.0 {
            Sink::Writer(writer) | Sink::File { writer, .. } => Ok(writer.write(batch)?),
            Sink::Folder(folder) => folder.write(batch),
        }
    }

    /// Completes the output. Returns the number of files, and of folders if the output is a folder.
    ///
    /// # Errors
    /// Fails if writing fails.
    pub fn finish(self) -> Result<(u64, u64)> {
        match self.0 {
            Sink::Writer(writer) => {
                writer.finish()?;
                Ok((1, 0))
            }
            Sink::File { writer, file } => {
                writer.finish()?;
                file.finish()?;
                Ok((1, 0))
            }
            Sink::Folder(folder) => folder.finish(),
        }
    }
}

impl std::fmt::Debug for CellSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match &self.0 {
            Sink::Writer(_) => "writer",
            Sink::File { .. } => "file",
            Sink::Folder(_) => "folder",
        };
        f.debug_tuple("CellSink").field(&kind).finish()
    }
}
