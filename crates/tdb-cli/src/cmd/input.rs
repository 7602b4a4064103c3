//! Options for input files, shared by the verbs that write cells.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tdb::engine::schema::names::UnknownName;
use tdb::engine::tile::Code;
use tdb::{Datatype, FileFormat, InputFile};

use crate::global::Global;
use crate::names::{Names, name, names, parts};
use crate::parse::named;

/// A format that cells are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values, with names in the first line
    Csv,
    /// JSON lines, or one JSON array of objects
    Jsonl,
    /// The same as jsonl
    Json,
    /// Arrow IPC, a file or a stream
    Arrow,
    /// Parquet
    Parquet,
    /// NumPy: one attribute of a dense array
    Npy,
}

impl From<Format> for FileFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Csv => Self::Csv,
            Format::Jsonl => Self::Jsonl,
            Format::Json => Self::Json,
            Format::Arrow => Self::Arrow,
            Format::Parquet => Self::Parquet,
            Format::Npy => Self::Npy,
        }
    }
}

/// How a file of cells is read.
#[derive(Debug, Args)]
pub(crate) struct InputArguments {
    /// Input file; - is standard input
    #[arg(allow_hyphen_values = true)]
    file: PathBuf,
    /// Format of the file [default: by its extension]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Delimiter of CSV fields [default: detected; tab for .tsv files]
    #[arg(long, value_name = "C", value_parser = delimiter, allow_hyphen_values = true)]
    delimiter: Option<u8>,
    /// CSV text for missing cells, in all columns [default: NA, N/A, NaN, null, NULL; none in text columns]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    null: Vec<String>,
    /// Accept an Arrow stream without its end marker, as a failed writer leaves it
    #[arg(long)]
    allow_unended: bool,
    /// Turn members of structs in Arrow and Parquet into columns: member b of column a becomes a.b
    #[arg(long)]
    flatten: bool,
    #[command(flatten)]
    columns: Columns,
}

/// Which columns of a file are read.
#[derive(Clone, Debug, Default, Args)]
struct Columns {
    /// Read only these columns
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    columns: Vec<Names>,
    /// Skip these columns
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    exclude: Vec<Names>,
    /// Rename column A to B; all options but --columns and --exclude use the new name
    #[arg(long, value_name = "A=B,...", value_parser = renamed, allow_hyphen_values = true)]
    rename: Vec<Vec<(String, String)>>,
}

impl InputArguments {
    /// Builds the input file from the options.
    pub(crate) fn file(&self, global: &Global) -> InputFile {
        let mut file = InputFile::new(&self.file)
            .columns(self.columns.columns.concat())
            .exclude(self.columns.exclude.concat())
            .ticks(global.ticks)
            .allow_unended(self.allow_unended)
            .flatten(self.flatten);
        for (column, to) in self.columns.rename.iter().flatten() {
            file = file.rename(column, to);
        }
        if let Some(format) = self.format {
            file = file.format(format.into());
        }
        if let Some(delimiter) = self.delimiter {
            file = file.delimiter(delimiter);
        }
        if !self.null.is_empty() {
            file = file.missing(&self.null);
        }
        match &global.temp {
            Some(folder) => file.temp(folder),
            None => file,
        }
    }
}

/// An input file without options; standard input is CSV.
pub(crate) fn plain_file(path: &Path, global: &Global) -> InputFile {
    let file = InputFile::new(path).ticks(global.ticks);
    if path == Path::new("-") {
        file.format(FileFormat::Csv)
    } else {
        file
    }
}

/// Parses `A=B,...` into pairs of column and new name.
fn renamed(text: &str) -> Result<Vec<(String, String)>, String> {
    let one = |part: &str| {
        let pair = if part.starts_with('"') {
            named(part)
        } else {
            part.split_once('=').map(|(from, to)| (from.to_owned(), to))
        };
        match pair {
            Some((from, to)) if !to.is_empty() => Ok((from, name(to)?)),
            _ => Err(format!(
                "{part:?} is not of the form A=B; a name that holds a comma stands in \"double quotes\""
            )),
        }
    };
    parts(text)?.into_iter().map(one).collect()
}

/// Parses `COL=T,...` into pairs of column and datatype.
pub(crate) fn typed(text: &str) -> Result<Vec<(String, Datatype)>, String> {
    parts(text)?.into_iter().map(typed_column).collect()
}

fn typed_column(text: &str) -> Result<(String, Datatype), String> {
    let pair = if text.starts_with('"') {
        named(text)
    } else {
        let pair = text.rsplit_once('=');
        pair.map(|(name, datatype)| (name.to_owned(), datatype))
    };
    let (name, datatype) =
        pair.ok_or_else(|| format!("{text:?} is not of the form COL=T, as in zip=string_ascii"))?;
    let known = Datatype::from_name(datatype).ok_or_else(|| {
        let names = Datatype::ALL.iter().map(|datatype| datatype.name());
        UnknownName::new("datatype", datatype, names)
    });
    match known {
        Ok(datatype) => Ok((name, datatype)),
        Err(error) => Err(format!("{error}: {}", error.hint())),
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("\\t", _) => Ok(b'\t'),
        (_, [byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(*byte),
        _ => Err("expected one ASCII character or \\t".to_owned()),
    }
}
