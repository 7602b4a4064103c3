//! File formats for cells.

use std::path::Path;

use tdb_open::{Error, ErrorKind, Result};

/// A file format for cells.
///
/// ```
/// use tdb_files::FileFormat;
///
/// assert_eq!(FileFormat::of_input("orders.csv.gz")?, FileFormat::Csv);
/// assert_eq!(FileFormat::of_output("orders.parquet")?, FileFormat::Parquet);
/// let error = FileFormat::of_output("orders.xlsx").expect_err("no format has this ending");
/// assert_eq!(error.to_string(), "orders.xlsx: unknown extension .xlsx");
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileFormat {
    /// Comma-separated values, with column names in the first line: `.csv`, and for input `.tsv`. Feature `text`.
    Csv,
    /// JSON lines, one object per cell: `.jsonl`, `.ndjson`. Feature `text`.
    Jsonl,
    /// One JSON array with an object per cell: `.json`. For input, both JSON formats are accepted under either
    /// extension. Feature `text`.
    Json,
    /// Arrow IPC, a file or a stream: `.arrow`, `.feather`, `.ipc`, and for input `.arrows`. Feature `arrow`.
    Arrow,
    /// Parquet, compressed with zstd when written: `.parquet`. Feature `arrow`.
    Parquet,
    /// NumPy, one attribute of a dense array: `.npy`. Feature `text`.
    Npy,
}

/// File extensions for output, by format.
const ENDINGS: [(FileFormat, &[&str]); 6] = [
    (FileFormat::Csv, &["csv"]),
    (FileFormat::Jsonl, &["jsonl", "ndjson"]),
    (FileFormat::Json, &["json"]),
    (FileFormat::Arrow, &["arrow", "feather", "ipc"]),
    (FileFormat::Parquet, &["parquet"]),
    (FileFormat::Npy, &["npy"]),
];

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Csv,
        Self::Jsonl,
        Self::Json,
        Self::Arrow,
        Self::Parquet,
        Self::Npy,
    ];

    /// Returns the file extensions of the format, the usual one first.
    #[must_use]
    pub fn endings(self) -> &'static [&'static str] {
        let mut formats = ENDINGS.iter();
        let own = formats.find(|(format, _)| *format == self);
        own.map_or(&[], |(_, endings)| endings)
    }

    /// Returns the format with this file extension, ignoring case.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        let ending = ending.to_ascii_lowercase();
        let mut formats = ENDINGS.iter();
        let known = formats.find(|(_, endings)| endings.contains(&ending.as_str()));
        known.map(|(format, _)| *format)
    }

    /// Returns the format of an input file, by its extension. Text may be compressed: `.csv.gz`, `.jsonl.zst`.
    ///
    /// # Errors
    /// Fails if no format has the extension.
    pub fn of_input(file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref();
        Self::read_from(file).ok_or_else(|| {
            let what = format!(
                "{}: cannot determine the format from the name",
                file.display()
            );
            Error::invalid(what).with_hint("use --format csv, jsonl, json, arrow, parquet or npy")
        })
    }

    /// Returns the format of an output file, by its extension.
    ///
    /// # Errors
    /// Fails if no format has the extension.
    pub fn of_output(file: impl AsRef<Path>) -> Result<Self> {
        let file = file.as_ref();
        let Some(ending) = file.extension() else {
            let what = format!(
                "{}: cannot determine the format from the name",
                file.display()
            );
            return Err(Error::invalid(what)
                .with_hint("use --format csv, jsonl, json, arrow, parquet or npy"));
        };
        let known = ending.to_str().and_then(Self::of_ending);
        known.ok_or_else(|| {
            let (file, ending) = (file.display(), ending.display());
            let error = Error::invalid(format!("{file}: unknown extension .{ending}"));
            let known: Vec<String> = (ENDINGS.iter())
                .flat_map(|(_, endings)| endings.iter())
                .map(|ending| format!(".{ending}"))
                .collect();
            error.with_hint(format!("known extensions: {}", known.join(", ")))
        })
    }

    /// Fails if this build lacks the feature that the format needs.
    pub(super) fn check_built(self) -> Result<()> {
        let (is_built, feature) = match self {
            Self::Csv | Self::Jsonl | Self::Json | Self::Npy => (cfg!(feature = "text"), "text"),
            Self::Arrow | Self::Parquet => (cfg!(feature = "arrow"), "arrow"),
        };
        if is_built {
            return Ok(());
        }
        let ending = self.endings().first().copied().unwrap_or("");
        let what = format!("this build does not support .{ending} files");
        let error = Error::new(ErrorKind::Unsupported, what);
        Err(error.with_hint(format!("enable the feature `{feature}` of the crate tdb")))
    }

    fn read_from(file: &Path) -> Option<Self> {
        let inner = uncompressed(file);
        match inner.extension()?.to_str()? {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
            "json" => Some(Self::Json),
            _ if inner != file => None,
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "parquet" => Some(Self::Parquet),
            "npy" => Some(Self::Npy),
            _ => None,
        }
    }
}

/// Returns the file name without the extension of a compression.
pub(super) fn uncompressed(file: &Path) -> &Path {
    let is_compressed = file
        .extension()
        .is_some_and(|ending| ending == "gz" || ending == "zst");
    let inner = file.file_stem().filter(|_| is_compressed);
    inner.map_or(file, Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_read_by_the_endings_with_which_it_is_written() {
        for format in FileFormat::ALL {
            assert!(!format.endings().is_empty());
            for ending in format.endings() {
                let file = format!("x.{ending}");
                assert_eq!(FileFormat::of_output(&file).expect("known"), format);
                assert_eq!(FileFormat::of_input(&file).expect("known"), format);
            }
        }
    }

    #[test]
    fn only_text_may_be_compressed() {
        assert!(FileFormat::of_input("x.tsv.zst").is_ok());
        assert!(FileFormat::of_input("x.parquet.gz").is_err());
        assert!(FileFormat::of_output("x.csv.gz").is_err());
    }
}
