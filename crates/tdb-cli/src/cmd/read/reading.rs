//! Options of the verbs that read cells.

use std::path::Path;

use clap::{Args, ValueEnum};
use tdb::engine::array::Array;
use tdb::engine::cells::files::{BatchWriter, OutputOptions};
use tdb::engine::cells::{FieldInfo, Session};
use tdb::engine::query::{Failing, ReadOptions, ResultOrder};
use tdb::engine::schema::ArraySchema;
use tdb::{Arrangement, FileFormat, OutputFile, SortKey};

use super::format::{Format, chosen_format};
use super::table::{OF_READ, TableWriter};
use super::vertical::VerticalWriter;
use crate::cmd::selection::Selection;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, joined, names};
use crate::output::Output;

/// Maximum bytes of a batch that is written; larger batches are not faster.
const BATCH: u64 = 32 << 20;

/// What is read, and how it is shown.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Attributes and dimension labels to read, in this order [default: all attributes]
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    pub(super) attrs: Vec<Names>,
    /// Dimensions to read, in this order [default: all]
    #[arg(
        long,
        value_name = "X,Y",
        value_parser = names,
        conflicts_with = "no_dims",
        allow_hyphen_values = true
    )]
    pub(super) dims: Vec<Names>,
    /// Read no dimensions
    #[arg(long)]
    pub(super) no_dims: bool,
    #[command(flatten)]
    pub(super) selection: Selection,
    /// Order of the result [default: row for dense, global for sparse arrays]
    #[arg(long, value_enum)]
    pub(super) order: Option<Order>,
    /// Sort by these fields; -A sorts descending; nulls come last
    #[arg(
        long,
        value_name = "A,-B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    pub(super) sort: Vec<Names>,
    /// Skip the first N cells
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) offset: u64,
    /// Dense arrays: keep cells that do not match --where, with fill values, as TileDB does
    #[arg(long)]
    pub(super) fill: bool,
    /// Leave out cells that do not match --where, which is the default
    #[arg(long, hide = true, conflicts_with = "fill")]
    pub(super) drop: bool,
    /// Return the indexes of enumerated attributes instead of their labels
    #[arg(long)]
    pub(super) enum_codes: bool,
    /// Return text as bytes, valid UTF-8 or not
    #[arg(long)]
    pub(super) binary_strings: bool,
    /// Format of the result [default: table on a terminal, otherwise csv]
    #[arg(long, value_enum)]
    pub(super) format: Option<Format>,
    /// Show all columns, even if the table is wider than the screen
    #[arg(long, conflicts_with = "vertical")]
    pub(super) wide: bool,
    /// Show each field of each cell on its own line
    #[arg(long)]
    pub(super) vertical: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Order {
    /// The last dimension changes fastest
    Row,
    /// The first dimension changes fastest
    Col,
    /// As stored
    Global,
    /// Whatever is fastest
    Any,
}

impl Reading {
    pub(super) fn format(&self, global: &Global, out: &Output) -> Result<Format, Failure> {
        if self.wide || self.vertical {
            return match self.format {
                None | Some(Format::Table) => Ok(Format::Table),
                _ => Err(Failure::invalid("--wide and --vertical are for tables")),
            };
        }
        chosen_format(self.format, global, out)
    }

    pub(super) fn read_options(
        &self,
        array: &Array,
        session: &Session,
        format: Format,
        global: &Global,
    ) -> Result<ReadOptions, Failure> {
        // An empty name means the attribute with the empty name, if the array has one; otherwise it is dropped.
        let anonymous = array.schema().field("").is_some();
        let named = |names: &Names| -> Names {
            let named = names.iter().filter(|name| anonymous || !name.is_empty());
            named.cloned().collect()
        };
        let (attrs, dims) = (joined(&self.attrs), joined(&self.dims));
        if format != Format::Table {
            check_distinct("--attrs", attrs.as_deref())?;
            check_distinct("--dims", dims.as_deref())?;
        }
        let without_dimensions = self.no_dims || (format == Format::Npy && dims.is_none());
        Ok((self.selection.read_options(array, session, global)?)
            .attributes(attrs.as_ref().map(named))
            .dimensions(match &dims {
                Some(dims) => Some(named(dims)),
                None => without_dimensions.then(Vec::new),
            })
            .order(self.order.map(Order::of_result))
            .failing(self.failing(format))
            .enumeration_codes(self.enum_codes)
            .batch_bytes(Some((session.limits().budget.limit() / 8).min(BATCH))))
    }

    /// Builds the arrangement: sort order, offset and the given `part` of the cells.
    pub(super) fn arrangement(
        &self,
        part: Arrangement,
        format: Format,
    ) -> Result<Arrangement, Failure> {
        let is_arranged = !self.sort.is_empty() || self.offset > 0 || part.takes_all();
        if format == Format::Npy && is_arranged {
            let what = "a .npy file stores all cells of a box, in their order";
            return Err(Failure::invalid(what).hint("use --range to choose the box"));
        }
        let keys = self
            .sort
            .iter()
            .flatten()
            .map(|key| SortKey::from(key.as_str()));
        Ok(part.with_sort(keys.collect()).with_offset(self.offset))
    }

    /// How cells of dense arrays that fail the condition are treated: formats that need a box without holes fill
    /// them.
    pub(super) fn failing(&self, format: Format) -> Failing {
        let fills = self.fill || (format == Format::Npy && !self.drop);
        if fills { Failing::Fill } else { Failing::Drop }
    }

    /// Refuses `--fill` for sparse arrays; warns if dropped cells leave no trace in the output.
    pub(super) fn check_condition(
        &self,
        schema: &ArraySchema,
        options: &ReadOptions,
        out: &Output,
    ) -> Result<(), Failure> {
        if self.fill && !schema.is_dense() {
            let what = "--fill is only for dense arrays";
            return Err(Failure::invalid(what));
        }
        let drops = options.looks_at_cells() && options.failing == Failing::Drop;
        if self.no_dims && drops && schema.is_dense() {
            out.warn(
                "without dimensions it is not visible which cells were left out: use --fill to keep their places",
            );
        }
        Ok(())
    }

    /// Creates the writer for human-readable output.
    pub(super) fn writer(
        &self,
        fields: &[FieldInfo],
        global: &Global,
        out: Output,
    ) -> Box<dyn BatchWriter> {
        let options = OutputOptions::default()
            .ticks(global.ticks)
            .binary_strings(self.binary_strings);
        if self.vertical {
            Box::new(VerticalWriter::new(out, fields, options))
        } else {
            Box::new(TableWriter::new(out, fields, options, self.wide, OF_READ))
        }
    }

    /// Describes the output file for the crate `tdb`.
    pub(super) fn file(&self, place: &Path, format: FileFormat, global: &Global) -> OutputFile {
        let file = OutputFile::new(place).format(format).ticks(global.ticks);
        file.binary_strings(self.binary_strings)
    }

    /// Format of the files in an output folder: as requested, by the folder's extension, or Parquet.
    pub(super) fn format_of_folder(&self, folder: &Path) -> Result<Format, Failure> {
        let by_name = || folder.extension().and_then(Format::of_ending);
        let format = self.format.or_else(by_name).unwrap_or(Format::Parquet);
        match format {
            Format::Table | Format::Npy => {
                let what = "a folder holds files of rows: csv, jsonl, json, arrow or parquet";
                Err(Failure::invalid(what))
            }
            Format::Csv | Format::Jsonl | Format::Json | Format::Arrow | Format::Parquet => {
                Ok(format)
            }
        }
    }
}

/// Fails if a name occurs twice, since columns of a file are identified by name.
fn check_distinct(option: &str, names: Option<&[String]>) -> Result<(), Failure> {
    let names = names.unwrap_or(&[]);
    let repeated = names
        .iter()
        .enumerate()
        .find(|(place, name)| names.iter().take(*place).any(|n| n == *name));
    match repeated {
        None => Ok(()),
        Some((_, name)) => {
            let failure = Failure::invalid(format!("{option} names {name:?} twice"));
            Err(failure
                .hint("the columns of a file have different names; a table can show one twice"))
        }
    }
}

impl Order {
    fn of_result(self) -> ResultOrder {
        match self {
            Self::Row => ResultOrder::RowMajor,
            Self::Col => ResultOrder::ColumnMajor,
            Self::Global => ResultOrder::Global,
            Self::Any => ResultOrder::Unordered,
        }
    }
}
