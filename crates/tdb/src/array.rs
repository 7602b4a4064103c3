use std::ops::Deref;

use tdb_cells::Progress;
use tdb_change::{DeleteOptions, Deletion, delete_cells};
use tdb_condition::Condition;
use tdb_consolidate::{MergeOptions, Mode, VacuumOptions, plan_merge, plan_vacuum};
use tdb_open::Result;

use crate::Context;

/// An open array. It stays as it was at the time for which it was opened, whatever others write meanwhile.
///
/// Fragments and deletes with a timestamp in the future (dated ahead, or written by a program whose clock is ahead)
/// are not visible. This holds for reads and for all operations that change or maintain an array: [`set`](Self::set),
/// [`restore`](Self::restore), [`delete`](Self::delete), [`consolidate`](Self::consolidate), [`vacuum`](Self::vacuum)
/// and others see what a read sees at that moment, and leave future objects as they are. [`later`](crate::OpenArray::later)
/// reports whether there are any: once their time has come, they take precedence over what is written now.
///
/// Dereferences to [`OpenArray`](crate::OpenArray), which has the URI, the schema, the metadata and what else is known of the array
/// without reading cells.
#[derive(Clone, Debug)]
pub struct Array {
    context: Context,
    array: tdb_open::Array,
}

impl Deref for Array {
    type Target = tdb_open::Array;

    fn deref(&self) -> &Self::Target {
        &self.array
    }
}

impl From<tdb_open::Array> for Array {
    fn from(array: tdb_open::Array) -> Self {
        Self {
            context: array.context().clone().into(),
            array,
        }
    }
}

/// Result of a consolidation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consolidation {
    /// Names of the new fragments.
    pub fragments: Vec<String>,
    /// Reasons why some fragments were left as they are.
    pub notes: Vec<String>,
}

impl Array {
    /// Returns the context (threads, memory and key) with which the array was opened.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn in_context(context: &Context, array: tdb_open::Array) -> Self {
        Self {
            context: context.clone(),
            array,
        }
    }

    /// Returns the same array, whose long operations report progress to `listener`: see [`Context::progress`].
    #[must_use]
    pub fn progress(self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        let array = self.array.progress(listener);
        Self {
            context: self.context.with(|_| array.context().clone()),
            array,
        }
    }

    /// Deletes the cells of a sparse array that match a condition, and returns their number.
    ///
    /// # Errors
    /// Fails, without deleting anything, if the stored form of the delete would also delete cells that do not match,
    /// because they are null in a field that the condition compares.
    pub fn delete(&self, condition: &Condition) -> Result<Deletion> {
        self.delete_with(condition, &DeleteOptions::default())
    }

    /// As [`Array::delete`], with options: at a time, with null cells, or only counting.
    ///
    /// # Errors
    /// As [`Array::delete`].
    pub fn delete_with(&self, condition: &Condition, options: &DeleteOptions) -> Result<Deletion> {
        let session = self.context.shared_session();
        delete_cells(session, self.engine(), condition, options).map_err(|error| self.failed(error))
    }

    /// Merges fragments that are adjacent or overlap. The merged fragments stay until [`Array::vacuum`]. Fragments
    /// with a timestamp in the future stay as they are; [`Consolidation::notes`] says so.
    ///
    /// # Errors
    /// Fails if reading or writing fails.
    pub fn consolidate(&self) -> Result<Consolidation> {
        let array = self.whole()?;
        let whole = array.engine();
        let options = MergeOptions::default();
        let plan = plan_merge(whole, &options).map_err(|error| self.failed(error))?;
        let merged = plan
            .merge(self.context.shared_session(), whole, &options)
            .map_err(|error| self.failed(error))?;
        let names = merged.fragments.iter();
        let mut notes = plan.notes;
        notes.extend(merged.notes);
        Ok(Consolidation {
            fragments: names.map(|name| name.as_str().to_owned()).collect(),
            notes,
        })
    }

    /// Removes the fragments, metadata and commits that a consolidation replaced more than ten minutes ago; readers
    /// that opened the array earlier may still need younger ones. Objects that a read needs now are kept, even if they
    /// were merged into an object with a timestamp in the future.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn vacuum(&self) -> Result<()> {
        self.vacuum_with(&VacuumOptions::default())
    }

    /// As [`Array::vacuum`], with another grace period.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub fn vacuum_with(&self, options: &VacuumOptions) -> Result<()> {
        let location = self.engine().location();
        for mode in [
            Mode::Fragments,
            Mode::FragmentMetadata,
            Mode::Commits,
            Mode::Metadata,
        ] {
            let plan = plan_vacuum(location, mode, options).map_err(|error| self.failed(error))?;
            plan.vacuum(location, options)
                .map_err(|error| self.failed(error))?;
        }
        Ok(())
    }
}
