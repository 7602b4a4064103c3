//! Deletes cells by a condition, once it is known which cells that takes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, Delete, OpenOptions, TimeWindow};
use tdb_cells::Session;
use tdb_condition::{Condition, ConditionField, Kept};
use tdb_fragment::ConditionTree;
use tdb_schema::Enumeration;

use crate::options::{ReadOptions, ResultOrder};
use crate::sparse::Tally;
use crate::{QueryError, Reader};

/// How cells are deleted by a condition.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// When; where names come from. The array's own key encrypts what is stored.
    pub change: ChangeOptions,
    /// Delete also the cells that [`Deletion::beyond`] counts, instead of refusing.
    pub with_nulls: bool,
    /// Say which cells go, and store nothing.
    pub dry_run: bool,
}

/// How many cells a delete takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deletion {
    /// Cells that there are at the time of the delete.
    pub cells: u64,
    /// Those that fit the condition.
    pub fitting: u64,
    /// Those that go.
    pub taken: u64,
    /// Those that go though they do not fit: null or NaN in a field that is compared, or older than it.
    pub beyond: u64,
}

/// Deletes the cells of a sparse array that fit a condition.
///
/// TileDB stores of a delete which cells stay, and keeps none that is null, or NaN, in a field that is compared,
/// nor one that was written before the array had that field. So both are asked of all cells first, the condition
/// and what is stored of it, as the array is at the time of the delete. What others write meanwhile for that time
/// or before is not among them, and is deleted by what is stored.
///
/// # Errors
/// [`QueryError::TakesMore`], and nothing is deleted, where cells would go that do not fit, unless
/// [`DeleteOptions::with_nulls`] allows it; those of reading, of [`Condition::kept`] and of
/// [`Array::delete_cells`].
pub fn delete_cells(
    session: &Session,
    array: &Array,
    condition: &Condition,
    options: &DeleteOptions,
) -> Result<Deletion, QueryError> {
    let time = options.change.time();
    let change = ChangeOptions {
        timestamp: Some(time),
        ..options.change.clone()
    };
    let kept = stored_form(array, condition, session)?;
    if let Some(kept) = &kept {
        array.check_delete_cells(kept, &change)?;
    }
    let seen = seen_at(array, time)?;
    let deletion = foresee(session, &seen, condition, kept.as_ref(), time)?;
    if let Some(kept) = &kept {
        if deletion.beyond > 0 && !options.with_nulls {
            return Err(QueryError::TakesMore {
                fitting: deletion.fitting,
                taken: deletion.taken,
                which: reasons(kept, array, &seen),
            });
        }
        if !options.dry_run {
            array.delete_cells(kept, &change)?;
        }
    }
    Ok(deletion)
}

/// What a delete that keeps what `kept` holds for would take of the cells of an array.
fn foresee(
    session: &Session,
    array: &Arc<Array>,
    condition: &Condition,
    kept: Option<&ConditionTree>,
    time: u64,
) -> Result<Deletion, QueryError> {
    let options = ReadOptions {
        attributes: Some(Vec::new()),
        dimensions: Some(Vec::new()),
        order: Some(ResultOrder::Unordered),
        condition: Some(condition.clone()),
        ..ReadOptions::default()
    };
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
    })
}

/// The condition under which cells stay; `None` where all do, whatever they hold.
fn stored_form(
    array: &Array,
    condition: &Condition,
    session: &Session,
) -> Result<Option<ConditionTree>, QueryError> {
    let schema = array.newest_schema();
    let names = schema.enumerations.iter();
    let read = names.map(|entry| array.newest_enumeration(&entry.name));
    let enumerations: Vec<Arc<Enumeration>> = read.collect::<Result<_, _>>()?;
    let fields = ConditionField::of_schema(schema, |name| {
        let mut known = enumerations.iter();
        known
            .find(|known| known.name() == name)
            .map(|known| &**known)
    });
    Ok(match condition.kept(&fields, session.limits())? {
        Kept::All => None,
        Kept::Where(kept) => Some(kept),
    })
}

/// The array as it is at a time, read anew.
fn seen_at(array: &Array, time: u64) -> Result<Arc<Array>, QueryError> {
    let options = OpenOptions {
        window: TimeWindow::until(time),
        key: array.key().cloned(),
        limits: array.limits().clone(),
        ..OpenOptions::default()
    };
    let seen = Array::open(Arc::clone(array.store()), array.prefix(), options)?;
    Ok(Arc::new(seen))
}

/// Which cells go that do not fit, as far as the fields that are compared tell.
fn reasons(kept: &ConditionTree, array: &Array, seen: &Array) -> String {
    let names: BTreeSet<&str> = kept.values().map(|value| value.field()).collect();
    let mut reasons = Vec::new();
    for name in names {
        let Some(field) = array.newest_schema().field(name) else {
            continue;
        };
        let odd: Vec<&str> = [("null", field.nullable), ("NaN", field.datatype.is_real())]
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
