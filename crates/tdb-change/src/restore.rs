//! Restoring an array to an earlier time by a new write.

mod removal;

use tdb_array::{ChangeOptions, MetadataRecord, Reach};
use tdb_fragment::{Combine, ConditionOp, ConditionTree, ConditionValue};
use tdb_open::{Array, Error, Result, Time};
use tdb_query::{ReadOptions, Reader, ResultOrder, bounding_box, named_ranges};
use tdb_schema::Dimension;
use tdb_schema::value::rfc3339;
use tdb_tile::{Bug, Range};
use tdb_write::{SealedWrite, WriteOptions, WriteOrder, Writer};

use crate::difference::{ChangedRegion, changed};
use crate::schema_changes::described;
use crate::write_and_delete::{DeleteBeside, commit};
use crate::{DifferenceCount, SelectedCells, compare};
pub use removal::{plan_removal_after, remove_after};

/// Options of a restore.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RestoreOptions {
    /// Only report what would be done.
    pub dry_run: bool,
    /// Restore even if cells may be missing that were deleted after that time and that a merge therefore omitted
    /// ([`LostContent::DeletedCells`](tdb_array::LostContent::DeletedCells)).
    pub allow_incomplete: bool,
    /// Time of the change, and the source of names.
    pub change: ChangeOptions,
}

impl RestoreOptions {
    /// Sets whether only to report what would be done.
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }

    /// Sets whether to restore even if cells may be missing that were deleted after that time and that a merge
    /// therefore omitted.
    #[must_use]
    pub fn allow_incomplete(mut self, allow: bool) -> Self {
        self.allow_incomplete = allow;
        self
    }

    /// Sets the time of the change.
    #[must_use]
    pub fn at(mut self, time: impl Into<Time>) -> Self {
        self.change.timestamp = Some(time.into().0);
        self
    }
}

/// Result of a restore, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestoredCells {
    /// Numbers of cells that are added, removed and changed by the restore.
    pub cells: DifferenceCount,
    /// Number of cells written, including unchanged ones between the changed.
    pub written: u64,
    /// Names of the new fragments.
    pub fragments: Vec<String>,
    /// Metadata keys that got their old value back, or were removed.
    pub metadata: Vec<String>,
}

/// Makes the array what it was at a time, cells and metadata, by a new write. All times stay readable, and a
/// restore can be undone in the same way. Arrays of dimension labels are arrays of their own, and stay as they
/// are.
///
/// Objects with a timestamp in the future stay as they are, and take precedence once their time has come
/// ([`Array::later`]).
///
/// All cells in the box that can have changed since are written again; cells added since are deleted in the same
/// commit.
///
/// # Errors
/// Fails if the state at that time can no longer be read in full ([`Array::gaps`]), if the schema has different
/// attributes since, if cells were added since and the format version of the array has no deletes, or if reading
/// or writing fails.
pub fn restore(array: &Array, to: impl Into<Time>) -> Result<RestoredCells> {
    restore_with(array, to, &RestoreOptions::default())
}

/// As [`restore`], with options.
///
/// # Errors
/// As [`restore`].
pub fn restore_with(
    array: &Array,
    to: impl Into<Time>,
    options: &RestoreOptions,
) -> Result<RestoredCells> {
    let to = to.into();
    if options.dry_run {
        let now = array.as_of(options.change.timestamp)?;
        return Ok(difference_from(array, &now, to, options)?.restored);
    }
    let failed = |error| array.failed(error);
    let mut change = array.read_modify_write(&options.change)?;
    loop {
        let view = change.view().map_err(failed)?;
        let now = array.of_view(&view);
        let mut before = difference_from(array, &now, to, options)?;
        change.renew().map_err(failed)?;
        let times = times(&now, options.change.timestamp, view.time())?;
        let has_cells = before.has_cells();
        if has_cells {
            let write = write_back(&now, &before, times, options)?;
            before.restored.written = write.write.rows();
            if !change.is_current(&view).map_err(failed)? {
                continue;
            }
            change.announce(times.1).map_err(failed)?;
            // If the process stops from here on, the array records that the metadata is still missing.
            let is_noted =
                !before.records.is_empty() && now.engine().begin_restore(to.0).map_err(failed)?;
            let committed =
                commit(write.write, write.delete.as_ref()).map_err(|error| array.failed(error))?;
            if !change
                .keep(&view, &committed, Reach::Everything)
                .map_err(failed)?
            {
                if is_noted {
                    now.engine().give_up_restore(to.0).map_err(failed)?;
                }
                continue;
            }
            let names = committed.fragments.iter();
            before.restored.fragments = names.map(|name| name.as_str().to_owned()).collect();
        }
        put_back(&now, before.records, times.1, options)?;
        return Ok(before.restored);
    }
}

/// Compares the array now with its state at a time.
fn difference_from(
    array: &Array,
    now: &Array,
    to: Time,
    options: &RestoreOptions,
) -> Result<Before> {
    check_begun(now, to)?;
    let then = array.context().open_at(array.uri(), to)?;
    check_schema(now, &then)?;
    then.check_history(!options.allow_incomplete)?;
    let mut differences = compare(SelectedCells::all(now), SelectedCells::all(&then))?;
    for difference in &mut differences {
        difference?;
    }
    let (metadata, records) = metadata_of(now, &then)?;
    Ok(Before {
        restored: RestoredCells {
            cells: differences.count_so_far(),
            metadata,
            ..RestoredCells::default()
        },
        records,
        then,
    })
}

/// Restores the metadata values: the last step of a restore.
fn put_back(
    array: &Array,
    records: Vec<MetadataRecord>,
    time: u64,
    options: &RestoreOptions,
) -> Result<()> {
    if !records.is_empty() {
        let change = options.change.clone().timestamp(Some(time));
        let put = array.engine().put_metadata(records, &change);
        put.map_err(|error| array.failed(error))?;
    }
    let ended = array.engine().end_restores();
    ended.map_err(|error| array.failed(error))
}

/// Writes the old cells of the box that can differ, and prepares the delete of cells added since. Commits neither.
fn write_back(
    array: &Array,
    before: &Before,
    (delete_at, write_at): (u64, u64),
    options: &RestoreOptions,
) -> Result<WriteBack> {
    let (now, engine_before) = (array.engine(), before.then.engine());
    let schema = now.newest_schema();
    let ranges = differing(engine_before, now)?;
    let is_dense = schema.is_dense();
    let (order, write_order) = if is_dense {
        (ResultOrder::RowMajor, WriteOrder::RowMajor)
    } else {
        (ResultOrder::Global, WriteOrder::Global)
    };
    let read = ReadOptions::default()
        .ranges(ranges.clone())
        .dimensions(is_dense.then(Vec::new))
        .order(Some(order))
        .enumeration_codes(true);
    let write = WriteOptions::default()
        .timestamp(Some(write_at))
        .order(Some(write_order))
        .ranges(if is_dense { ranges.clone() } else { Vec::new() })
        .names(options.change.names.clone());
    let session = array.context().shared_session();
    let failed = |error| array.failed(error);
    let mut writer = Writer::open(session, now, &write).map_err(|error| array.failed(error))?;
    let reader = Reader::open(session, engine_before, &read).map_err(failed)?;
    for batch in reader {
        let batch = batch.map_err(failed)?;
        writer.push(&batch).map_err(|error| array.failed(error))?;
    }
    let must_delete = before.restored.cells.removed > 0 || schema.allows_duplicates;
    let delete = if must_delete && !is_dense {
        let change = options.change.clone().timestamp(Some(delete_at));
        Some(DeleteBeside {
            kept: outside(&schema.dimensions, &ranges)?,
            change,
        })
    } else {
        None
    };
    let write = writer.seal().map_err(|error| array.failed(error))?;
    Ok(WriteBack { write, delete })
}

/// The state of an array at a time, and the changes needed to restore it.
#[derive(Debug)]
struct Before {
    /// Result of the comparison; nothing is written yet.
    restored: RestoredCells,
    /// Metadata records to write.
    records: Vec<MetadataRecord>,
    /// The array at that time.
    then: Array,
}

impl Before {
    fn has_cells(&self) -> bool {
        let cells = self.restored.cells;
        cells.added > 0 || cells.removed > 0 || cells.changed > 0
    }
}

/// Cells that are stored but not yet committed, and the delete that is committed with them.
#[derive(Debug)]
struct WriteBack {
    write: SealedWrite,
    delete: Option<DeleteBeside>,
}

/// Returns the box in which cells can differ. A range of strings that ends at the empty string is dropped, so that the
/// whole dimension is taken: a stored condition cannot contain the empty string.
fn differing(
    before: &tdb_array::Array,
    now: &tdb_array::Array,
) -> Result<Vec<(String, Range)>, Bug> {
    let dimensions = &now.newest_schema().dimensions;
    let touched = match changed(before, now) {
        ChangedRegion::Box(domain) => Some(domain),
        ChangedRegion::Nothing => None,
        ChangedRegion::Anything => bounding_box(
            dimensions,
            before.non_empty_domain(),
            now.non_empty_domain(),
        ),
    };
    let domain = touched.ok_or_else(|| Bug::new("cells differ where there are none"))?;
    let mut ranges = named_ranges(dimensions, &domain);
    ranges.retain(|(_, range)| !range.hi.is_empty());
    Ok(ranges)
}

/// Builds the condition for cells outside of a box. A dimension that the box covers as a whole adds no term.
fn outside(dimensions: &[Dimension], ranges: &[(String, Range)]) -> Result<ConditionTree, Bug> {
    let side = |name: &str, op, value: &[u8]| {
        let value = ConditionValue::new(name, op, value.to_vec())
            .ok_or_else(|| Bug::new("a comparison that takes no value"))?;
        Ok(ConditionTree::from(value))
    };
    let mut sides = Vec::new();
    for (name, range) in ranges {
        // No string is less than the empty one, so there is no lower side.
        if !range.lo.is_empty() {
            sides.push(side(name, ConditionOp::Less, &range.lo)?);
        }
        sides.push(side(name, ConditionOp::Greater, &range.hi)?);
    }
    let lost = |_| Bug::new("sides of a box that cannot be joined");
    if sides.is_empty() {
        // The box covers everything, so the condition must match no cell: `name < "a" and name >= "a"`.
        let name = dimensions
            .first()
            .map(|dimension| dimension.name.as_str())
            .ok_or_else(|| Bug::new("an array without dimensions"))?;
        let never = [ConditionOp::Less, ConditionOp::GreaterOrEqual]
            .into_iter()
            .map(|op| side(name, op, b"a"))
            .collect::<Result<Vec<ConditionTree>, Bug>>()?;
        return ConditionTree::combine(Combine::And, never).map_err(lost);
    }
    match (sides.pop(), sides.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            ConditionTree::combine(Combine::Or, sides.into_iter().chain(last)).map_err(lost)
        }
    }
}

/// Returns the times of the delete and of the write, in this order. The delete must come first, since it applies to
/// everything written up to its time. `time` is the time of the write, if the caller specified one.
pub(crate) fn times(array: &Array, time: Option<u64>, now: u64) -> Result<(u64, u64)> {
    let engine = array.engine();
    let fragments = engine.fragments().iter().map(|f| f.timestamps().1);
    let deletes = engine.deletes().iter().map(|delete| delete.timestamp);
    let last = fragments.chain(deletes).max().unwrap_or(0);
    // A merged fragment may also contain cells of the future, which do not count here.
    let mut newest = last.min(engine.window().at);
    if let (Some(_), Some(later)) = (time, engine.later()) {
        newest = newest.max(later.until);
    }
    let earliest = newest.checked_add(2).ok_or_else(|| {
        Error::invalid(format!(
            "the array has changes up to {newest}: no time is left for a later one"
        ))
    })?;
    let written = time.unwrap_or(earliest.max(now));
    if written < earliest {
        let what = format!(
            "the array has changes up to {newest}: this change cannot have the earlier time {written}"
        );
        let hint = format!("the earliest possible time is {earliest}");
        return Err(Error::invalid(what).with_hint(hint));
    }
    Ok((written - 1, written))
}

/// Fails if the array did not exist yet: restoring that state would remove everything.
fn check_begun(now: &Array, to: Time) -> Result<()> {
    let engine = now.engine();
    let schemas = engine.directory().schemas().iter();
    let made = schemas.filter_map(|entry| Some(entry.name.as_ref()?.start()));
    // Cells can be older than the schema, because a write can be dated back.
    let written = engine.fragments().iter().map(|f| f.timestamps().0);
    let mut made = made.chain(written).min();
    for entry in engine.replaced().iter() {
        let start = entry.map_err(|error| now.failed(error))?.name.start();
        made = made.map(|made| made.min(start));
    }
    let gaps = engine.all_gaps().map_err(|error| now.failed(error))?;
    let first_gap = gaps.iter().map(|gap| gap.start).min();
    // If the time lies in a gap, that is reported elsewhere, as lost history.
    let made = made.map(|made| first_gap.map_or(made, |gap| made.min(gap)));
    match made.filter(|made| to.0 < *made) {
        None => Ok(()),
        Some(made) => {
            let (to, made) = (rfc3339(to.0), rfc3339(made));
            let what = format!("the array did not exist yet at {to}: it was created at {made}");
            Err(Error::invalid(what).with_hint("tdb log lists the times of all changes"))
        }
    }
}

/// Fails if the attributes are different from those at the earlier time.
fn check_schema(now: &Array, then: &Array) -> Result<()> {
    let attributes = |array: &Array| -> Vec<String> {
        let all = array.engine().newest_schema().attributes.iter();
        all.map(|a| format!("{:?} ({})", a.name, described(a)))
            .collect()
    };
    let before: Vec<String> = {
        let all = then.schema().attributes.iter();
        all.map(|a| format!("{:?} ({})", a.name, described(a)))
            .collect()
    };
    let after = attributes(now);
    let gone = before
        .iter()
        .filter(|name| !after.contains(name))
        .map(|name| format!("{name} is gone"));
    let new = after
        .iter()
        .filter(|name| !before.contains(name))
        .map(|name| format!("{name} is new"));
    let changes: Vec<String> = gone.chain(new).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let what = format!("the attributes have changed since: {}", changes.join(", "));
    let hint = "evolve the array to the attributes of that time first; reading as of a time works with any schema";
    Err(Error::invalid(what).with_hint(hint))
}

/// Returns the metadata keys that differ, and the records that restore them.
fn metadata_of(now: &Array, then: &Array) -> Result<(Vec<String>, Vec<MetadataRecord>)> {
    let (after, before) = (now.metadata()?, then.metadata()?);
    let mut records = Vec::new();
    for (key, value) in before.iter() {
        if after.get(key) != Some(value) {
            records.push(MetadataRecord {
                key: key.to_owned(),
                value: Some(value.clone()),
            });
        }
    }
    let gone = after
        .iter()
        .map(|(key, _)| key)
        .filter(|key| before.get(key).is_none());
    records.extend(gone.map(|key| MetadataRecord {
        key: key.to_owned(),
        value: None,
    }));
    let keys = records.iter().map(|record| record.key.clone()).collect();
    Ok((keys, records))
}
