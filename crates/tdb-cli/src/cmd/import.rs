//! `tdb import`: a new array from a file.

mod field;
mod layout;
mod remembered;
mod repeated;
mod schema;

use std::fs::File;
use std::sync::Arc;

use clap::Args;
use repeated::repeated;
use schema::{Kind, Wanted};
use tdb_aggregate::count_cells;
use tdb_array::{Array, Contents, ErrorKind, ObjectType, OpenOptions};
use tdb_cells::Session;
use tdb_cells::files::ColumnGuess;
use tdb_query::ReadOptions;
use tdb_schema::json::{Times, schema_to_json};
use tdb_schema::{ArraySchema, Enumeration};
use tdb_tile::Datatype;

use super::input::{Becoming, InputArguments, OpenInput, typed};
use super::progress::Progress;
use super::write::{NotWritten, Sorting, Which, Writing, fit_shape, label, row_in_words};
use super::{change, create, write_json};
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::plural;
use crate::parse::{NamedInterval, interval};
use tdb::place::{self, Place};

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
    pandas leaves without a name in the first column of CSV, or as __index_level_0__ in Parquet, is called index.\n\n\
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
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    dim: Vec<String>,
    /// The columns that tell rows apart: the dimensions, and no two cells have the same; with --append, rows replace those of
    /// the same key
    #[arg(
        long,
        value_name = "A,B",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with_all = ["dim", "dense", "duplicates"]
    )]
    key: Vec<String>,
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
    /// The datatype of a column, which is guessed by default: zip=string_ascii, day=datetime_day
    #[arg(long = "type", value_name = "COL=T", value_parser = typed, allow_hyphen_values = true)]
    types: Vec<(String, Datatype)>,
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
    let session = session(global);
    let change = Change::new(global, &session)?;
    let import = Import {
        arguments,
        global,
        session: &session,
        change: &change,
    };
    if arguments.append {
        import.append(out)
    } else {
        import.make(out)
    }
}

struct Import<'a> {
    arguments: &'a Arguments,
    global: &'a Global,
    session: &'a Session,
    change: &'a Change,
}

impl Import<'_> {
    fn append(&self, out: &Output) -> Result<(), Failure> {
        let location = place::array(&self.arguments.uri, &self.global.counts)?;
        let array = Arc::new(change::open_array(&location, &self.change.access)?);
        let becoming = Becoming::fields_of(array.newest_schema());
        let file = &self.arguments.input;
        let input = file.open(becoming, None, self.global, self.session)?;
        let schema = array.newest_schema();
        if !self.arguments.key.is_empty() {
            self.check_key(schema)?;
        } else if schema.is_dense() || schema.allows_duplicates {
            return self.write(&array, input, out).map(drop);
        }
        let before = self.count(&array)?;
        let written = self.write(&array, input, out)?;
        let array = Arc::new(change::open_array(&location, &self.change.access)?);
        let all = before.saturating_add(written);
        // Of another time the cells of now say nothing.
        let replaced = all.checked_sub(self.count(&array)?);
        if let (Some(replaced), None) = (replaced.filter(|count| *count > 0), self.global.at()) {
            let what = match self.arguments.sorting.duplicates {
                Some(Which::First) => "share their coordinates with others, of which one is there",
                _ => "replaced others of the same coordinates",
            };
            out.note(&format!("{replaced} of them {what}"));
        }
        Ok(())
    }

    /// Fails unless the key is that of the array.
    fn check_key(&self, schema: &ArraySchema) -> Result<(), Failure> {
        let names = schema.dimensions.iter().map(|dimension| &dimension.name);
        let names: Vec<&String> = names.collect();
        let key = &self.arguments.key;
        let is_same = key.len() == names.len() && key.iter().all(|name| names.contains(&name));
        if !is_same {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let what = format!("the key of the array is {}", names.join(","));
            return Err(Failure::invalid(what));
        }
        if schema.allows_duplicates {
            let what = "the array keeps cells of the same coordinates, so that no row replaces one";
            return Err(
                Failure::invalid(what).hint("an array that was imported with --key does not")
            );
        }
        Ok(())
    }

    fn count(&self, array: &Arc<Array>) -> Result<u64, Failure> {
        let all = ReadOptions::default();
        count_cells(self.session, array, &all).map_err(|error| {
            let failure: Failure = error.into();
            failure.at(&self.arguments.uri)
        })
    }

    fn make(&self, out: &mut Output) -> Result<(), Failure> {
        let location = self.vacant()?;
        let file = &self.arguments.input;
        let kept = file.keep()?;
        let (mut schema, enumerations) = self.schema(kept.as_ref(), out)?;
        let may_keep = !schema.is_dense() && self.keeps_where_needed();
        if self.arguments.dry_run {
            let json = schema_to_json(&schema, &enumerations, Times::Iso);
            return write_json(out, &json);
        }
        let place = self.change.access.to(&location);
        let create = |schema: &ArraySchema| {
            let created = Array::create(&place, schema, &enumerations, &self.change.options);
            created.map_err(|error| change::failed(&location, error))
        };
        out.note(&layout::in_words(&schema));
        create(&schema)?;
        let mut written = self.fill(&location, kept.as_ref(), may_keep, out);
        if let Err(NotWritten::Duplicate(repeated)) = &written
            && may_keep
        {
            out.note(&format!("{}; all are kept", repeated.text()));
            schema.allows_duplicates = true;
            written = self
                .remove(&location)
                .and_then(|()| create(&schema))
                .map_err(NotWritten::Failed)
                .and_then(|()| self.fill(&location, kept.as_ref(), false, out));
        }
        match written {
            Ok(cells) => {
                self.tell(cells, out);
                if self.arguments.sorting.duplicates == Some(Which::First) {
                    self.tell_left_out(&location, cells, out)?;
                }
                Ok(())
            }
            Err(not) => {
                // The first failure is the one to be told.
                let _ = self.remove(&location);
                Err(not.failure())
            }
        }
    }

    /// Tells how many of the rows are not in the array, since an earlier one has their coordinates.
    fn tell_left_out(&self, location: &Place, rows: u64, out: &Output) -> Result<(), Failure> {
        let array = Arc::new(change::open_array(location, &self.change.access)?);
        let left_out = rows.saturating_sub(self.count(&array)?);
        if left_out > 0 {
            let what = "left out: earlier ones have the same coordinates";
            out.note(&format!("{} {what}", plural(left_out, "row")));
        }
        Ok(())
    }

    /// Whether cells with the same coordinates are kept where there are any: nobody said what becomes of them.
    fn keeps_where_needed(&self) -> bool {
        self.arguments.sorting.duplicates.is_none() && self.arguments.key.is_empty()
    }

    /// The place of the array, where there must be none yet.
    fn vacant(&self) -> Result<Place, Failure> {
        let uri = &self.arguments.uri;
        let location = place::vacant(uri, &self.global.counts)?;
        match location.object_type()? {
            ObjectType::Array => {
                let what = "there is an array here already";
                let failure = Failure::new(ErrorKind::Exists, what).at(uri);
                Err(failure.hint("--append adds the cells to it"))
            }
            ObjectType::Group => {
                let failure = Failure::new(ErrorKind::Exists, "there is a group here already");
                Err(failure.at(uri))
            }
            ObjectType::Invalid => Ok(location),
        }
    }

    fn open(&self, kept: Option<&File>) -> Result<OpenInput, Failure> {
        let becoming = Becoming {
            npy: Ok((self.arguments.attr.clone(), 1)),
            takes_unnamed: false,
            types: self.arguments.types.clone(),
        };
        self.arguments
            .input
            .open(becoming, kept, self.global, self.session)
    }

    /// The schema for all that is in the file.
    fn schema(
        &self,
        kept: Option<&File>,
        out: &Output,
    ) -> Result<(ArraySchema, Vec<Enumeration>), Failure> {
        let (arguments, file) = (self.arguments, &self.arguments.input);
        let input = self.open(kept)?;
        let shape = input.shape.clone();
        let progress = Progress::new(self.global, file.len());
        let read = input.read_so_far();
        let counts = &self.global.counts;
        let remembered = input.array_schema().filter(|_| self.takes_what_it_was());
        let remembered = remembered.map(str::to_owned);
        let guess = || counts.stage("guess", || input.guess(self.session));
        let guesses = progress.watch("looking", &read, guess);
        let guesses = guesses.map_err(|error| file.failed(error))?;
        if let Some(remembered) = remembered {
            match self.as_it_was(&remembered, &guesses) {
                Ok(schema) => {
                    let what = "like the array that the file was read from; --dim makes another";
                    out.note(what);
                    return Ok(schema);
                }
                Err(why) => {
                    let what = "not like the array that the file was read from";
                    out.note(&format!("{what}: {why}"));
                }
            }
        }
        let kind = match (arguments.dense, arguments.sparse, shape) {
            (_, true, Some(_)) => {
                return Err(Failure::invalid("a .npy file makes a dense array"));
            }
            (_, _, Some(shape)) => Kind::Box(shape.axes),
            (true, _, None) if arguments.dim.is_empty() => Kind::Rows,
            (true, _, None) => Kind::Dense,
            _ => Kind::Sparse,
        };
        let wanted = Wanted {
            kind,
            dimensions: if arguments.key.is_empty() {
                &arguments.dim
            } else {
                &arguments.key
            },
            domains: &arguments.domain,
            allows_duplicates: arguments.sorting.duplicates == Some(Which::Keep),
            ticks: self.global.ticks,
        };
        let json = wanted
            .schema(&guesses)
            .map_err(|failure| failure.within(&file.name()))?;
        create::schema(&json, &*self.change.options.names)
    }

    /// Whether nobody said what array is to be made.
    fn takes_what_it_was(&self) -> bool {
        let Arguments {
            dim,
            key,
            dense,
            sparse,
            domain,
            types,
            sorting,
            ..
        } = self.arguments;
        let names_fields =
            !(dim.is_empty() && key.is_empty() && domain.is_empty() && types.is_empty());
        !(names_fields || *dense || *sparse || sorting.duplicates.is_some())
    }

    /// The schema of an array like the one that the file was written from; or why there can be none.
    fn as_it_was(
        &self,
        remembered: &str,
        columns: &[ColumnGuess],
    ) -> Result<(ArraySchema, Vec<Enumeration>), String> {
        let json = remembered::schema(remembered, columns)?;
        let schema = create::schema(&json, &*self.change.options.names);
        schema.map_err(|failure| failure.text())
    }

    /// Writes the cells into the new array; where two of the first rows have the same coordinates, if that is asked, none.
    fn fill(
        &self,
        location: &Place,
        kept: Option<&File>,
        looks_first: bool,
        out: &Output,
    ) -> Result<u64, NotWritten> {
        let array = Arc::new(change::open_array(location, &self.change.access)?);
        if looks_first {
            self.check_first_rows(&array, kept)?;
        }
        self.write_cells(&array, self.open(kept)?, out)
    }

    fn check_first_rows(&self, array: &Array, kept: Option<&File>) -> Result<(), NotWritten> {
        let file = &self.arguments.input;
        let input = self.open(kept)?;
        let fields = tdb::input_fields(array, input.names(), false)?;
        let failed = |error| file.failed(error);
        let (mut cells, _) = input.cells(&fields).map_err(failed)?;
        let first = cells.next().map_err(failed)?;
        let repeated = first.and_then(|batch| repeated(array.newest_schema(), &batch));
        match repeated {
            None => Ok(()),
            Some((before, row)) => {
                let place = |row: usize| row_in_words(&*cells, row as u64);
                let (before, row, file) = (place(before), place(row), file.name());
                let what = format!("{file}: {row}: the cell of {before} has the same coordinates");
                Err(NotWritten::Duplicate(Failure::invalid(what)))
            }
        }
    }

    /// Writes the cells, and tells their number.
    fn write(&self, array: &Arc<Array>, input: OpenInput, out: &Output) -> Result<u64, Failure> {
        let written = self.write_cells(array, input, out);
        let cells = written.map_err(NotWritten::failure)?;
        self.tell(cells, out);
        Ok(cells)
    }

    fn tell(&self, cells: u64, out: &Output) {
        if cells == 0 {
            let file = self.arguments.input.name();
            out.warn(&format!("{file}: there are no cells"));
        }
        out.note(&plural(cells, "cell"));
    }

    /// Writes the cells; gives their number.
    fn write_cells(
        &self,
        array: &Arc<Array>,
        input: OpenInput,
        out: &Output,
    ) -> Result<u64, NotWritten> {
        let arguments = self.arguments;
        let file = &arguments.input;
        let schema = array.newest_schema();
        let sorting = &arguments.sorting;
        let mut options = sorting.options(file, self.global, self.session)?;
        if let Some(shape) = &input.shape {
            fit_shape(schema, shape, &mut options)
                .map_err(|failure| failure.within(&file.name()))?;
        }
        if input.names().iter().any(String::is_empty) {
            out.warn(&format!("{}: a column without a name", file.name()));
        }
        let fields = tdb::input_fields(array, input.names(), false)?;
        let writing = Writing {
            session: self.session,
            array,
            file,
            label: label(&arguments.uri, self.global, &self.change.access),
            options,
        };
        let written = writing.write(input, &fields, self.global);
        written.map_err(|not| match not {
            NotWritten::Failed(failure) => NotWritten::Failed(failure.at(&arguments.uri)),
            duplicate @ NotWritten::Duplicate(_) => duplicate,
        })
    }

    /// Removes the array that was made.
    fn remove(&self, location: &Place) -> Result<(), Failure> {
        let place = self.change.access.to(location);
        let contents = Contents::find(&place, &location.store_uri, OpenOptions::default())?;
        Ok(contents.remove()?)
    }
}
