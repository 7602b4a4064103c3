//! Changing arrays in place, and what happened to them: see the crate `tdb-change`.

use tdb_array::OpenOptions;
use tdb_change::log::Event;
use tdb_change::{
    Differences, Evolution, RestoreOptions, RestoredCells, RewriteOptions, Rewritten,
    SelectedCells, SetBuilder,
};
use tdb_consolidate::{Plan, VacuumOptions};
use tdb_open::{CellCondition, Result, Schema, Time};
use tdb_query::WalkNarrowing;

use crate::{Array, Context, ReadBuilder};

impl Array {
    /// Begins changing the values of cells that match a condition. At most one cell is changed, unless
    /// [`SetBuilder::max`] allows more.
    ///
    /// ```no_run
    /// let orders = tdb::open("orders")?;
    /// let done = orders.set("id = 377").value("amount", 12.5).null("note").commit()?;
    /// assert_eq!(done.cells, 1);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    pub fn set(&self, condition: impl Into<CellCondition>) -> SetBuilder {
        tdb_change::set(self, condition)
    }

    /// Makes the array what it was at a time, cells and metadata, by a new write. All times stay readable, and a
    /// restore can be undone in the same way. Arrays of dimension labels are arrays of their own, and stay as they
    /// are.
    ///
    /// Objects with a timestamp in the future stay as they are, and take precedence once their time has come
    /// ([`Array::later`](crate::OpenArray::later)).
    ///
    /// All cells in the box that can have changed since are written again; cells added since are deleted in the same
    /// commit.
    ///
    /// ```no_run
    /// let weather = tdb::open("weather")?;
    /// let restored = weather.restore("-2h".parse::<tdb::Time>()?)?;
    /// println!("{} cells came back", restored.cells.added);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the state at that time can no longer be read in full ([`Array::gaps`](crate::OpenArray::gaps)), if the schema has different
    /// attributes since, if cells were added since and the format version of the array has no deletes, or if reading
    /// or writing fails.
    pub fn restore(&self, to: impl Into<Time>) -> Result<RestoredCells> {
        tdb_change::restore(self, to)
    }

    /// As [`Array::restore`], with options.
    ///
    /// # Errors
    /// As [`Array::restore`].
    pub fn restore_with(
        &self,
        to: impl Into<Time>,
        options: &RestoreOptions,
    ) -> Result<RestoredCells> {
        tdb_change::restore_with(self, to, options)
    }

    /// Restores the array to a time by permanently removing everything later: cells, deletes, schemas and metadata. No
    /// other program may change the array meanwhile. If interrupted, it can be repeated. Arrays of dimension labels
    /// are arrays of their own, and stay as they are.
    ///
    /// # Errors
    /// Fails if a merged fragment or merged metadata spans the time, if something older depends on an object to be
    /// removed, or if the store fails.
    pub fn remove_after(&self, to: impl Into<Time>) -> Result<Plan> {
        tdb_change::remove_after(self, to)
    }

    /// Returns what [`Array::remove_after`] would remove.
    ///
    /// # Errors
    /// As for [`Array::remove_after`].
    pub fn plan_removal_after(&self, to: impl Into<Time>, options: &VacuumOptions) -> Result<Plan> {
        tdb_change::plan_removal_after(self, to, options)
    }

    /// Creates an array with the same cells and metadata but another schema: other tiles, filters, orders, or fewer
    /// fields. The cells are those that this array shows; earlier versions of cells are not copied.
    ///
    /// The new array appears only when it is complete. If interrupted, the same call resumes where it stopped.
    ///
    /// ```no_run
    /// use tdb::{Attribute, Datatype, Dimension, Filter, Schema};
    ///
    /// let weather = tdb::open("weather")?;
    /// let schema = Schema::dense()
    ///     .dimension(Dimension::new("day", Datatype::DateTimeDay).domain("2000-01-01"..="2099-12-31").tile(365))
    ///     .attribute(Attribute::new("temp", Datatype::Float32).filter(Filter::byteshuffle()).filter(Filter::zstd(5)))
    ///     .build()?;
    /// println!("{} cells", weather.rewrite("weather_by_year", &schema)?.cells);
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the schema has other dimensions, or attributes that the array does not have, if something exists at
    /// the destination, or if reading or writing fails.
    pub fn rewrite(&self, to: &str, schema: &Schema) -> Result<Rewritten> {
        tdb_change::rewrite(self, to, schema)
    }

    /// As [`Array::rewrite`], with options.
    ///
    /// # Errors
    /// As [`Array::rewrite`].
    pub fn rewrite_with(
        &self,
        to: &str,
        schema: &Schema,
        options: &RewriteOptions,
    ) -> Result<Rewritten> {
        tdb_change::rewrite_with(self, to, schema, options)
    }

    /// Returns the changes of the array up to the time for which it was opened, oldest first. A vacuum has no event;
    /// objects it removed are missing from the log.
    ///
    /// ```no_run
    /// for event in tdb::open("weather")?.log()? {
    ///     println!("{:?} {:?}", event.time, event.change);
    /// }
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if stored data cannot be read.
    pub fn log(&self) -> Result<Vec<Event>> {
        tdb_change::log::log(self)
    }

    /// Begins a change of the schema. Stored cells stay as they are: an added attribute has its fill value in them,
    /// and a dropped one can still be read as of earlier times until its fragments are merged
    /// (`MergeOptions::forget_dropped`).
    ///
    /// ```no_run
    /// use tdb::{Attribute, Datatype};
    ///
    /// let weather = tdb::open("weather")?;
    /// let mut evolution = weather.evolve()?;
    /// evolution.add_attribute(&Attribute::new("wind", Datatype::Float32).nullable())?;
    /// evolution.drop_attribute("remark")?;
    /// evolution.extend_enumeration("skies", ["hail"])?;
    /// evolution.commit()?;
    /// # Ok::<(), tdb::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the stored array cannot be read.
    pub fn evolve(&self) -> Result<Evolution> {
        tdb_change::evolve(self)
    }
}

impl Context {
    /// Returns the changes of a group up to the time of the options, oldest first.
    ///
    /// # Errors
    /// Fails if there is no group, or if its stored data cannot be read.
    pub fn group_log(&self, uri: &str, options: OpenOptions) -> Result<Vec<Event>> {
        tdb_change::log::group_log(self, uri, options)
    }
}

/// Compares two reads cell by cell: of two arrays, or of one array at two times. The ranges, conditions and attributes
/// of the reads apply, their order does not. Attributes that only one of them has are listed in
/// [`Differences::schema_changes`].
///
/// Cells are equal if their values are, bit by bit; enumerated attributes are compared by label. If the datatypes of
/// an attribute differ, numbers are compared as numbers and text as bytes, fixed-size text without its trailing NUL
/// bytes; other attributes are listed in [`Differences::not_compared`]. Cells with equal coordinates, in arrays that
/// allow duplicates, are compared as multisets.
///
/// ```no_run
/// let before = tdb::open_at("weather", "2024-04-11".parse::<tdb::Time>()?)?;
/// let mut differences = tdb::compare(before.read(), tdb::open("weather")?.read())?;
/// for difference in &mut differences {
///     println!("{:?}", difference?);
/// }
/// println!("{} cells are new", differences.count_so_far().added);
/// # Ok::<(), tdb::Error>(())
/// ```
///
/// # Errors
/// Fails if the arrays have different dimensions, if the state at one of the times can no longer be read in full
/// ([`Array::gaps`](crate::OpenArray::gaps)), or if reading fails.
pub fn compare(old: ReadBuilder, new: ReadBuilder) -> Result<Differences> {
    tdb_change::compare(selected(&old)?, selected(&new)?)
}

/// Narrows two reads that are to be compared. Reads of the same array are narrowed to what can differ. If they would
/// still visit more than `most` cells of a dense array, both are narrowed to the bounding box of the written cells,
/// which the result describes. With `ticks`, the description shows dates and times as raw numbers.
///
/// # Errors
/// As for [`narrow_walk`](crate::narrow_walk).
pub fn narrow_comparison(
    reads: &mut [ReadBuilder; 2],
    most: u64,
    ticks: bool,
) -> Result<Option<WalkNarrowing>> {
    let [old, new] = reads;
    let (mut before, mut after) = (selected(old)?, selected(new)?);
    let narrowed = tdb_change::narrow_comparison(&mut before, &mut after, most, ticks)?;
    let (before, after) = (before.options, after.options);
    *old = old.clone().with_options(before);
    *new = new.clone().with_options(after);
    Ok(narrowed)
}

/// Returns the cells of a read.
fn selected(read: &ReadBuilder) -> Result<SelectedCells<'_>> {
    Ok(SelectedCells {
        array: read.array(),
        options: read.options()?,
    })
}
