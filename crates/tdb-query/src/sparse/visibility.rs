//! Determines the cells that are visible at the time of the read, from the timestamps of cells and from deletes.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::{At, Fragment, Snapshot, TimeWindow};
use tdb_cells::{CellSet, CellTable, FieldInfo, Row};
use tdb_condition::{Predicate, ResolvedCondition};
use tdb_fragment::{ConditionTree, FragmentIndex};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, WireError};

use super::fragment_plan::FragmentPlan;
use super::row_times::RowTimes;
use super::rows::{Rows, keep_in};
use crate::QueryError;
use crate::options::Versions;

/// Deletion time of a cell that is not deleted.
const NEVER: u64 = u64::MAX;

/// Deletes and times that decide which cells of a read are visible.
#[derive(Debug, Default)]
pub(crate) struct Visibility {
    /// Last millisecond that is visible; `since` is the first.
    until: u64,
    since: u64,
    deletes: Vec<Delete>,
    /// Delete that was not made yet, one entry for each schema of the fragments.
    foreseen: Vec<Delete>,
    /// Whether any fragment stores the deletion time of each cell.
    has_delete_times: bool,
    /// Position of each delete in the array's list, by its marker.
    places: HashMap<String, u64>,
    versions: Versions,
}

/// Delete, with the condition under which cells are kept.
#[derive(Debug)]
struct Delete {
    /// Position in the array's list.
    index: usize,
    timestamp: u64,
    keep: Predicate,
    /// Fragments that the delete applies to, in the array's order.
    fragments: Vec<FragmentIndex>,
}

impl Visibility {
    /// Finds the fragments that each delete applies to. Attributes that deletes test and `schema` lacks are added to
    /// `schema`.
    pub(crate) fn new(
        array: &Snapshot,
        plans: &[FragmentPlan],
        schema: &mut Arc<ArraySchema>,
        versions: Versions,
    ) -> Result<Self, QueryError> {
        let TimeWindow { since, at: until } = array.window();
        let fragments = planned(array, plans)?;
        let mut deletes = Vec::new();
        for (index, delete) in array.deletes().iter().enumerate() {
            deletes.extend(by_fragments(array, &fragments, index, delete, schema)?);
        }
        let has_delete_times = fragments
            .iter()
            .any(|(_, fragment)| fragment.metadata.extra_fields.deletes);
        let markers = array.deletes().iter().map(|delete| delete.marker.clone());
        let places = markers.zip(0_u64..).collect();
        Ok(Self {
            until,
            since,
            deletes,
            foreseen: Vec::new(),
            has_delete_times,
            places,
            versions,
        })
    }

    /// Finds the fragments that a delete which the array does not have would apply to.
    pub(crate) fn foresee(
        &mut self,
        array: &Snapshot,
        plans: &[FragmentPlan],
        schema: &mut Arc<ArraySchema>,
        delete: &tdb_array::Delete,
    ) -> Result<(), QueryError> {
        let (fragments, index) = (planned(array, plans)?, array.deletes().len());
        self.foreseen = by_fragments(array, &fragments, index, delete, schema)?;
        Ok(())
    }

    /// Returns the rows that the foreseen delete would take.
    pub(crate) fn foreseen(
        &self,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<CellSet, QueryError> {
        let mut all = CellSet::none(table.rows());
        for delete in &self.foreseen {
            all.add(&self.gone(delete, array, table)?)?;
        }
        Ok(all)
    }

    pub(crate) fn has_deletes(&self) -> bool {
        !(self.deletes.is_empty() && self.foreseen.is_empty())
    }

    /// Returns the fields that deletes test.
    pub(crate) fn fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let deletes = self.deletes.iter().chain(&self.foreseen);
        let of_deletes = deletes.flat_map(|delete| delete.keep.fields());
        let tells_which = self.has_delete_times && self.versions == Versions::All;
        of_deletes
            .chain(self.has_delete_times.then_some(FieldKind::DeleteTimestamps))
            .chain(tells_which.then_some(FieldKind::DeleteConditionIndex))
    }

    /// Drops cells written outside the time window, before anything else. Their timestamps must be loaded.
    pub(crate) fn filter_times(&self, table: &CellTable, rows: &mut Rows) -> Result<(), Bug> {
        let times = table
            .column(FieldKind::Timestamps)
            .ok_or_else(|| Bug::new("cells are chosen by times that are not loaded"))?;
        let is_within = |row| {
            let time = times.u64_at(row)?;
            Ok(self.since <= time && time <= self.until)
        };
        keep_in(rows, &CellSet::of_rows(table.rows(), is_within)?)
    }

    /// Drops deleted cells, after the newest of equal coordinates were selected.
    pub(crate) fn retain(
        &self,
        array: &Snapshot,
        table: &CellTable,
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        let times = table.column(FieldKind::DeleteTimestamps);
        if times.is_none() && self.deletes.is_empty() {
            return Ok(());
        }
        let mut kept = CellSet::all(table.rows());
        if let Some(times) = times {
            let is_there = |row| {
                let deleted = times.u64_at(row)?;
                Ok::<_, Bug>(deleted > self.until || deleted == NEVER)
            };
            kept = CellSet::of_rows(table.rows(), is_there)?;
        }
        for delete in &self.deletes {
            kept.remove(&self.gone(delete, array, table)?)?;
        }
        Ok(keep_in(rows, &kept)?)
    }

    /// Returns the rows that a delete takes.
    fn gone(
        &self,
        delete: &Delete,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<CellSet, QueryError> {
        let mut gone = CellSet::all(table.rows());
        gone.remove(&delete.keep.evaluate(table)?)?;
        let times = RowTimes::new(array, table)?;
        for segment in &table.segments {
            if delete.fragments.binary_search(&segment.fragment).is_err() {
                gone.remove_rows(segment.rows)?;
                continue;
            }
            let fragment = array.fragment(segment.fragment)?;
            let is_before = !fragment.metadata.extra_fields.timestamps
                || delete.timestamp > fragment.timestamps().1;
            if !is_before {
                let is_later = |row| Ok(times.of(row)? > delete.timestamp);
                gone.remove_where(segment.rows, is_later)?;
            }
        }
        Ok(gone)
    }

    /// Returns when each row was deleted, and the index of the delete that took it first.
    pub(crate) fn deletions(
        &self,
        array: &Snapshot,
        table: &CellTable,
    ) -> Result<[Vec<u64>; 2], QueryError> {
        let none = || vec![NEVER; table.rows().len()];
        let (mut times, mut by) = (none(), none());
        self.stored_deletions(array, table, &mut times, &mut by)?;
        for delete in &self.deletes {
            for row in self.gone(delete, array, table)?.iter() {
                let (time, by) = place_of_row(&mut times, &mut by, row)?;
                // A stored deletion at this very time takes precedence.
                if delete.timestamp < *time {
                    (*time, *by) = (delete.timestamp, delete.index as u64);
                }
            }
        }
        Ok([times, by])
    }

    /// Reads the deletions that fragments store for their cells. Each fragment numbers the deletes by a list of its
    /// own.
    fn stored_deletions(
        &self,
        array: &Snapshot,
        table: &CellTable,
        times: &mut [u64],
        by: &mut [u64],
    ) -> Result<(), QueryError> {
        let column = |field| table.column(field);
        let stored =
            column(FieldKind::DeleteTimestamps).zip(column(FieldKind::DeleteConditionIndex));
        let Some((stored_times, stored_by)) = stored else {
            return Ok(());
        };
        for segment in &table.segments {
            let fragment = array.fragment(segment.fragment)?;
            let markers = fragment.processed_conditions().iter();
            let place = |marker: &String| self.places.get(marker.trim_start_matches('/'));
            // A delete that the array lacks is known by its time only.
            let places: Vec<u64> = markers
                .map(|m| place(m).copied().unwrap_or(NEVER))
                .collect();
            for row in segment.rows.iter() {
                let time = stored_times.u64_at(row)?;
                if time > self.until {
                    continue;
                }
                let which = usize::try_from(stored_by.u64_at(row)?)
                    .ok()
                    .and_then(|which| places.get(which))
                    .copied();
                let (time_place, place) = place_of_row(times, by, row)?;
                // A delete that the fragment does not name is one that the array lacks.
                (*place, *time_place) = (which.unwrap_or(NEVER), time);
            }
        }
        Ok(())
    }
}

/// Returns the entries for the time and the index of the delete of a row.
fn place_of_row<'a>(
    times: &'a mut [u64],
    by: &'a mut [u64],
    row: Row,
) -> Result<(&'a mut u64, &'a mut u64), Bug> {
    let places = times.get_mut(row.index()).zip(by.get_mut(row.index()));
    places.ok_or_else(|| Bug::new("a row behind those of its table"))
}

/// Returns the planned fragments, with their indices in the array's list.
fn planned<'a>(
    array: &'a Snapshot,
    plans: &[FragmentPlan],
) -> Result<Vec<(FragmentIndex, &'a Fragment)>, Bug> {
    let fragment = |f: &FragmentPlan| Ok((f.fragment, array.fragment(f.fragment)?));
    plans.iter().map(fragment).collect()
}

/// Resolves a delete, whose position in the array's list is `index`, for the fragments it applies to: one entry for
/// each schema.
fn by_fragments(
    array: &Snapshot,
    fragments: &[(FragmentIndex, &Fragment)],
    index: usize,
    delete: &tdb_array::Delete,
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

/// Groups fragments by schema.
fn by_schema<'a>(
    fragments: impl Iterator<Item = (FragmentIndex, &'a Fragment)>,
) -> HashMap<*const ArraySchema, Vec<(FragmentIndex, &'a Fragment)>> {
    let mut groups: HashMap<_, Vec<_>> = HashMap::new();
    for (index, fragment) in fragments {
        let group = groups.entry(Arc::as_ptr(&fragment.schema)).or_default();
        group.push((index, fragment));
    }
    groups
}

/// Resolves a stored condition for fragments with the schema `stored`, with the fields that it tests.
///
/// An attribute may have been dropped since, or replaced by another of the same name: it is then appended to the
/// attributes of `schema`.
fn stored_predicate(
    array: &Snapshot,
    condition: &ConditionTree,
    stored: &ArraySchema,
    schema: &mut Arc<ArraySchema>,
) -> Result<Predicate, WireError> {
    let fields = FieldInfo::of_schema(stored, |_, _| None);
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

/// Returns the position in `schema` of the attribute `index` of `stored`; appends the attribute if it is missing.
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
        let place = attributes.len();
        attributes.push(attribute.clone());
        place
    }))
}
