//! Formats of files, and the endings of their names.

use std::ffi::OsStr;
use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::global::Global;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// Comma-separated values
    Csv,
    /// JSON lines
    Jsonl,
    /// Arrow IPC: a file, or a stream on standard output
    Arrow,
    /// Parquet, compressed with zstd
    Parquet,
    /// NumPy: one attribute of a dense array
    Npy,
}

/// The endings of the names of files, by format.
const ENDINGS: [(Format, &[&str]); 6] = [
    (Format::Table, &["txt"]),
    (Format::Csv, &["csv"]),
    (Format::Jsonl, &["jsonl", "ndjson"]),
    (Format::Arrow, &["arrow", "feather", "ipc"]),
    (Format::Parquet, &["parquet"]),
    (Format::Npy, &["npy"]),
];

impl Format {
    /// What the names of its files end with.
    pub(super) fn ending(self) -> &'static str {
        let mut formats = ENDINGS.iter();
        let own = formats.find(|(format, _)| *format == self);
        own.and_then(|(_, endings)| endings.first()).unwrap_or(&"")
    }

    /// The format that a file's ending stands for.
    pub(super) fn of_ending(ending: &OsStr) -> Option<Self> {
        let ending = ending.to_str()?.to_ascii_lowercase();
        let mut formats = ENDINGS.iter();
        let known = formats.find(|(_, endings)| endings.contains(&ending.as_str()));
        known.map(|(format, _)| *format)
    }
}

/// A file's ending that no format has.
pub(super) fn no_format(global: &Global, ending: &OsStr) -> Failure {
    let file = global.output.as_deref().unwrap_or(Path::new(""));
    let (file, ending) = (file.display(), ending.display());
    let known: Vec<String> = (ENDINGS.iter())
        .flat_map(|(_, endings)| endings.iter())
        .map(|ending| format!(".{ending}"))
        .collect();
    let failure = Failure::invalid(format!("{file}: no format has the ending .{ending}"));
    failure.hint(format!(
        "the endings are {}; with --format, any will do",
        known.join(", ")
    ))
}
