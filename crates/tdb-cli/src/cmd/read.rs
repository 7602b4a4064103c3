//! `tdb read`, `head`, `sample` and `export`: read cells of an array.

mod format;
mod reading;
mod sound_fragments;
pub(super) mod table;
mod vertical;

use std::path::{Path, PathBuf};

use clap::Args;
pub(super) use format::Format;
#[cfg(feature = "sql")]
pub(super) use format::chosen_format;
use reading::{Order, Reading};
use sound_fragments::SoundFragments;
use tdb::engine::cells::FieldInfo;
use tdb::engine::schema::ArraySchema;
use tdb::{Arrangement, Batches, ExportedCells, OutputFile, place};

use super::progress::Line;
use super::selection::walked;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, names};
use crate::open::Opener;
use crate::output::{Messages, Output};
use crate::paint::{plural, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb read fixtures/v22_tour/array --limit 5\n  tdb read fixtures/v22_tour/array --where \"sky = 'snow'\" --attrs sky,remark\n  tdb read fixtures/v22_tour/array --range station=B..K -o target/bk.parquet"
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    /// Maximum number of cells, of those that match --where
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<u64>,
    /// Read the last N cells
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "offset"])]
    tail: Option<u64>,
    #[command(flatten)]
    reading: Reading,
}

/// `tdb sample`: some cells, chosen at random.
#[derive(Debug, Args)]
#[command(
    mut_arg("offset", |arg| arg.hide(true)),
    after_help = "Examples:\n  tdb sample fixtures/v22_tour/array 5\n  tdb sample fixtures/v22_tour/array 3 --seed 7 --attrs sky --sort sky"
)]
pub(crate) struct SampleArguments {
    /// An array
    array: String,
    /// Number of cells, chosen uniformly at random
    #[arg(value_name = "N")]
    cells: u64,
    /// Seed of the random choice; the same seed chooses the same cells
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
    /// Number of cells
    #[arg(value_name = "N", default_value_t = 10)]
    cells: u64,
    #[command(flatten)]
    reading: Reading,
}

/// `tdb export`: cells into a file.
#[derive(Debug, Args)]
#[command(
    mut_arg("wide", |arg| arg.hide(true)),
    mut_arg("vertical", |arg| arg.hide(true)),
    after_help = "Examples:\n  tdb export fixtures/v22_tour/array target/tour.parquet\n  tdb export fixtures/v22_tour/array target/bk.csv --range station=B..K\n  \
    tdb export fixtures/v22_tour/array target/stations --partition-by station\n\n\
    The file or folder appears only when it is complete. The extension determines the format."
)]
pub(crate) struct ExportArguments {
    /// An array
    array: String,
    /// The file: .csv, .jsonl, .json, .arrow, .parquet, .npy or .txt
    #[arg(allow_hyphen_values = true)]
    pub(crate) file: PathBuf,
    /// Maximum number of cells, of those that match --where
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<u64>,
    /// Read the last N cells
    #[arg(long, value_name = "N", conflicts_with_all = ["limit", "offset"])]
    tail: Option<u64>,
    /// Write a folder of files, one or more per value of these fields: FIELD=VALUE/part-00000.parquet
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    partition_by: Vec<Names>,
    /// Write a folder of files with at most N cells each
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_rows: Option<u64>,
    #[command(flatten)]
    reading: Reading,
}

impl ExportArguments {
    /// True if the cells are written to several files in a folder.
    pub(crate) fn is_folder(&self) -> bool {
        !self.partition_by.is_empty() || self.max_rows.is_some()
    }
}

pub(crate) fn run(arguments: Arguments, global: &Global, out: Output) -> Result<(), Failure> {
    let Arguments {
        array,
        limit,
        tail,
        reading,
    } = arguments;
    let part = Arrangement::default().with_limit(limit).with_tail(tail);
    read(&array, part, &reading, None, global, out)
}

pub(crate) fn head(arguments: HeadArguments, global: &Global, out: Output) -> Result<(), Failure> {
    let HeadArguments {
        array,
        cells,
        mut reading,
    } = arguments;
    // In storage order the first cells are in the first tiles; in another order they may be spread over many.
    let asks = reading.order.is_some() || reading.selection.names_ranges();
    reading.order = reading.order.or((!asks).then_some(Order::Global));
    let part = Arrangement::default().with_limit(Some(cells));
    read(&array, part, &reading, None, global, out)
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
    if reading.offset > 0 {
        let failure = Failure::invalid("--offset cannot be used with sample");
        return Err(failure.hint("use --seed to choose other cells"));
    }
    let part = Arrangement::default().with_sample(Some((cells, seed)));
    read(&array, part, &reading, None, global, out)
}

/// Reads cells into the file `global.output`, which was taken from the arguments.
pub(crate) fn export(
    arguments: ExportArguments,
    global: &Global,
    out: Output,
) -> Result<(), Failure> {
    let is_folder = arguments.is_folder();
    let ExportArguments {
        array,
        file,
        limit,
        tail,
        partition_by,
        max_rows,
        mut reading,
    } = arguments;
    if reading.wide || reading.vertical {
        let option = if reading.wide { "--wide" } else { "--vertical" };
        let failure = Failure::invalid(format!("{option} cannot be used with export"));
        return Err(failure.hint("use tdb read to print tables"));
    }
    let part = Arrangement::default().with_limit(limit).with_tail(tail);
    if is_folder {
        let format = reading.format_of_folder(&file)?;
        reading.format = Some(format);
        let spread = Spread {
            place: file,
            by: partition_by.concat(),
            max_rows,
        };
        return read(&array, part, &reading, Some(&spread), global, out);
    }
    if file.extension().is_none() && reading.format.is_none() {
        let what = format!(
            "{}: cannot determine the format from the name",
            file.display()
        );
        let failure = Failure::invalid(what);
        return Err(failure.hint("use --format csv, jsonl, json, arrow, parquet, npy or table"));
    }
    read(&array, part, &reading, None, global, out)
}

/// An output folder with several files.
struct Spread {
    place: PathBuf,
    by: Vec<String>,
    max_rows: Option<u64>,
}

fn read(
    uri: &str,
    part: Arrangement,
    arguments: &Reading,
    spread: Option<&Spread>,
    global: &Global,
    out: Output,
) -> Result<(), Failure> {
    let format = arguments.format(global, &out)?;
    let line = Line::new(global);
    let mut context = context(global)?;
    if out.is_file || spread.is_some() {
        context = line.of(context);
    }
    let location = place::folder(uri, &global.counts)?;
    let opener = Opener::of_arguments(context, global)
        .without_fragments(arguments.selection.without_fragments.clone());
    let session = opener.session();
    let sound = SoundFragments {
        location: &location,
        opener: &opener,
        read: &|array| arguments.read_options(array, session, format, global),
    };
    let array = opener
        .shown_array(&location, global, &out)
        .map_err(|error| sound.explain(error))?;
    arguments.selection.warn_of_left_out(array.engine(), &out);
    let mut options = arguments.read_options(array.engine(), session, format, global)?;
    let mut arrangement = arguments.arrangement(part, format)?;
    if let Some(height) = out.look.height.filter(|_| format == Format::Table) {
        // One cell more than fits on the screen shows whether there are more.
        let shown = (height as u64).saturating_add(1);
        arrangement.limit = Some(arrangement.limit.map_or(shown, |limit| limit.min(shown)));
    }
    arguments.check_condition(array.schema(), &options, &out)?;
    // The first N cells are found without scanning the others.
    let first = arrangement
        .limit
        .filter(|_| !arrangement.takes_all())
        .and_then(|limit| limit.checked_add(arrangement.offset));
    if options.looks_at_cells() || first.is_none_or(|cells| cells > tdb::MOST_WALKED) {
        walked(array.engine(), &mut options, global, &out)?;
    }
    let looks = options
        .looks_at_cells()
        .then_some((options.condition.is_some(), options.points.is_some()));
    if spread.is_some() {
        options.batch_bytes = Some(tdb::batch_bytes_of_folder(session));
    }
    let read = array.read().with_options(options).arranged(arrangement);
    let unread = |error| sound.explain(error);
    let batches = read.batches().map_err(unread)?;
    for warning in batches.warnings() {
        out.warn(warning);
    }
    if out.is_file || spread.is_some() {
        tell_labels(array.schema(), batches.fields(), &out);
    }
    let messages = out.messages();
    let exported = write(batches, arguments, format, spread, global, out);
    line.clear();
    let exported = exported.map_err(unread)?;
    global.counts.result(exported.cells, exported.bytes);
    if let Some(spread) = spread {
        messages.note(&files_in_words(&exported, &spread.place));
    }
    if let Some(looks) = looks.filter(|_| format == Format::Npy) {
        tell_filled(&exported, looks, messages);
    }
    Ok(())
}

/// Writes the cells to standard output, a file, or a folder.
fn write(
    batches: Batches,
    arguments: &Reading,
    format: Format,
    spread: Option<&Spread>,
    global: &Global,
    out: Output,
) -> tdb::Result<ExportedCells> {
    let Some(of_file) = format.of_file() else {
        return batches.write_with(|fields| Ok(arguments.writer(fields, global, out)));
    };
    if let Some(spread) = spread {
        let mut file = arguments.file(&spread.place, of_file, global);
        file = file.partition_by(&spread.by);
        if let Some(rows) = spread.max_rows {
            file = file.max_rows(rows);
        }
        return batches.export(file);
    }
    let place = global.output.as_deref().unwrap_or(Path::new("output"));
    let mut file: OutputFile = arguments.file(place, of_file, global);
    if !out.is_file {
        file = file.stream();
    }
    batches.write_to(out.into_writer(), &file)
}

/// Warns about dimension labels that the output file lacks, since they are stored in arrays of their own.
fn tell_labels(schema: &ArraySchema, fields: &[FieldInfo], out: &Output) {
    let names = schema.labels.iter().map(|label| label.name.as_str());
    let is_lacking = |name: &&str| fields.iter().all(|field| field.name != *name);
    let names: Vec<&str> = names.filter(is_lacking).collect();
    if !names.is_empty() {
        let labels = names.join(", ");
        out.warn(&format!(
            "the file does not contain the dimension labels {labels}, nor will an array imported from it; use --attrs to add them as columns"
        ));
    }
}

/// Describes the files written to a folder.
fn files_in_words(exported: &ExportedCells, place: &Path) -> String {
    let files = plural(exported.files, "file");
    if exported.folders > 0 {
        format!("{files} in {}", plural(exported.folders, "folder"))
    } else {
        format!(
            "{files} in the folder {}",
            visible(&place.display().to_string())
        )
    }
}

/// Notes how many cells of a box contain fill values, because the condition fails or no point matches.
fn tell_filled(exported: &ExportedCells, (condition, points): (bool, bool), messages: Messages) {
    let why = match (condition, points) {
        (true, false) => "do not match --where",
        (false, _) => "are at none of the --points",
        (true, true) => "do not match --where, or are at none of the --points,",
    };
    let (filled, all) = (exported.filled, exported.cells);
    messages.note(&format!(
        "{filled} of {all} cells {why} and have the fill value"
    ));
}
