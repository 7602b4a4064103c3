//! The formats of files of cells.

use std::path::Path;

use clap::ValueEnum;

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

impl Format {
    /// The format that a file's ending stands for.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let inner = uncompressed(path);
        match inner.extension()?.to_str()? {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            _ if inner != path => None,
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "parquet" => Some(Self::Parquet),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

/// The name of a file without the ending that says how it is compressed.
pub(super) fn uncompressed(path: &Path) -> &Path {
    let is_compressed = path
        .extension()
        .is_some_and(|ending| ending == "gz" || ending == "zst");
    let inner = path.file_stem().filter(|_| is_compressed);
    inner.map_or(path, Path::new)
}
