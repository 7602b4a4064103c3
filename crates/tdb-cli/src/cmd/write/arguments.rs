//! Arguments of `tdb write`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tdb::{Duplicates, WriteOptions};
use tdb_write::WriteOrder;

use crate::cmd::input::InputArguments;
use crate::global::Global;
use crate::parse::{NamedInterval, Size, interval, size};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb read fixtures/v22_tour/array --range station=B..K -o target/bk.csv\n  \
    tdb write target/weather target/bk.csv\n  \
    tdb write target/weather target/bk.csv --replace\n\n\
    All cells become part of the array at once, or none."
)]
pub(crate) struct Arguments {
    /// An array
    pub(super) array: String,
    #[command(flatten)]
    pub(super) input: InputArguments,
    /// Dense arrays: the box to be written, the whole domain by default; one interval a dimension
    #[arg(long = "range", value_name = "DIM=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    pub(super) ranges: Vec<NamedInterval>,
    /// The same as JSON: {"DIM": [[LO, HI]]}
    #[arg(long, value_name = "FILE.json")]
    pub(super) range_file: Option<PathBuf>,
    /// The order of the cells; row for dense and any for sparse arrays by default
    #[arg(long, value_enum)]
    pub(super) order: Option<Order>,
    /// Enumerated attributes as their indexes
    #[arg(long)]
    pub(super) enum_codes: bool,
    /// Rows replace the cells of the same coordinates; attributes that the file lacks keep their values
    #[arg(long, conflicts_with_all = ["ranges", "range_file", "order"])]
    pub(crate) replace: bool,
    /// Read the file, say how many cells would be written or replaced, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(super) sorting: Sorting,
}

/// How cells that come in any order are sorted.
#[derive(Debug, Args)]
pub(crate) struct Sorting {
    /// What becomes of cells with the same coordinates; all are kept in arrays that allow it, else they are an error
    #[arg(long, value_enum)]
    pub(crate) duplicates: Option<Which>,
    /// Begin another fragment where one gets larger: 200MB, 2GiB
    #[arg(long, value_name = "SIZE", value_parser = fragment_size)]
    pub(crate) max_fragment: Option<Size>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// All are kept, in an array that allows it
    Keep,
    /// They are an error
    Error,
    /// The first of them is written
    First,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    /// Dense arrays: the last dimension changes fastest
    Row,
    /// Dense arrays: the first dimension changes fastest
    Col,
    /// As stored
    Global,
    /// Sparse arrays: any
    Any,
}

impl Sorting {
    pub(super) fn options(&self, global: &Global) -> WriteOptions {
        WriteOptions {
            timestamp: global.at().map(|moment| moment.0),
            duplicates: self.duplicates.map(Which::into),
            max_fragment_bytes: self.max_fragment.map(|size| size.0),
            ..WriteOptions::default()
        }
    }
}

impl From<Which> for Duplicates {
    fn from(which: Which) -> Self {
        match which {
            Which::Keep => Self::Keep,
            Which::Error => Self::Error,
            Which::First => Self::First,
        }
    }
}

/// Parses a fragment size, which must not be 0.
fn fragment_size(text: &str) -> Result<Size, String> {
    match size(text)? {
        Size(0) => Err("no fragment has 0 bytes".to_owned()),
        size => Ok(size),
    }
}

impl Order {
    pub(super) fn of_cells(self) -> WriteOrder {
        match self {
            Self::Row => WriteOrder::RowMajor,
            Self::Col => WriteOrder::ColumnMajor,
            Self::Global => WriteOrder::Global,
            Self::Any => WriteOrder::Unordered,
        }
    }
}
