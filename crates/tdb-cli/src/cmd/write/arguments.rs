//! Arguments of `tdb write`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tdb::engine::write::WriteOrder;
use tdb::{Duplicates, WriteOptions};

use crate::cmd::input::InputArguments;
use crate::global::Global;
use crate::parse::{NamedInterval, Size, interval, size};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb read fixtures/v22_tour/array --range station=B..K -o target/bk.csv\n  \
    tdb write target/weather target/bk.csv\n  \
    tdb write target/weather target/bk.csv --replace\n\n\
    The write is atomic: either all cells become visible, or none."
)]
pub(crate) struct Arguments {
    /// An array
    pub(super) array: String,
    #[command(flatten)]
    pub(super) input: InputArguments,
    /// Dense arrays: box to write, one interval per dimension [default: the whole domain]
    #[arg(long = "range", value_name = "DIM=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    pub(super) ranges: Vec<NamedInterval>,
    /// Read the box from a JSON file: {"DIM": [[LO, HI]]}
    #[arg(long, value_name = "FILE.json")]
    pub(super) range_file: Option<PathBuf>,
    /// Order of the cells in the file [default: row for dense, any for sparse arrays]
    #[arg(long, value_enum)]
    pub(super) order: Option<Order>,
    /// The file has indexes of enumerated attributes instead of labels
    #[arg(long)]
    pub(super) enum_codes: bool,
    /// Replace cells with the same coordinates; attributes missing in the file keep their values
    #[arg(long, conflicts_with_all = ["ranges", "range_file", "order"])]
    pub(crate) replace: bool,
    /// Read the file and print how many cells would be written or replaced, without writing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(super) sorting: Sorting,
}

/// How cells that come in any order are sorted.
#[derive(Debug, Args)]
pub(crate) struct Sorting {
    /// How to treat cells with the same coordinates [default: keep all if the array allows it, else fail]
    #[arg(long, value_enum)]
    pub(crate) duplicates: Option<DuplicateRule>,
    /// Maximum size of a fragment; larger writes are split: 200MB, 2GiB
    #[arg(long, value_name = "SIZE", value_parser = fragment_size)]
    pub(crate) max_fragment: Option<Size>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DuplicateRule {
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
    /// Sparse arrays: in any order
    Any,
}

impl Sorting {
    pub(super) fn options(&self, global: &Global) -> WriteOptions {
        WriteOptions::default()
            .timestamp(global.at().map(|moment| moment.0))
            .duplicates(self.duplicates.map(DuplicateRule::into))
            .max_fragment_bytes(self.max_fragment.map(|size| size.0))
    }
}

impl From<DuplicateRule> for Duplicates {
    fn from(which: DuplicateRule) -> Self {
        match which {
            DuplicateRule::Keep => Self::Keep,
            DuplicateRule::Error => Self::Error,
            DuplicateRule::First => Self::First,
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
