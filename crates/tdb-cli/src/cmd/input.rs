//! Files of cells, as verbs that write take them.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tdb_array::ErrorKind;
use tdb_arrow::{CsvInput, Input, InputError, InputOptions, JsonLinesInput};
use tdb_query::Session;

use crate::args::Global;
use crate::failure::Failure;

/// What of a batch is in memory at a time.
const BATCH: u64 = 8 << 20;

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
}

/// A format that cells are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values, with names in the first line
    Csv,
    /// JSON lines
    Jsonl,
}

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

    /// Opens the file as far as the names of its columns.
    pub(crate) fn open(
        &self,
        global: &Global,
        session: &Session,
    ) -> Result<Box<dyn Input>, Failure> {
        let format = self.format()?;
        let is_tsv = self.file.extension().is_some_and(|ending| ending == "tsv");
        let memory = session.limits().budget.limit();
        let options = InputOptions {
            ticks: global.ticks,
            delimiter: self.delimiter.unwrap_or(if is_tsv { b'\t' } else { b',' }),
            batch_bytes: usize::try_from(BATCH.min(memory / 32)).unwrap_or(usize::MAX),
            ..InputOptions::default()
        };
        let input = self.bytes()?;
        let input: Result<Box<dyn Input>, InputError> = match format {
            Format::Csv => CsvInput::try_new(input, options).map(|input| Box::new(input) as _),
            Format::Jsonl => {
                JsonLinesInput::try_new(input, options).map(|input| Box::new(input) as _)
            }
        };
        input.map_err(|error| self.failed(error))
    }

    /// The failure, with the name of the file in front.
    pub(crate) fn failed(&self, error: InputError) -> Failure {
        Failure::from(error).within(&self.name())
    }

    fn format(&self) -> Result<Format, Failure> {
        let named = || Format::of_file(&self.file);
        self.format.or_else(named).ok_or_else(|| {
            let what = format!("{}: the name does not tell the format", self.name());
            Failure::invalid(what).hint("--format csv, jsonl")
        })
    }

    fn bytes(&self) -> Result<Box<dyn Read + Send>, Failure> {
        if self.is_standard_input() {
            return Ok(Box::new(io::stdin()));
        }
        let file = File::open(&self.file).and_then(|file| {
            let is_folder = file.metadata()?.is_dir();
            (!is_folder)
                .then_some(file)
                .ok_or_else(|| io::ErrorKind::IsADirectory.into())
        });
        let file = file.map_err(|error| {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                _ => ErrorKind::Store,
            };
            Failure::new(kind, error).within(&self.name())
        })?;
        Ok(Box::new(file))
    }
}

impl Format {
    /// The format that a file's ending stands for.
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" | "tsv" => Some(Self::Csv),
            "jsonl" | "ndjson" => Some(Self::Jsonl),
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
