//! Which cells there are at the time of the read: cells' own timestamps and deletes.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::{At, Fragment, Snapshot, TimeWindow};
use tdb_cells::CellTable;
use tdb_condition::{Predicate, ResolvedCondition};
use tdb_fragment::ConditionTree;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::WireError;

use super::fragment_plan::FragmentPlan;
use super::merge::filter;
use crate::QueryError;
use crate::options::Versions;
use crate::request::condition_fields;

/// The time of deletion of a cell that is not deleted.
const NEVER: u64 = u64::MAX;

/// The deletes that concern the fragments of a read.
#[derive(Debug, Default)]
pub(crate) struct Visibility {
    /// Last millisecond that is seen.
    until: u64,
    since: u64,
    deletes: Vec<Delete>,
    /// A delete that is not made yet, for each schema that fragments have.
    foreseen: Vec<Delete>,
    /// Fragments that say of each cell when it was deleted.
    has_delete_times: bool,
    filters_time: bool,
    versions: Versions,
}

/// A delete, and what remains under it.
#[derive(Debug)]
struct Delete {
    /// Position in the array's list.
    index: usize,
    timestamp: u64,
    keep: Predicate,
    /// Fragments whose cells it decides on, in the array's order.
    fragments: Vec<usize>,
}

impl Visibility {
    /// Asks the deletes which fragments they concern. Attributes that `schema` has no more and deletes ask about
    /// are added to it.
    pub(crate) fn new(
        array: &Snapshot,
        plans: &[FragmentPlan],
        schema: &mut Arc<ArraySchema>,
        versions: Versions,
    ) -> Result<Self, QueryError> {
        let TimeWindow { since, at: until } = array.window();
        let fragments = planned(array, plans);
        let mut deletes = Vec::new();
        for (index, delete) in array.deletes().iter().enumerate() {
            deletes.extend(by_fragments(array, &fragments, (index, delete), schema)?);
        }
        let has_delete_times = fragments
            .iter()
            .any(|(_, fragment)| fragment.metadata.extra_fields.deletes);
        Ok(Self {
            until,
            since,
            deletes,
            foreseen: Vec::new(),
            has_delete_times,
            filters_time: plans.iter().any(|f| f.filters_time),
            versions,
        })
    }

    /// Asks a delete that the array does not have which fragments it would concern.
    pub(crate) fn foresee(
        &mut self,
        array: &Snapshot,
        plans: &[FragmentPlan],
        schema: &mut Arc<ArraySchema>,
        delete: &tdb_array::Delete,
    ) -> Result<(), QueryError> {
        let next = (array.deletes().len(), delete);
        self.foreseen = by_fragments(array, &planned(array, plans), next, schema)?;
        Ok(())
    }

    /// Which rows that delete would take.
    pub(crate) fn foreseen(
        &self,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<Vec<bool>, QueryError> {
        let mut all = vec![false; table.rows];
        for delete in &self.foreseen {
            let gone = self.gone(delete, array, table)?;
            all.iter_mut()
                .zip(gone)
                .for_each(|(all, gone)| *all |= gone);
        }
        Ok(all)
    }

    pub(crate) fn has_deletes(&self) -> bool {
        !(self.deletes.is_empty() && self.foreseen.is_empty())
    }

    /// The fields that deletes look at.
    pub(crate) fn fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let deletes = self.deletes.iter().chain(&self.foreseen);
        let of_deletes = deletes.flat_map(|delete| delete.keep.fields());
        let tells_which = self.has_delete_times && self.versions == Versions::All;
        of_deletes
            .chain(self.has_delete_times.then_some(FieldKind::DeleteTimestamps))
            .chain(tells_which.then_some(FieldKind::DeleteConditionIndex))
    }

    /// Leaves out cells written outside the time window, before anything else.
    pub(crate) fn filter_times(&self, table: &CellTable, rows: &mut Option<Vec<u32>>) {
        if !self.filters_time {
            return;
        }
        let Some(times) = table.column(FieldKind::Timestamps) else {
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
        array: &Snapshot,
        table: &CellTable,
        rows: &mut Option<Vec<u32>>,
    ) -> Result<(), QueryError> {
        if let Some(times) = table.column(FieldKind::DeleteTimestamps) {
            filter(rows, table.rows, |row| {
                let deleted = times.u64_at(row as usize);
                deleted > self.until || deleted == NEVER
            });
        }
        for delete in &self.deletes {
            let gone = self.gone(delete, array, table)?;
            filter(rows, table.rows, |row| {
                gone.get(row as usize).is_some_and(|&gone| !gone)
            });
        }
        Ok(())
    }

    /// Which rows a delete takes.
    fn gone(
        &self,
        delete: &Delete,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<Vec<bool>, QueryError> {
        let keep = delete.keep.evaluate(table)?;
        let mut gone = vec![false; table.rows];
        for segment in &table.segments {
            if delete.fragments.binary_search(&segment.fragment).is_err() {
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
        Ok(gone)
    }

    /// When each row was deleted, and by which of the array's deletes: the first that took it.
    pub(crate) fn deletions(
        &self,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<[Vec<u64>; 2], QueryError> {
        let mut times = vec![NEVER; table.rows];
        let mut by = vec![NEVER; table.rows];
        self.stored_deletions(array, table, &mut times, &mut by);
        for delete in &self.deletes {
            let gone = self.gone(delete, array, table)?;
            let rows = times.iter_mut().zip(&mut by).zip(gone);
            for ((time, by), gone) in rows {
                // What a fragment tells of this very time stays.
                if gone && delete.timestamp < *time {
                    (*time, *by) = (delete.timestamp, delete.index as u64);
                }
            }
        }
        Ok([times, by])
    }

    /// What fragments themselves tell of their cells. They count deletes in lists of their own.
    fn stored_deletions(
        &self,
        array: &Snapshot,
        table: &CellTable,
        times: &mut [u64],
        by: &mut [u64],
    ) {
        let column = |field| table.column(field);
        let stored =
            column(FieldKind::DeleteTimestamps).zip(column(FieldKind::DeleteConditionIndex));
        let Some((stored_times, stored_by)) = stored else {
            return;
        };
        for segment in &table.segments {
            let Some(fragment) = array.fragments().get(segment.fragment) else {
                continue;
            };
            let markers = fragment.processed_conditions().iter();
            let places: Vec<u64> = markers.map(|marker| place_of(array, marker)).collect();
            for row in segment.rows.clone() {
                let time = stored_times.u64_at(row);
                if time > self.until {
                    continue;
                }
                let which = usize::try_from(stored_by.u64_at(row)).ok();
                let which = which.and_then(|which| places.get(which)).copied();
                if let (Some(place), Some(time_place)) = (by.get_mut(row), times.get_mut(row)) {
                    (*place, *time_place) = (which.unwrap_or(NEVER), time);
                }
            }
        }
    }
}

/// The fragments that were planned, with their positions in the array's list.
fn planned<'a>(array: &'a Snapshot, plans: &[FragmentPlan]) -> Vec<(usize, &'a Fragment)> {
    let fragment = |f: &FragmentPlan| Some((f.fragment, array.fragments().get(f.fragment)?));
    plans.iter().filter_map(fragment).collect()
}

/// What a delete, given with its position in the array's list, asks of the fragments that it concerns: those of each
/// schema by themselves.
fn by_fragments(
    array: &Snapshot,
    fragments: &[(usize, &Fragment)],
    (index, delete): (usize, &tdb_array::Delete),
    schema: &mut Arc<ArraySchema>,
) -> Result<Vec<Delete>, QueryError> {
    let concerned = fragments.iter().filter(|(_, fragment)| {
        let processed =
            fragment.metadata.extra_fields.deletes && fragment.has_processed(&delete.marker);
        !processed && delete.timestamp >= fragment.timestamps().0
    });
    let mut deletes = Vec::new();
    for (_, same) in by_schema(concerned.copied()) {
        let stored = &same.iter().map(|(_, f)| &f.schema).next();
        let Some(stored) = stored else { continue };
        let keep = stored_predicate(array, &delete.condition, stored, schema);
        deletes.push(Delete {
            index,
            timestamp: delete.timestamp,
            keep: keep.at(&delete.marker)?,
            fragments: same.iter().map(|(index, _)| *index).collect(),
        });
    }
    Ok(deletes)
}

/// The position of a delete in the array's list.
fn place_of(array: &Snapshot, marker: &str) -> u64 {
    let marker = marker.trim_start_matches('/');
    let place = array.deletes().iter().position(|d| d.marker == marker);
    place.map_or(NEVER, |place| place as u64)
}

/// Fragments, those of one schema together.
fn by_schema<'a>(
    fragments: impl Iterator<Item = (usize, &'a Fragment)>,
) -> HashMap<*const ArraySchema, Vec<(usize, &'a Fragment)>> {
    let mut groups: HashMap<_, Vec<_>> = HashMap::new();
    for (index, fragment) in fragments {
        let group = groups.entry(Arc::as_ptr(&fragment.schema)).or_default();
        group.push((index, fragment));
    }
    groups
}

/// A stored condition as it concerns fragments of the schema `stored`, with the fields that it tests.
///
/// An attribute may be gone since, or be another under its name: it stands behind those of `schema` then.
fn stored_predicate(
    array: &Snapshot,
    condition: &ConditionTree,
    stored: &ArraySchema,
    schema: &mut Arc<ArraySchema>,
) -> Result<Predicate, WireError> {
    let fields = condition_fields(stored, &[]);
    let condition = ResolvedCondition::from_stored(condition, &fields, array.limits())?;
    let mut places = Vec::new();
    for field in condition.fields() {
        let place = stored.field(&field.name).map(|field| match field.kind {
            FieldKind::Attribute(index) => attribute_place(stored, index, schema),
            kind => kind,
        });
        places.push(place);
    }
    Ok(Predicate::with_fields(condition, places))
}

/// Where the attribute with this index in `stored` stands in `schema`, to which it is added if need be.
fn attribute_place(stored: &ArraySchema, index: usize, schema: &mut Arc<ArraySchema>) -> FieldKind {
    let Some(attribute) = stored.attributes.get(index) else {
        return FieldKind::Attribute(index);
    };
    let known = schema.attributes.iter().position(|other| {
        other.name == attribute.name
            && other.datatype == attribute.datatype
            && other.cell_val_num == attribute.cell_val_num
            && other.nullable == attribute.nullable
    });
    FieldKind::Attribute(known.unwrap_or_else(|| {
        let attributes = &mut Arc::make_mut(schema).attributes;
        attributes.push(attribute.clone());
        attributes.len().saturating_sub(1)
    }))
}

/// When a cell was written: its own time, or that of its fragment.
pub(crate) fn time_of(array: &Snapshot, table: &CellTable, row: u32) -> u64 {
    if let Some(times) = table.column(FieldKind::Timestamps) {
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
