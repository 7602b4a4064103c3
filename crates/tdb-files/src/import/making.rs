//! Running an import.

use std::fs::File;
use std::sync::Arc;

use tdb_aggregate::count_cells;
use tdb_array::{Array, Draft, ErrorKind, ObjectType, OpenOptions, Work};
use tdb_cells::FieldInfo;
use tdb_change::WrittenCells;
use tdb_open::place::{self, Place};
use tdb_open::{Error, Result, Schema, Time, in_the_way};
use tdb_query::ReadOptions;
use tdb_schema::ArraySchema;
use tdb_tile::{Bug, Exact};
use tdb_write::{Duplicates, input_fields};

use super::guess::guessed;
use super::layout;
use super::notice::ImportNotice;
use super::request::ImportBuilder;
use crate::cell_transfer::{CellTransfer, fit_shape};
use crate::partial_columns::{is_part, not_all};
use crate::{FileWrite, InputRequirements, OpenInput};

/// Content of the draft's note: nothing, since a stopped import starts over.
const NOTE: &[u8] = b"";

/// Result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportedCells {
    /// Number of rows in the file, each of which is a cell.
    pub cells: u64,
    /// With [`ImportBuilder::append`]: number of existing cells that new ones with the same coordinates replaced. Not
    /// counted if a time is specified; nor, without a key, in dense arrays and arrays that allow duplicates.
    pub replaced: u64,
    /// With [`Duplicates::First`]: number of rows omitted from a new array because an earlier row has the same
    /// coordinates.
    pub left_out: u64,
    /// True if several rows have equal coordinates and all were kept, because the caller did not choose how to handle
    /// them.
    pub keeps_duplicates: bool,
    /// Names of the new fragments; empty if no cells were written.
    pub fragments: Vec<String>,
    /// Columns whose times had time zones; they are stored as UTC.
    pub zoned: Vec<String>,
}

impl ImportBuilder {
    /// Guesses the schema, without creating anything.
    ///
    /// # Errors
    /// As for [`ImportBuilder::run`].
    pub fn schema(&self) -> Result<Schema> {
        self.schema_with(&mut |_| {})
    }

    /// As [`ImportBuilder::schema`], reporting notices through `tell`.
    ///
    /// # Errors
    /// As for [`ImportBuilder::run`].
    pub fn schema_with(&self, tell: &mut dyn FnMut(&ImportNotice)) -> Result<Schema> {
        self.check()?;
        self.vacant()?;
        let kept = self.file.keep()?;
        guessed(self, kept.as_ref(), tell)
    }

    /// Reads the file, creates the array, and writes the cells. The array appears only when everything is written:
    /// neither a failure nor a killed process leaves a partial array, and its remains are removed when the import is
    /// run again.
    ///
    /// # Errors
    /// Fails if something exists at the URI (or, to append, if nothing does), if the file is not of its format, if no
    /// array can hold its columns, if rows do not fit, or if writing fails.
    pub fn run(self) -> Result<ImportedCells> {
        self.run_with(&mut |_| {})
    }

    /// As [`ImportBuilder::run`], reporting notices through `tell`.
    ///
    /// # Errors
    /// As for [`ImportBuilder::run`].
    pub fn run_with(self, tell: &mut dyn FnMut(&ImportNotice)) -> Result<ImportedCells> {
        self.check()?;
        if self.append {
            self.add(tell)
        } else {
            self.make(tell)
        }
    }

    fn add(&self, tell: &mut dyn FnMut(&ImportNotice)) -> Result<ImportedCells> {
        let place = place::array(&self.uri, self.context.opener())?;
        let array = self.open_now(&place)?;
        if let (Some(later), None) = (array.later(), self.time) {
            tell(&ImportNotice::Later(later));
        }
        let schema = array.newest_schema();
        let session = self.context.shared_session();
        let input = self
            .file
            .open(InputRequirements::fields_of(schema), None, session)?;
        let is_part = is_part(schema, input.names());
        if !self.key.is_empty() {
            self.check_key(schema)?;
            if is_part {
                return self.replace(place, &array, input);
            }
        }
        let may_replace = !self.key.is_empty() || !(schema.is_dense() || schema.allows_duplicates);
        // With a specified time, a count of the current cells would mean nothing.
        let is_counted = may_replace && self.time.is_none();
        let before = if is_counted { self.count(&array)? } else { 0 };
        let written = self.write(&array, input, tell).map_err(|error| {
            let names: Vec<&str> = schema.dimensions.iter().map(|d| d.name.as_str()).collect();
            not_all(error, is_part, &format!("--key {}", names.join(",")))
        });
        let mut imported = ImportedCells::of(written?);
        if is_counted {
            let array = self.open_now(&place)?;
            let all = before.exact_add(imported.cells)?;
            // Cells that other programs write meanwhile may count as replaced.
            imported.replaced = all.saturating_sub(self.count(&array)?);
        }
        Ok(imported)
    }

    /// Writes rows with columns for only some attributes: existing cells with the same key keep their values of the
    /// others.
    fn replace(&self, place: Place, array: &Arc<Array>, input: OpenInput) -> Result<ImportedCells> {
        let array = tdb_open::Array::of_engine(self.context.clone(), place, Arc::clone(array));
        let written = FileWrite::new(self.write_options()).replace(&array, &self.file, input)?;
        Ok(ImportedCells {
            replaced: written.replaced,
            ..ImportedCells::of(written)
        })
    }

    /// Fails unless the key consists of the dimensions of the array.
    fn check_key(&self, schema: &ArraySchema) -> Result<()> {
        let names: Vec<&String> = schema
            .dimensions
            .iter()
            .map(|dimension| &dimension.name)
            .collect();
        let key = &self.key;
        let is_same = key.len() == names.len() && key.iter().all(|name| names.contains(&name));
        if !is_same {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let what = format!("the key of the array is {}", names.join(","));
            return Err(Error::invalid(what));
        }
        if schema.allows_duplicates {
            let what = "the array allows duplicates, so rows do not replace cells";
            let hint = "an array that was imported with --key allows none";
            return Err(Error::invalid(what).with_hint(hint));
        }
        Ok(())
    }

    fn count(&self, array: &Arc<Array>) -> Result<u64> {
        let count = count_cells(
            self.context.shared_session(),
            array,
            &ReadOptions::default(),
        );
        count.map_err(|error| Error::from(error).at(&self.uri))
    }

    fn make(&self, tell: &mut dyn FnMut(&ImportNotice)) -> Result<ImportedCells> {
        let place = self.vacant()?;
        let kept = self.file.keep()?;
        let schema = guessed(self, kept.as_ref(), tell)?;
        tell(&ImportNotice::Making(layout::in_words(&schema)));
        let mut draft = self.begin(&place, schema)?;
        match self.fill(&place, &mut draft, kept.as_ref(), tell) {
            Ok(imported) => {
                draft.draft.publish().map_err(|error| place.failed(error))?;
                Ok(imported)
            }
            Err(error) => {
                // The first failure is the one to report.
                let _ = draft.draft.discard();
                Err(error)
            }
        }
    }

    /// Writes the cells into the new array. If the caller did not choose how to handle rows with the same coordinates,
    /// they decide whether the array allows them.
    fn fill(
        &self,
        place: &Place,
        made: &mut NewArray,
        kept: Option<&File>,
        tell: &mut dyn FnMut(&ImportNotice),
    ) -> Result<ImportedCells> {
        let place = place.drafted(&made.draft);
        let opened = made.draft.array().map(Arc::new);
        let array = opened.map_err(|error| place.failed(error))?;
        let input = self.open_file(kept)?;
        if !made.follows_cells {
            let written = self.write(&array, input, tell)?;
            return self.counted(&place, written);
        }
        let (transfer, fields) = self.transfer(&array, &input, tell)?;
        let mut kept = |rows| tell(&ImportNotice::Kept(rows));
        let sealed = transfer
            .seal(input, &fields, &mut kept)
            .map_err(|error| error.at(&self.uri))?;
        let keeps_duplicates = sealed.are_repeated;
        let decided = made.draft.allow_duplicates(keeps_duplicates);
        decided.map_err(|error| place.failed(error))?;
        Ok(ImportedCells {
            keeps_duplicates,
            ..ImportedCells::of(sealed.commit().map_err(|error| error.at(&self.uri))?)
        })
    }

    /// Converts the result of writing a new array, counting its cells if rows may have been omitted.
    fn counted(&self, place: &Place, written: WrittenCells) -> Result<ImportedCells> {
        let mut imported = ImportedCells::of(written);
        if self.duplicates == Some(Duplicates::First) {
            let there = self.count(&self.open_array(place)?)?;
            let left_out = imported.cells.checked_sub(there);
            let more = || Bug::new("a new array has more cells than were written");
            imported.left_out = left_out.ok_or_else(more)?;
        }
        Ok(imported)
    }

    /// Creates the draft of the array, replacing the remains of a stopped import.
    fn begin(&self, place: &Place, schema: Schema) -> Result<NewArray> {
        let location = self.context.location(place);
        let change = self.change();
        let follows_cells =
            !schema.is_dense() && !schema.allows_duplicates && self.keeps_where_needed();
        let draft = if follows_cells {
            let schema = schema.with_duplicates();
            let labels = schema.enumerations();
            Draft::begin_undecided(&location, Work::Import, NOTE, &schema, labels, &change)
        } else {
            let labels = schema.enumerations();
            Draft::begin(&location, Work::Import, NOTE, &schema, labels, &change)
        };
        Ok(NewArray {
            draft: draft.map_err(|error| in_the_way(place, error))?,
            follows_cells,
        })
    }

    /// Opens the new array, whatever the time of its cells.
    fn open_array(&self, place: &Place) -> Result<Arc<Array>> {
        self.opened(place, OpenOptions::default())
    }

    fn open_now(&self, place: &Place) -> Result<Arc<Array>> {
        self.opened(place, OpenOptions::at(Time::now().0))
    }

    fn opened(&self, place: &Place, options: OpenOptions) -> Result<Arc<Array>> {
        let opened = Array::open_location(&self.context.location(place), options);
        opened.map(Arc::new).map_err(|error| place.failed(error))
    }

    /// Returns the place of the array, which must not exist yet.
    fn vacant(&self) -> Result<Place> {
        let uri = &self.uri;
        let place = place::vacant(uri, self.context.opener())?;
        let found = place.found()?;
        match found.object_type {
            ObjectType::Array => {
                let what = "there is an array here already";
                let error = Error::new(ErrorKind::Exists, what).at(uri);
                Err(error.with_hint("use --append to add the cells to it"))
            }
            ObjectType::Group => {
                let what = "there is a group here already";
                Err(Error::new(ErrorKind::Exists, what).at(uri))
            }
            ObjectType::Invalid => match found.unfinished {
                Some(Work::Import) | None => Ok(place),
                Some(work) => Err(place::unfinished(uri, work, ErrorKind::Exists)),
            },
        }
    }

    fn open_file(&self, kept: Option<&File>) -> Result<OpenInput> {
        let session = self.context.shared_session();
        self.file.open(self.becoming(), kept, session)
    }

    /// Writes the cells of the file.
    fn write(
        &self,
        array: &Arc<Array>,
        input: OpenInput,
        tell: &mut dyn FnMut(&ImportNotice),
    ) -> Result<WrittenCells> {
        let (transfer, fields) = self.transfer(array, &input, tell)?;
        let written = transfer.write(input, &fields);
        written.map_err(|error| error.at(&self.uri))
    }

    /// Prepares to write the cells of the file; also returns the fields of its columns.
    fn transfer<'a>(
        &'a self,
        array: &'a Arc<Array>,
        input: &OpenInput,
        tell: &mut dyn FnMut(&ImportNotice),
    ) -> Result<(CellTransfer<'a>, Vec<FieldInfo>)> {
        let file = &self.file;
        let options = self.write_options();
        let mut transfer = CellTransfer::new(&self.context, &self.uri, array, file, options)?;
        fit_shape(array.newest_schema(), input, transfer.options())
            .map_err(|error| error.within(&file.name()))?;
        if input.names().iter().any(String::is_empty) {
            tell(&ImportNotice::Unnamed(file.name()));
        }
        let fields = input_fields(array, input.names(), false)?;
        Ok((transfer, fields))
    }
}

/// An array that an import makes.
struct NewArray {
    draft: Draft,
    /// True if the cells decide whether the array allows duplicates.
    follows_cells: bool,
}

impl ImportedCells {
    fn of(written: WrittenCells) -> Self {
        Self {
            cells: written.cells,
            fragments: written.fragments,
            zoned: written.zoned,
            ..Self::default()
        }
    }
}
