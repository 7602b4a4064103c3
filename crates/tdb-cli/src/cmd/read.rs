//! `tdb read`: the cells of an array.

mod others;
mod table;
mod vertical;

use std::ffi::OsStr;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use others::Others;
use table::TableWriter;
use tdb_array::Array;
use tdb_arrow::{IpcFileWriter, IpcStreamWriter, ParquetWriter};
use tdb_cells::files::{BatchWriter, OutputOptions};
use tdb_cells::{Column, FieldInfo, Session};
use tdb_query::{Failing, QueryError, ReadOptions, Reader, ResultOrder};
use tdb_schema::ArraySchema;
use tdb_text::{CsvWriter, JsonLinesWriter, NpyWriter};
use vertical::VerticalWriter;

use super::selection::Selection;
use super::{open_location, shape};
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::{Arrangement, SortKey, place};

/// Bytes of a batch that is written: larger ones gain nothing.
const BATCH: u64 = 32 << 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb read fixtures/v22_tour/array --limit 5\n  tdb read fixtures/v22_tour/array --where \"sky = 'snow'\" --attrs sky,remark\n  tdb read fixtures/v22_tour/array --range station=B..K -o target/bk.parquet"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// At most so many cells, of those for which --where holds
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<u64>,
    /// The last so many cells
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "offset"])]
    tail: Option<u64>,
    #[command(flatten)]
    reading: Reading,
}

/// `tdb sample`: some cells, chosen at random.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb sample fixtures/v22_tour/array 5\n  tdb sample fixtures/v22_tour/array 3 --seed 7 --attrs sky --sort sky"
)]
pub(crate) struct SampleArguments {
    /// An array
    array: String,
    /// How many cells; each is as likely as any other
    #[arg(value_name = "N")]
    cells: u64,
    /// Another number chooses others, the same one the same
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    reading: Reading,
}

/// `tdb head`: the first cells.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb head fixtures/v22_tour/array\n  tdb head fixtures/v22_tour/array 3 --attrs sky"
)]
pub(crate) struct HeadArguments {
    /// An array
    array: String,
    /// How many cells
    #[arg(value_name = "N", default_value_t = 10)]
    cells: u64,
    #[command(flatten)]
    reading: Reading,
}

/// `tdb export`: cells into a file.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb export fixtures/v22_tour/array target/tour.parquet\n  tdb export fixtures/v22_tour/array target/bk.csv --range station=B..K\n\n\
    The file appears whole or not at all; its ending says the format."
)]
pub(crate) struct ExportArguments {
    /// An array
    array: String,
    /// The file: .csv, .jsonl, .arrow, .parquet, .npy or .txt
    #[arg(allow_hyphen_values = true)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

/// What is read, and how it is shown.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// Attributes, in this order; all by default
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    attrs: Option<Vec<String>>,
    /// Dimensions; all by default
    #[arg(
        long,
        value_name = "X,Y",
        value_delimiter = ',',
        conflicts_with = "no_dims",
        allow_hyphen_values = true
    )]
    dims: Option<Vec<String>>,
    /// No dimensions
    #[arg(long)]
    no_dims: bool,
    #[command(flatten)]
    selection: Selection,
    /// The order of the result; row for dense and global for sparse arrays by default
    #[arg(long, value_enum)]
    order: Option<Order>,
    /// By the values of these fields; with -A from the greatest on; null comes last
    #[arg(
        long,
        value_name = "A,-B",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    sort: Vec<String>,
    /// Leave the first so many cells out
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    offset: u64,
    /// Keep the cells of a dense array for which --where fails, with fill values, as TileDB does
    #[arg(long)]
    fill: bool,
    /// Leave those cells out, which is the default
    #[arg(long, hide = true, conflicts_with = "fill")]
    drop: bool,
    /// Enumerated attributes as their indexes
    #[arg(long)]
    enum_codes: bool,
    /// Text as bytes, whether it is UTF-8 or not
    #[arg(long)]
    binary_strings: bool,
    /// Format of the result; on a terminal table, else csv by default
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// A table of all columns, though it is wider than the screen
    #[arg(long, conflicts_with = "vertical")]
    wide: bool,
    /// A line for each field of each cell
    #[arg(long)]
    vertical: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// The last dimension changes fastest
    Row,
    /// The first dimension changes fastest
    Col,
    /// As stored
    Global,
    /// Whatever is fastest
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
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

pub(crate) fn run(arguments: Arguments, global: &Global, out: Output) -> Result<(), Failure> {
    let Arguments {
        array,
        limit,
        tail,
        reading,
    } = arguments;
    let part = Arrangement::default().with_limit(limit).with_tail(tail);
    read(&array, part, &reading, global, out)
}

pub(crate) fn head(arguments: HeadArguments, global: &Global, out: Output) -> Result<(), Failure> {
    let HeadArguments {
        array,
        cells,
        mut reading,
    } = arguments;
    // The first cells as they are stored lie in the first tiles; those of another order in many.
    let asks = reading.order.is_some() || reading.selection.names_ranges();
    reading.order = reading.order.or((!asks).then_some(Order::Global));
    let part = Arrangement::default().with_limit(Some(cells));
    read(&array, part, &reading, global, out)
}

pub(crate) fn sample(
    arguments: SampleArguments,
    global: &Global,
    out: Output,
) -> Result<(), Failure> {
    let SampleArguments {
        array,
        cells,
        seed,
        reading,
    } = arguments;
    let part = Arrangement::default().with_sample(Some((cells, seed)));
    read(&array, part, &reading, global, out)
}

/// Reads into the file of `global.output`, which is that of the arguments.
pub(crate) fn export(
    arguments: ExportArguments,
    global: &Global,
    out: Output,
) -> Result<(), Failure> {
    let ExportArguments {
        array,
        file,
        reading,
    } = arguments;
    if file.extension().is_none() && reading.format.is_none() {
        let what = format!("{}: the name does not tell the format", file.display());
        let failure = Failure::invalid(what);
        return Err(failure.hint("--format csv, jsonl, arrow, parquet, npy or table"));
    }
    read(&array, Arrangement::default(), &reading, global, out)
}

fn read(
    uri: &str,
    part: Arrangement,
    arguments: &Reading,
    global: &Global,
    out: Output,
) -> Result<(), Failure> {
    let format = arguments.format(global, &out)?;
    let session = session(global);
    let location = place::array(uri, &global.counts)?;
    let mut open = Opening::new(global, &session)?;
    open.options.without_fragments = arguments.selection.without_fragments.clone();
    let others = Others {
        location: &location,
        open: &open,
        session: &session,
        read: &|array| arguments.read_options(array, &session, format, global),
    };
    let unread = |error: QueryError| {
        let damaged = error.damaged_fragment().map(str::to_owned);
        others.explain(error, damaged)
    };
    let array = open_location(&location, &open, global, &out).map_err(|error| {
        let damaged = error.damaged_fragment().map(str::to_owned);
        others.explain(error, damaged)
    })?;
    let array = Arc::new(array);
    arguments.selection.warn_of_left_out(&array, &out);
    let mut options = arguments.read_options(&array, &session, format, global)?;
    let mut arrangement = arguments.arrangement(part, format)?;
    let screen = out.look.height.filter(|_| format == Format::Table);
    if let Some(height) = screen {
        // One more than is shown tells whether there are more.
        let shown = (height as u64).saturating_add(1);
        arrangement.limit = Some(arrangement.limit.unwrap_or(u64::MAX).min(shown));
    }
    let prepared = arrangement.prepare(array.schema(), &mut options)?;
    let failed = |failure: Failure| failure.at(uri);
    let counts = &global.counts;
    arguments.check_condition(array.schema(), &options, &out)?;
    let reader = Reader::open(&session, &array, &options);
    let mut reader = reader.map_err(unread)?;
    for warning in reader.warnings() {
        out.warn(warning);
    }
    let messages = out.messages();
    let fields = prepared.fields(reader.fields());
    let shape = match format {
        Format::Npy => shape::of_result(array.schema(), &options)?,
        _ => Vec::new(),
    };
    let mut writer = arguments.writer(format, &fields, &shape, global, out)?;
    let read = reader.by_ref().map(|batch| batch.map_err(unread));
    for batch in prepared.apply(&session, read) {
        let batch = batch?;
        let size = |column: &Column| column.values.len();
        counts.result(batch.rows, batch.columns.iter().map(size).sum());
        let written = counts.stage("write", || writer.write(&batch));
        written.map_err(|error| failed(error.into()))?;
    }
    let finished = counts.stage("write", || writer.finish());
    finished.map_err(|error| failed(error.into()))?;
    if format == Format::Npy && options.condition.is_some() {
        let (filled, all) = (reader.filled(), shape.iter().product::<u64>());
        messages.note(&format!(
            "--where fails for {filled} of {all} cells: they have the fill value"
        ));
    }
    Ok(())
}

impl Reading {
    fn format(&self, global: &Global, out: &Output) -> Result<Format, Failure> {
        if self.wide || self.vertical {
            return match self.format {
                None | Some(Format::Table) => Ok(Format::Table),
                _ => Err(Failure::invalid("--wide and --vertical are for tables")),
            };
        }
        if let Some(format) = self.format {
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

    fn read_options(
        &self,
        array: &Array,
        session: &Session,
        format: Format,
        global: &Global,
    ) -> Result<ReadOptions, Failure> {
        // An empty name is that of an attribute without one, or else none at all.
        let anonymous = array.schema().field("").is_some();
        let names = |names: &Vec<String>| -> Vec<String> {
            let named = names.iter().filter(|name| anonymous || !name.is_empty());
            named.cloned().collect()
        };
        let without_dimensions = self.no_dims || (format == Format::Npy && self.dims.is_none());
        Ok(ReadOptions {
            attributes: self.attrs.as_ref().map(names),
            dimensions: match &self.dims {
                Some(dims) => Some(names(dims)),
                None => without_dimensions.then(Vec::new),
            },
            order: self.order.map(Order::of_result),
            failing: self.failing(format),
            enumeration_codes: self.enum_codes,
            batch_bytes: Some((session.limits().budget.limit() / 8).min(BATCH)),
            ..self.selection.read_options(array, session, global)?
        })
    }

    /// The order and the part of the cells that are asked for.
    fn arrangement(&self, part: Arrangement, format: Format) -> Result<Arrangement, Failure> {
        let is_arranged = !self.sort.is_empty() || self.offset > 0 || part.takes_all();
        if format == Format::Npy && is_arranged {
            let what = "a .npy file holds all cells of a box, in their order";
            return Err(Failure::invalid(what).hint("choose the box with --range"));
        }
        let keys = self.sort.iter().map(|key| SortKey::from(key.as_str()));
        Ok(part.with_sort(keys.collect()).with_offset(self.offset))
    }

    /// What becomes of cells of dense arrays for which `--where` fails: a box without holes keeps them.
    fn failing(&self, format: Format) -> Failing {
        let fills = self.fill || (format == Format::Npy && !self.drop);
        if fills { Failing::Fill } else { Failing::Drop }
    }

    /// Refuses `--fill` where there is no place to fill; warns where nobody can tell what was left out.
    fn check_condition(
        &self,
        schema: &ArraySchema,
        options: &ReadOptions,
        out: &Output,
    ) -> Result<(), Failure> {
        if self.fill && !schema.is_dense() {
            let what = "--fill is for dense arrays: cells of a sparse one have no places to keep";
            return Err(Failure::invalid(what));
        }
        let drops = options.condition.is_some() && options.failing == Failing::Drop;
        if self.no_dims && drops && schema.is_dense() {
            out.warn(
                "without dimensions, what --where leaves out does not show: --fill keeps the places",
            );
        }
        Ok(())
    }

    fn writer(
        &self,
        format: Format,
        fields: &[FieldInfo],
        shape: &[u64],
        global: &Global,
        out: Output,
    ) -> Result<Box<dyn BatchWriter>, Failure> {
        let options = OutputOptions {
            ticks: global.ticks,
            binary_strings: self.binary_strings,
        };
        let is_file = out.is_file;
        let to = |out: Output| -> BufWriter<Box<dyn Write + Send>> { out.into_writer() };
        Ok(match format {
            Format::Table if self.vertical => Box::new(VerticalWriter::new(out, fields, options)),
            Format::Table => Box::new(TableWriter::new(out, fields, options, self.wide)),
            Format::Csv => Box::new(CsvWriter::try_new(to(out), fields, options)?),
            Format::Jsonl => Box::new(JsonLinesWriter::try_new(to(out), fields, options)?),
            Format::Arrow if is_file => Box::new(IpcFileWriter::try_new(to(out), fields, options)?),
            Format::Arrow => Box::new(IpcStreamWriter::try_new(to(out), fields, options)?),
            Format::Parquet => Box::new(ParquetWriter::try_new(to(out), fields, options)?),
            Format::Npy => Box::new(NpyWriter::try_new(to(out), fields, shape)?),
        })
    }
}

impl Format {
    /// The format that a file's ending stands for.
    fn of_ending(ending: &OsStr) -> Option<Self> {
        let ending = ending.to_str()?.to_ascii_lowercase();
        let mut formats = ENDINGS.iter();
        let known = formats.find(|(_, endings)| endings.contains(&ending.as_str()));
        known.map(|(format, _)| *format)
    }
}

/// A file's ending that no format has.
fn no_format(global: &Global, ending: &OsStr) -> Failure {
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
