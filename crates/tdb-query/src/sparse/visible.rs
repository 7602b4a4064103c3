//! Which cells there are at the time of the read: cells' own timestamps and deletes.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::{At, Fragment, Snapshot, TimeWindow};
use tdb_fragment::ConditionTree;
use tdb_schema::ArraySchema;
use tdb_tile::WireError;

use super::merge::filter;
use super::plan::FragmentPlan;
use super::predicate::Predicate;
use super::table::CellTable;
use crate::QueryError;
use crate::condition::ResolvedCondition;
use crate::field::Field;
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
    /// Asks the deletes which fragments they concern. Attributes that `schema` has no more and deletes ask about
    /// are added to it.
    pub(crate) fn new(
        array: &Snapshot,
        plans: &[FragmentPlan],
        schema: &mut Arc<ArraySchema>,
    ) -> Result<Self, QueryError> {
        let TimeWindow { since, at: until } = array.window();
        let fragment = |f: &FragmentPlan| Some((f.fragment, array.fragments().get(f.fragment)?));
        let fragments: Vec<(usize, &Fragment)> = plans.iter().filter_map(fragment).collect();
        let mut deletes = Vec::new();
        for delete in array.deletes() {
            let concerned = fragments.iter().filter(|(_, fragment)| {
                let processed = fragment.metadata.extra_fields.deletes
                    && fragment.has_processed(&delete.marker);
                !processed && delete.timestamp >= fragment.timestamps().0
            });
            for (_, same) in by_schema(concerned.copied()) {
                let stored = &same.iter().map(|(_, f)| &f.schema).next();
                let Some(stored) = stored else { continue };
                let keep = stored_predicate(array, &delete.condition, stored, schema);
                deletes.push(Delete {
                    timestamp: delete.timestamp,
                    keep: keep.at(&delete.marker)?,
                    fragments: same.iter().map(|(index, _)| *index).collect(),
                });
            }
        }
        let has_delete_times = fragments
            .iter()
            .any(|(_, fragment)| fragment.metadata.extra_fields.deletes);
        Ok(Self {
            until,
            since,
            deletes,
            has_delete_times,
            filters_time: plans.iter().any(|f| f.filters_time),
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
        array: &Snapshot,
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
            Field::Attribute(index) => attribute_place(stored, index, schema),
            kind => kind,
        });
        places.push(place);
    }
    Ok(Predicate::with_fields(condition, places))
}

/// Where the attribute with this index in `stored` stands in `schema`, to which it is added if need be.
fn attribute_place(stored: &ArraySchema, index: usize, schema: &mut Arc<ArraySchema>) -> Field {
    let Some(attribute) = stored.attributes.get(index) else {
        return Field::Attribute(index);
    };
    let known = schema.attributes.iter().position(|other| {
        other.name == attribute.name
            && other.datatype == attribute.datatype
            && other.cell_val_num == attribute.cell_val_num
            && other.nullable == attribute.nullable
    });
    Field::Attribute(known.unwrap_or_else(|| {
        let attributes = &mut Arc::make_mut(schema).attributes;
        attributes.push(attribute.clone());
        attributes.len().saturating_sub(1)
    }))
}

/// When a cell was written: its own time, or that of its fragment.
pub(crate) fn time_of(array: &Snapshot, table: &CellTable, row: u32) -> u64 {
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
