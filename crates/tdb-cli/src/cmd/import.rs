//! `tdb import`: creates an array from a file, or adds cells to one.

use clap::Args;
use tdb::engine::schema::json::{Times, schema_to_json};
use tdb::{Datatype, ImportBuilder, ImportNotice, ImportedCells};

use super::input::{InputArguments, typed};
use super::progress::Line;
use super::write::{DuplicateRule, Sorting};
use super::{change, write_json};
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, names};
use crate::output::Output;
use crate::paint::plural;
use crate::parse::{NamedInterval, interval};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb read fixtures/v22_tour/array -o target/tour.csv\n  \
    tdb import target/tour.csv target/tour --dim station,hour --dry-run\n  \
    tdb import target/tour.csv target/tour --dim station,hour\n  \
    tdb import target/tour.csv target/tour --append\n\n\
    The file is read twice: first to infer the types of its columns from all cells, then for the cells. In a sparse array, each \
    coordinate has one cell, unless rows of the file share coordinates: then all are kept, with a note. Dimensions of integers and dates \
    get the largest possible domain, so that later cells fit; dimensions of floats, and dense arrays, get the range in the \
    file.\n\nText may be compressed with gzip or zstd. The column that pandas writes without a name, the first one in CSV or \
    __index_level_0__ in Parquet, is called index; the index that pandas records in Parquet becomes the dimensions. Decimals need \
    --type: float64 keeps 15 digits, string_utf8 all.\n\n\
    The array appears only when it is complete. What a killed import leaves is removed by the same import or by tdb rm.\n\n\
    To change the schema, edit the output of --dry-run, create the array from it with tdb create, and write the cells with tdb write."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// URI of the array
    uri: String,
    /// Columns to use as dimensions [default: the first suitable one]
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    dim: Vec<Names>,
    /// Columns that identify a row: the dimensions, without duplicates; with --append, rows replace those with the same key, and
    /// attributes missing in the file keep their values
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true,
        conflicts_with_all = ["dim", "dense", "duplicates"]
    )]
    key: Vec<Names>,
    /// Create a dense array, whose cells must fill a box; without --dim its dimension is the row number
    #[arg(long, conflicts_with = "sparse")]
    dense: bool,
    /// Create a sparse array, the default for all files but .npy
    #[arg(long)]
    sparse: bool,
    /// Append the cells to an existing array
    #[arg(long, conflicts_with_all = ["dim", "dense", "sparse", "domain", "attr", "types", "dry_run"])]
    append: bool,
    /// Domain of a dimension; an open end (LO.., ..HI) is the limit of the datatype
    #[arg(long, value_name = "DIM=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    domain: Vec<NamedInterval>,
    /// Datatypes of columns, such as zip=string_ascii,day=datetime_day [default: inferred]
    #[arg(long = "type", value_name = "COL=T,...", value_parser = typed, allow_hyphen_values = true)]
    types: Vec<Vec<(String, Datatype)>>,
    /// Name of the attribute for a .npy file
    #[arg(long, value_name = "NAME", default_value = "value")]
    attr: String,
    /// Print the schema as JSON, without creating the array
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    sorting: Sorting,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let context = line.of(context(global)?);
    change::options(global)?;
    let file = arguments.input.file(global);
    let name = file.name();
    let import = arguments.import(context.import(file, &arguments.uri), global);
    let mut tell = |notice: &ImportNotice| {
        line.clear();
        if notice.is_warning() {
            out.warn(&notice.to_string());
        } else {
            out.note(&notice.to_string());
        }
    };
    if arguments.dry_run {
        let schema = import.schema_with(&mut tell)?;
        line.clear();
        let json = schema_to_json(&schema, schema.enumerations(), Times::Iso);
        return write_json(out, &json);
    }
    let imported = import.run_with(&mut tell)?;
    line.clear();
    global.note_zoned(&imported.zoned);
    if imported.cells == 0 {
        out.warn(&format!("{name}: there are no cells"));
    }
    out.note(&plural(imported.cells, "cell"));
    arguments.tell_lost(&imported, out);
    Ok(())
}

impl Arguments {
    fn import(&self, mut import: ImportBuilder, global: &Global) -> ImportBuilder {
        import = import
            .dimensions(self.dim.concat())
            .key(self.key.concat())
            .attribute(&self.attr);
        for NamedInterval { name, interval } in &self.domain {
            import = import.domain(name, interval.clone());
        }
        for (column, datatype) in self.types.iter().flatten() {
            import = import.datatype(column, *datatype);
        }
        if self.dense {
            import = import.dense();
        }
        if self.sparse {
            import = import.sparse();
        }
        if self.append {
            import = import.append();
        }
        if let Some(which) = self.sorting.duplicates {
            import = import.duplicates(which.into());
        }
        if let Some(size) = self.sorting.max_fragment {
            import = import.max_fragment(size.0);
        }
        match global.at() {
            Some(time) => import.at(time),
            None => import,
        }
    }

    /// Notes how many rows replaced others, or were left out, because of equal coordinates.
    fn tell_lost(&self, imported: &ImportedCells, out: &Output) {
        let keeps_first = self.sorting.duplicates == Some(DuplicateRule::First);
        if imported.replaced > 0 {
            let what = if keeps_first {
                "share coordinates with other rows: one row of each is kept"
            } else {
                "replaced cells with the same coordinates"
            };
            out.note(&format!("{} of them {what}", imported.replaced));
        }
        if imported.left_out > 0 {
            let what = "skipped: earlier rows have the same coordinates";
            out.note(&format!("{} {what}", plural(imported.left_out, "row")));
        }
    }
}
