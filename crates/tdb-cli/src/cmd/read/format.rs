//! Output formats and their file name extensions.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum;
use tdb::FileFormat;

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned table for people
    Table,
    /// Comma-separated values
    Csv,
    /// JSON lines: one object per line
    Jsonl,
    /// One JSON array of objects
    Json,
    /// Arrow IPC: a file, or a stream on standard output
    Arrow,
    /// Parquet, compressed with zstd
    Parquet,
    /// NumPy: one attribute of a dense array
    Npy,
}

/// File name extension of tables.
const TABLE: &str = "txt";

impl Format {
    /// The corresponding file format; `None` for tables, which only people read.
    pub(crate) fn of_file(self) -> Option<FileFormat> {
        match self {
            Self::Table => None,
            Self::Csv => Some(FileFormat::Csv),
            Self::Jsonl => Some(FileFormat::Jsonl),
            Self::Json => Some(FileFormat::Json),
            Self::Arrow => Some(FileFormat::Arrow),
            Self::Parquet => Some(FileFormat::Parquet),
            Self::Npy => Some(FileFormat::Npy),
        }
    }

    /// The format for a file name extension.
    pub(super) fn of_ending(ending: &OsStr) -> Option<Self> {
        let ending = ending.to_str()?;
        if ending.eq_ignore_ascii_case(TABLE) {
            return Some(Self::Table);
        }
        let known = FileFormat::of_ending(ending);
        let mut formats = Self::value_variants().iter().copied();
        formats.find(|format| known.is_some() && format.of_file() == known)
    }
}

/// Chooses the output format: the requested one, else by the file name, else a table on a terminal, JSON lines with
/// `--json`, and CSV otherwise.
pub(crate) fn chosen_format(
    asked: Option<Format>,
    global: &Global,
    out: &Output,
) -> Result<Format, Failure> {
    if let Some(format) = asked {
        return Ok(format);
    }
    let ending = global.output.as_deref().and_then(Path::extension);
    Ok(match ending {
        Some(ending) => Format::of_ending(ending).ok_or_else(|| no_format(global, ending))?,
        None if global.json => Format::Jsonl,
        None if out.is_terminal() => Format::Table,
        None => Format::Csv,
    })
}

/// Error for an unknown file name extension.
fn no_format(global: &Global, ending: &OsStr) -> Failure {
    let file = global.output.as_deref().unwrap_or(Path::new(""));
    let (file, ending) = (file.display(), ending.display());
    let of_files = FileFormat::ALL.iter().flat_map(|format| format.endings());
    let known: Vec<String> = [&TABLE]
        .into_iter()
        .chain(of_files)
        .map(|ending| format!(".{ending}"))
        .collect();
    let failure = Failure::invalid(format!("{file}: unknown extension .{ending}"));
    failure.hint(format!(
        "known extensions: {}; with --format, any will do",
        known.join(", ")
    ))
}
