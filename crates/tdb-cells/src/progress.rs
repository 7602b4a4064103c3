//! Progress of long operations.

use std::fmt;
use std::sync::Arc;

/// Progress of a long operation, as passed to the listener of
/// [`Session::with_progress`](crate::Session::with_progress).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The current activity.
    pub activity: Activity,
    /// Number of cells that are done, if cells are counted.
    pub cells: Option<u64>,
    /// Amount that is done, in the unit of the activity; never decreases during one activity.
    pub done: u64,
    /// Total amount, if known; never less than `done`.
    pub total: Option<u64>,
}

/// An activity that takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activity {
    /// Reading a file to guess the types of its columns; counted in bytes.
    Looking,
    /// Reading cells from a file; counted in bytes.
    Reading,
    /// Sorting and storing cells, after all were read; nothing is counted.
    Storing,
    /// Writing cells into a file; counted in cells.
    Exporting,
    /// Merging fragments; counted in cells of these fragments.
    Merging,
    /// Decoding stored data to verify it; counted in tiles.
    Verifying,
    /// Rewriting cells into another array; counted in cells.
    Rewriting,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Looking => "looking",
            Self::Reading => "reading",
            Self::Storing => "sorting and writing",
            Self::Exporting => "exporting",
            Self::Merging => "merging",
            Self::Verifying => "verifying",
            Self::Rewriting => "rewriting",
        })
    }
}

impl Progress {
    /// Creates a progress without a total.
    #[must_use]
    pub fn new(activity: Activity, done: u64) -> Self {
        Self {
            activity,
            cells: None,
            done,
            total: None,
        }
    }

    /// Adds the number of cells that are done.
    #[must_use]
    pub fn with_cells(mut self, cells: u64) -> Self {
        self.cells = Some(cells);
        self
    }

    /// Adds the total amount, raised to `done` if it is less.
    #[must_use]
    pub fn of(mut self, total: Option<u64>) -> Self {
        self.total = total.map(|total| total.max(self.done));
        self
    }
}

/// Callback that receives progress, on whichever thread does the work.
#[derive(Clone)]
pub(crate) struct Listener(pub(crate) Arc<dyn Fn(&Progress) + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::Session;

    #[test]
    fn a_session_tells_only_whom_it_was_given() {
        let session = Session::default();
        let told = Arc::new(Mutex::new(Vec::new()));
        let to = Arc::clone(&told);
        let watched = session.with_progress(move |progress| to.lock().unwrap().push(*progress));
        session.tell(&Progress::new(Activity::Merging, 1));
        watched.tell(&Progress::new(Activity::Merging, 2));
        watched
            .clone()
            .tell(&Progress::new(Activity::Merging, 3).of(Some(2)));
        let told = told.lock().unwrap();
        let told: Vec<_> = told.iter().map(|p| (p.done, p.total)).collect();
        assert_eq!(told, [(2, None), (3, Some(3))]);
    }
}
