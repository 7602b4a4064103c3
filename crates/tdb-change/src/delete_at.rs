//! Deletes cells by coordinates that the caller finds, for conditions that only the caller can evaluate.

use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, CommittedNames, Reach, ReadModifyWrite, View};
use tdb_cells::{Batch, Session};
use tdb_condition::{ConditionRules, GatheredPoints};
use tdb_tile::Bug;

use crate::DeleteError;
use crate::delete::{Deletion, RuledCondition, change_at, foresee, stored_form};
use crate::delete_coordinates::{condition_of, no_points};

/// Delete of cells by their coordinates, which the caller finds in the array as of the time of the delete. Cells that
/// others write meanwhile are not deleted unseen.
///
/// ```no_run
/// # use std::sync::Arc;
/// # use tdb_array::{Array, ChangeOptions};
/// # use tdb_cells::{Batch, Session};
/// # use tdb_change::{DeleteAt, DeleteError, Deletion};
/// # fn found(array: &Array) -> Vec<Batch> { Vec::new() }
/// # fn delete(session: &Session, array: &Arc<Array>) -> Result<Deletion, DeleteError> {
/// let mut delete = DeleteAt::begin(session, array, &ChangeOptions::default())?;
/// loop {
///     let seen = delete.look()?;
///     for batch in found(&seen) {
///         delete.add(&batch)?;
///     }
///     if let Some(deletion) = delete.commit()? {
///         return Ok(deletion);
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct DeleteAt {
    session: Session,
    array: Arc<Array>,
    options: ChangeOptions,
    change: ReadModifyWrite,
    /// View of the array that the caller searches, and the coordinates that were added so far.
    seen: Option<(View, GatheredPoints)>,
    cells: u64,
}

impl DeleteAt {
    /// Waits until no other program is changing the array based on what it read there.
    ///
    /// # Errors
    /// Other programs that keep changing it for too long; errors of the store.
    pub fn begin(
        session: &Session,
        array: &Arc<Array>,
        options: &ChangeOptions,
    ) -> Result<Self, DeleteError> {
        Ok(Self {
            session: session.clone(),
            array: Arc::clone(array),
            options: options.clone(),
            change: ReadModifyWrite::begin(array.location(), options)?,
            seen: None,
            cells: 0,
        })
    }

    /// Returns the array to search for cells, as of the time of the delete. Cells that were added before are dropped.
    ///
    /// # Errors
    /// Other programs that change the array all the time; errors of opening it.
    pub fn look(&mut self) -> Result<Arc<Array>, DeleteError> {
        self.seen = None;
        self.cells = 0;
        let view = self.change.view()?;
        let seen = Arc::clone(view.array());
        self.seen = Some((view, no_points(&self.session, &seen)));
        Ok(seen)
    }

    /// Adds cells: a batch with a column for each dimension and a row for each cell.
    ///
    /// # Errors
    /// As for [`GatheredPoints::add`].
    pub fn add(&mut self, batch: &Batch) -> Result<(), DeleteError> {
        let (_, points) = self.seen.as_mut().ok_or_else(unseen)?;
        points.add(batch)?;
        let cells = self.cells.checked_add(batch.rows as u64);
        self.cells = cells.ok_or_else(|| Bug::new("more cells than 64 bits count"))?;
        Ok(())
    }

    /// Deletes the cells that were added. Returns `None` if others have changed the array since [`DeleteAt::look`]:
    /// the caller then has to find the cells again.
    ///
    /// # Errors
    /// [`DeleteError::SharedCoordinates`] if other cells have the same coordinates, [`DeleteError::TooManyPlaces`] if
    /// the cells have more coordinates than a delete can name; errors of reading and storing. Nothing is deleted
    /// then.
    pub fn commit(&mut self) -> Result<Option<Deletion>, DeleteError> {
        let (view, points) = self.seen.take().ok_or_else(unseen)?;
        let Some(condition) = condition_of(points, &self.session)? else {
            return Ok(Some(Deletion::default()));
        };
        let rules = ConditionRules::stored_bytes();
        let time = view.time();
        let kept = stored_form(&self.array, &condition, rules, &self.session)?;
        let Some(kept) = kept else {
            return Err(Bug::new("coordinates of cells that no cell has").into());
        };
        let change = change_at(&self.options, time);
        self.array.check_delete_cells(&kept, &change)?;
        let asked = RuledCondition {
            condition: &condition,
            rules,
        };
        let deletion = foresee(&self.session, view.array(), asked, Some(&kept), time)?;
        let is_current = self.change.is_current(&view)?;
        if deletion.taken != self.cells && is_current {
            return Err(DeleteError::SharedCoordinates {
                fitting: self.cells,
                taken: deletion.taken,
            });
        }
        if !is_current {
            return Ok(None);
        }
        self.change.announce(time)?;
        let committed = CommittedNames {
            fragments: Vec::new(),
            delete: Some(self.array.delete_cells(&kept, &change)?),
        };
        let is_kept = self.change.keep(&view, &committed, Reach::Everything)?;
        Ok(is_kept.then_some(Deletion {
            yielded: self.change.yielded(),
            ..deletion
        }))
    }
}

fn unseen() -> Bug {
    Bug::new("a delete of cells that were looked for nowhere")
}
