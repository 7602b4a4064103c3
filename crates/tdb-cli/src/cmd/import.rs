//! `tdb import`: creates an array from a file, or adds cells to one.

use clap::Args;
use tdb::{Datatype, ImportBuilder, ImportNotice, Imported};
use tdb_schema::json::{Times, schema_to_json};

use super::input::{InputArguments, typed};
use super::progress::Line;
use super::write::{Sorting, Which};
use super::write_json;
use crate::access::{Change, context};
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
    The file is read twice: first for the types of its columns, which hold every cell, then for the cells. A sparse \
    array has one cell for each place, unless rows of the file share one: then all are kept, which is said. It takes whatever later \
    cells its dimensions can have; a dimension of floats, and a dense array, goes from the least to the greatest of the \
    file.\n\nText may be compressed with gzip or zstd. What \
    pandas leaves without a name in the first column of CSV, or as __index_level_0__ in Parquet, is called index; what it says is \
    its index in Parquet becomes the dimensions. Decimals take --type: float64 keeps 15 digits, string_utf8 all.\n\n\
    There is no array before all cells are there. What an import that was killed leaves is none, and goes when the same import is \
    run again, or by tdb rm.\n\n\
    What --dry-run prints can be changed and given to tdb create; tdb write takes the cells then."
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    /// Where the array is to be
    uri: String,
    /// The columns that are dimensions; by default the first that can be one
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true
    )]
    dim: Vec<Names>,
    /// The columns that tell rows apart: the dimensions, and no two cells have the same; with --append, rows replace those of
    /// the same key, and attributes that the file lacks keep their values
    #[arg(
        long,
        value_name = "A,B",
        value_parser = names,
        allow_hyphen_values = true,
        conflicts_with_all = ["dim", "dense", "duplicates"]
    )]
    key: Vec<Names>,
    /// A dense array: its cells fill a box; without --dim its dimension is the number of the row
    #[arg(long, conflicts_with = "sparse")]
    dense: bool,
    /// A sparse array, which is what files other than .npy make by default
    #[arg(long)]
    sparse: bool,
    /// Add the cells to an array that is there
    #[arg(long, conflicts_with_all = ["dim", "dense", "sparse", "domain", "attr", "types", "dry_run"])]
    append: bool,
    /// The domain of a dimension; LO.. and ..HI leave an end where it can be at most
    #[arg(long, value_name = "DIM=LO..HI", value_parser = interval, allow_hyphen_values = true)]
    domain: Vec<NamedInterval>,
    /// The datatypes of columns, which are guessed by default: zip=string_ascii,day=datetime_day
    #[arg(long = "type", value_name = "COL=T,...", value_parser = typed, allow_hyphen_values = true)]
    types: Vec<Vec<(String, Datatype)>>,
    /// The name of the attribute that a .npy file makes
    #[arg(long, value_name = "NAME", default_value = "value")]
    attr: String,
    /// Print the schema as JSON, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    sorting: Sorting,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let context = line.of(context(global)?);
    Change::new(global, context.shared_session())?;
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
    fn tell_lost(&self, imported: &Imported, out: &Output) {
        let keeps_first = self.sorting.duplicates == Some(Which::First);
        if imported.replaced > 0 {
            let what = if keeps_first {
                "share their coordinates with others, of which one is there"
            } else {
                "replaced others of the same coordinates"
            };
            out.note(&format!("{} of them {what}", imported.replaced));
        }
        if imported.left_out > 0 {
            let what = "left out: earlier ones have the same coordinates";
            out.note(&format!("{} {what}", plural(imported.left_out, "row")));
        }
    }
}
