//! Deletes cells by a condition; counts the affected cells first.

use std::collections::BTreeSet;
use std::sync::Arc;

use tdb_array::{
    Array, ChangeOptions, CommittedNames, Delete, OpenOptions, Reach, ReadModifyWrite, TimeWindow,
};
use tdb_cells::{FieldInfo, Session};
use tdb_condition::{Condition, ConditionError, ConditionRules, KeepCondition};
use tdb_fragment::ConditionTree;
use tdb_query::{ReadOptions, Reader, ResultOrder, Tally};
use tdb_schema::FieldKind;
use tdb_tile::Exact;

use crate::DeleteError;
use crate::delete_coordinates::coordinates_of;

/// Options of [`delete_cells`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeleteOptions {
    /// The timestamp of the delete, and the generator of object names. The stored object is encrypted with the
    /// array's own key.
    pub change: ChangeOptions,
    /// Also delete the cells that [`Deletion::beyond`] counts, instead of refusing the delete.
    pub with_nulls: bool,
    /// If the delete would be refused, store the coordinates of the matching cells instead: for conditions that the
    /// stored form cannot express, and for those whose stored form would also delete other cells.
    pub by_coordinates: bool,
    /// How the condition treats null, NaN, NaT and indexes without a label. The stored form compares the stored
    /// values.
    pub rules: ConditionRules,
    /// Only count the cells; store nothing.
    pub dry_run: bool,
}

impl DeleteOptions {
    /// Sets [`change`](field@Self::change).
    #[must_use]
    pub fn change(mut self, change: ChangeOptions) -> Self {
        self.change = change;
        self
    }

    /// Sets [`with_nulls`](field@Self::with_nulls).
    #[must_use]
    pub fn with_nulls(mut self, with_nulls: bool) -> Self {
        self.with_nulls = with_nulls;
        self
    }

    /// Sets [`by_coordinates`](field@Self::by_coordinates).
    #[must_use]
    pub fn by_coordinates(mut self, by_coordinates: bool) -> Self {
        self.by_coordinates = by_coordinates;
        self
    }

    /// Sets [`rules`](field@Self::rules).
    #[must_use]
    pub fn rules(mut self, rules: ConditionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets [`dry_run`](field@Self::dry_run).
    #[must_use]
    pub fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
}

/// Numbers of cells that a delete affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deletion {
    /// Number of cells of the array at the time of the delete.
    pub cells: u64,
    /// Number of cells that match the condition.
    pub fitting: u64,
    /// Number of cells that are deleted.
    pub taken: u64,
    /// Number of cells that are deleted although they do not match: null, NaN, NaT or without a label in a field that
    /// the condition compares, or written before the array had that field.
    pub beyond: u64,
    /// Number of times the delete was repeated because other programs changed the array at the same moment.
    pub yielded: u32,
}

/// Deletes the cells of a sparse array that match a condition.
///
/// The stored form of a delete is the condition under which a cell is kept. It keeps no cell that is null or NaN in a
/// field that it compares, and no cell that was written before the array had that field; NaT and indexes without a
/// label are compared as numbers. Therefore both the given condition and its stored form are first evaluated on all
/// cells, as of the time of the delete. Cells that others write in the meantime, with a timestamp up to that time,
/// are not counted, but the stored form applies to them.
///
/// # Errors
/// [`DeleteError::TakesMore`] if cells that do not match would be deleted and neither [`DeleteOptions::with_nulls`]
/// nor [`DeleteOptions::by_coordinates`] is set; nothing is deleted then. With the latter,
/// [`DeleteError::SharedCoordinates`] if cells that match share their coordinates with others,
/// [`DeleteError::TooManyPlaces`] if they lie at more places than a delete can name. Errors of reading, of
/// [`Condition::kept`] and of [`Array::delete_cells`].
pub fn delete_cells(
    session: &Session,
    array: &Array,
    condition: &Condition,
    options: &DeleteOptions,
) -> Result<Deletion, DeleteError> {
    // A condition is also meant for cells that others write meanwhile; coordinates are valid only for the cells that
    // were read, so only these need the read-modify-write below.
    if options.dry_run || !options.by_coordinates {
        return delete_by_condition(session, array, condition, options);
    }
    let mut change = ReadModifyWrite::begin(array.location(), &options.change)?;
    loop {
        let view = change.view()?;
        let time = view.time();
        let planned = planned(session, array, view.array(), condition, options, time)?;
        change.renew()?;
        let Some(kept) = &planned.kept else {
            return Ok(planned.deletion);
        };
        if !change.is_current(&view)? {
            continue;
        }
        change.announce(time)?;
        let committed = CommittedNames {
            fragments: Vec::new(),
            delete: Some(array.delete_cells(kept, &change_at(&options.change, time))?),
        };
        if change.keep(&view, &committed, Reach::Everything)? {
            return Ok(Deletion {
                yielded: change.yielded(),
                ..planned.deletion
            });
        }
    }
}

/// Deletes by the stored form of the condition. If a concurrent change that could not see the delete has written
/// cells at a later time, the delete is taken back and repeated at a later time.
fn delete_by_condition(
    session: &Session,
    array: &Array,
    condition: &Condition,
    options: &DeleteOptions,
) -> Result<Deletion, DeleteError> {
    let mut time = options.change.time();
    let mut yielded = 0_u32;
    loop {
        let seen = seen_at(array, time)?;
        let planned = planned(session, array, &seen, condition, options, time)?;
        let deletion = Deletion {
            yielded,
            ..planned.deletion
        };
        let Some(kept) = planned.kept.filter(|_| !options.dry_run) else {
            return Ok(deletion);
        };
        let committed = CommittedNames {
            fragments: Vec::new(),
            delete: Some(array.delete_cells(&kept, &change_at(&options.change, time))?),
        };
        if options.change.timestamp.is_some() {
            return Ok(deletion);
        }
        let Some(later) = array.time_above_changes(&committed, &*options.change.names)? else {
            return Ok(deletion);
        };
        array.location().take_back(&committed)?;
        yielded = yielded.exact_add(1)?;
        time = later;
    }
}

/// Returns the options with this timestamp.
pub(crate) fn change_at(options: &ChangeOptions, time: u64) -> ChangeOptions {
    options.clone().timestamp(Some(time))
}

/// A condition, and the rules by which it is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct RuledCondition<'a> {
    pub(crate) condition: &'a Condition,
    pub(crate) rules: ConditionRules,
}

/// A delete that was evaluated but not stored yet.
struct PlannedDelete {
    /// Condition to store; `None` if all cells are kept.
    kept: Option<ConditionTree>,
    deletion: Deletion,
}

/// Evaluates a delete on the cells of `seen`: the condition to store, and the cells that it deletes.
fn planned(
    session: &Session,
    array: &Array,
    seen: &Arc<Array>,
    condition: &Condition,
    options: &DeleteOptions,
    time: u64,
) -> Result<PlannedDelete, DeleteError> {
    let change = change_at(&options.change, time);
    let rules = options.rules;
    let condition = RuledCondition { condition, rules };
    let as_it_is = stored_form(array, condition.condition, rules, session).and_then(|kept| {
        if let Some(kept) = &kept {
            array.check_delete_cells(kept, &change)?;
        }
        let deletion = foresee(session, seen, condition, kept.as_ref(), time)?;
        Ok((kept, deletion))
    });
    let (kept, deletion) = match as_it_is {
        Ok((_, deletion)) if options.by_coordinates && deletion.beyond > 0 => {
            by_coordinates(session, array, seen, condition, time)?
        }
        Err(DeleteError::Condition(
            ConditionError::NotStorable { .. } | ConditionError::NotHeld { .. },
        )) if options.by_coordinates => by_coordinates(session, array, seen, condition, time)?,
        as_it_is => as_it_is?,
    };
    if let Some(kept) = &kept
        && deletion.beyond > 0
        && !options.with_nulls
    {
        return Err(DeleteError::TakesMore {
            fitting: deletion.fitting,
            taken: deletion.taken,
            which: reasons(kept, array, seen),
        });
    }
    Ok(PlannedDelete { kept, deletion })
}

/// Returns the stored form of a delete by the coordinates of the matching cells, and the cells that it deletes.
fn by_coordinates(
    session: &Session,
    array: &Array,
    seen: &Arc<Array>,
    condition: RuledCondition<'_>,
    time: u64,
) -> Result<(Option<ConditionTree>, Deletion), DeleteError> {
    let kept = match coordinates_of(session, seen, condition.condition, condition.rules)? {
        Some(coordinates) => {
            stored_form(array, &coordinates, ConditionRules::stored_bytes(), session)?
        }
        None => None,
    };
    let deletion = foresee(session, seen, condition, kept.as_ref(), time)?;
    if deletion.beyond > 0 {
        return Err(DeleteError::SharedCoordinates {
            fitting: deletion.fitting,
            taken: deletion.taken,
        });
    }
    Ok((kept, deletion))
}

/// Counts the cells that a delete with the stored condition `kept` would delete.
pub(crate) fn foresee(
    session: &Session,
    array: &Arc<Array>,
    condition: RuledCondition<'_>,
    kept: Option<&ConditionTree>,
    time: u64,
) -> Result<Deletion, DeleteError> {
    let options = ReadOptions::default()
        .attributes(Some(Vec::new()))
        .dimensions(Some(Vec::new()))
        .order(Some(ResultOrder::Unordered))
        .condition(Some(condition.condition.clone()))
        .rules(condition.rules);
    let delete = kept.map(|kept| Delete {
        marker: "the delete".to_owned(),
        timestamp: time,
        condition: Arc::new(kept.clone()),
    });
    let Tally {
        cells,
        fitting,
        taken,
        beyond,
    } = Reader::tally(session, array, &options, delete.as_ref())?;
    Ok(Deletion {
        cells,
        fitting,
        taken,
        beyond,
        yielded: 0,
    })
}

/// Returns the condition under which cells are kept; `None` if all cells are kept, whatever their values.
pub(crate) fn stored_form(
    array: &Array,
    condition: &Condition,
    rules: ConditionRules,
    session: &Session,
) -> Result<Option<ConditionTree>, DeleteError> {
    let schema = array.newest_schema();
    let names = schema.enumerations.iter().map(|entry| entry.name.as_str());
    let enumerations = array.newest_enumerations(names)?;
    let fields = FieldInfo::of_schema(schema, |_, name| {
        let mut known = enumerations.iter();
        known.find(|known| known.name() == name).cloned()
    });
    Ok(match condition.kept_by(&fields, session.limits(), rules)? {
        KeepCondition::All => None,
        KeepCondition::Where(kept) => Some(kept),
    })
}

/// Opens the array as of the given time.
fn seen_at(array: &Array, time: u64) -> Result<Arc<Array>, DeleteError> {
    let options = OpenOptions::default().window(TimeWindow::until(time));
    let seen = Array::open_location(array.location(), options)?;
    Ok(Arc::new(seen))
}

/// Describes the cells that are deleted although they do not match, judged by the compared fields.
fn reasons(kept: &ConditionTree, array: &Array, seen: &Array) -> String {
    let names: BTreeSet<&str> = kept.values().map(|value| value.field()).collect();
    let mut reasons = Vec::new();
    for name in names {
        let Some(field) = array.newest_schema().field(name) else {
            continue;
        };
        let datatype = field.datatype;
        let has_labels = || match field.kind {
            FieldKind::Attribute(index) => {
                let attribute = array.newest_schema().attributes.get(index);
                attribute.is_some_and(|attribute| attribute.enumeration.is_some())
            }
            _ => false,
        };
        let odd: Vec<&str> = [
            ("null", field.nullable),
            ("without a label", has_labels()),
            ("NaN", datatype.is_real()),
            ("NaT", datatype.is_datetime() || datatype.is_time()),
        ]
        .into_iter()
        .filter_map(|(what, is_possible)| is_possible.then_some(what))
        .collect();
        if !odd.is_empty() {
            reasons.push(format!("{} in {name:?}", odd.join(" or ")));
        }
        let mut fragments = seen.fragments().iter();
        if fragments.any(|fragment| fragment.schema.field(name).is_none()) {
            reasons.push(format!("older than {name:?}"));
        }
    }
    reasons.join(", or ")
}
