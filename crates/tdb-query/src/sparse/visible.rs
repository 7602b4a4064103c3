//! Which cells there are at the time of the read: cells' own timestamps and deletes.

use tdb_array::{Array, At, TimeWindow};
use tdb_fragment::ConditionTree;
use tdb_tile::WireError;

use super::plan::SparsePlan;
use super::predicate::Predicate;
use super::reader::filter;
use super::table::CellTable;
use crate::QueryError;
use crate::condition::ResolvedCondition;
use crate::field::Field;
use crate::read::condition_fields;

/// The time of deletion of a cell that is not deleted.
const NEVER: u64 = u64::MAX;

/// The deletes that concern the fragments of a read.
#[derive(Debug, Default)]
pub(crate) struct Visibility {
    /// Last millisecond that is seen.
    until: u64,
    since: u64,
    deletes: Vec<Delete>,
    /// Fragments that say of each cell when it was deleted.
    has_delete_times: bool,
    filters_time: bool,
}

/// A delete, and what remains under it.
#[derive(Debug)]
struct Delete {
    timestamp: u64,
    keep: Predicate,
    /// Fragments whose cells it decides on.
    fragments: Vec<usize>,
}

impl Visibility {
    pub(crate) fn new(array: &Array, plan: &SparsePlan) -> Result<Self, QueryError> {
        let TimeWindow { since, at: until } = array.window();
        let mut deletes = Vec::new();
        for delete in array.deletes() {
            let concerned = plan.fragments.iter().map(|f| f.fragment).filter(|&index| {
                array.fragments().get(index).is_some_and(|fragment| {
                    let processed = fragment.metadata.extra_fields.deletes
                        && fragment.has_processed(&delete.marker);
                    !processed && delete.timestamp >= fragment.timestamps().0
                })
            });
            let fragments: Vec<usize> = concerned.collect();
            if !fragments.is_empty() {
                let keep = stored_predicate(array, &delete.condition).at(&delete.marker)?;
                deletes.push(Delete {
                    timestamp: delete.timestamp,
                    keep,
                    fragments,
                });
            }
        }
        let fragment = |f: &super::plan::FragmentPlan| array.fragments().get(f.fragment);
        let has_delete_times = plan
            .fragments
            .iter()
            .filter_map(fragment)
            .any(|fragment| fragment.metadata.extra_fields.deletes);
        let filters_time = plan.fragments.iter().any(|f| f.filters_time);
        Ok(Self {
            until,
            since,
            deletes,
            has_delete_times,
            filters_time,
        })
    }

    pub(crate) fn has_deletes(&self) -> bool {
        !self.deletes.is_empty()
    }

    /// The fields that [`Visibility::retain`] looks at.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        let of_deletes = self.deletes.iter().flat_map(|delete| delete.keep.fields());
        of_deletes.chain(self.has_delete_times.then_some(Field::DeleteTimestamps))
    }

    /// Leaves out cells written outside the time window, before anything else.
    pub(crate) fn filter_times(&self, table: &CellTable, rows: &mut Option<Vec<u32>>) {
        if !self.filters_time {
            return;
        }
        let Some(times) = table.column(Field::Timestamps) else {
            return;
        };
        filter(rows, table.rows, |row| {
            let time = times.u64_at(row as usize);
            self.since <= time && time <= self.until
        });
    }

    /// Leaves out deleted cells, after the newest of equal coordinates were picked.
    pub(crate) fn retain(
        &self,
        array: &Array,
        table: &CellTable,
        rows: &mut Option<Vec<u32>>,
    ) -> Result<(), QueryError> {
        if let Some(times) = table.column(Field::DeleteTimestamps) {
            filter(rows, table.rows, |row| {
                let deleted = times.u64_at(row as usize);
                deleted > self.until || deleted == NEVER
            });
        }
        for delete in &self.deletes {
            let keep = delete.keep.evaluate(table)?;
            let mut gone = vec![false; table.rows];
            for segment in &table.segments {
                if !delete.fragments.contains(&segment.fragment) {
                    continue;
                }
                let Some(fragment) = array.fragments().get(segment.fragment) else {
                    continue;
                };
                let whole = !fragment.metadata.extra_fields.timestamps
                    || delete.timestamp > fragment.timestamps().1;
                for row in segment.rows.clone() {
                    let kept = keep.get(row).is_some_and(|&k| k != 0);
                    let later = !whole
                        && time_of(array, table, u32::try_from(row).unwrap_or(u32::MAX))
                            > delete.timestamp;
                    if let Some(place) = gone.get_mut(row) {
                        *place = !(kept || later);
                    }
                }
            }
            filter(rows, table.rows, |row| {
                gone.get(row as usize).is_some_and(|&gone| !gone)
            });
        }
        Ok(())
    }
}

/// A stored condition, with the fields that it tests.
fn stored_predicate(array: &Array, condition: &ConditionTree) -> Result<Predicate, WireError> {
    let schema = array.schema();
    let fields = condition_fields(schema, &[]);
    let condition = ResolvedCondition::from_stored(condition, &fields, array.limits())?;
    Ok(Predicate::new(condition, schema))
}

/// When a cell was written: its own time, or that of its fragment.
pub(crate) fn time_of(array: &Array, table: &CellTable, row: u32) -> u64 {
    if let Some(times) = table.column(Field::Timestamps) {
        return times.u64_at(row as usize);
    }
    let at = table
        .segments
        .partition_point(|segment| segment.rows.end <= row as usize);
    let fragment = table
        .segments
        .get(at)
        .and_then(|segment| array.fragments().get(segment.fragment));
    fragment.map_or(0, |fragment| fragment.timestamps().0)
}
