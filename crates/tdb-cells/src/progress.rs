//! How far something that takes long has come.

use std::fmt;
use std::sync::Arc;

/// How far something that takes long has come, as [`Session::with_progress`](crate::Session::with_progress) is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is going on.
    pub activity: Activity,
    /// Cells that are done, where cells are counted.
    pub cells: Option<u64>,
    /// How much is done, in the unit of the activity. While one activity goes on, this does not become less.
    pub done: u64,
    /// How much there is to do, where that is known: never less than `done`.
    pub total: Option<u64>,
}

/// What goes on while somebody waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activity {
    /// A file is read for the types of its columns, in bytes.
    Looking,
    /// A file is read for its cells, in bytes.
    Reading,
    /// All cells were read, and are sorted and stored; nothing is counted.
    Storing,
    /// Cells are written into a file, in cells.
    Exporting,
    /// Fragments are merged, in cells of the fragments that are merged.
    Merging,
    /// What is stored is decoded, in tiles.
    Verifying,
    /// Cells become cells of another array, in cells.
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
    /// So much of something is done.
    #[must_use]
    pub fn new(activity: Activity, done: u64) -> Self {
        Self {
            activity,
            cells: None,
            done,
            total: None,
        }
    }

    /// The same with the number of cells that are done.
    #[must_use]
    pub fn with_cells(mut self, cells: u64) -> Self {
        self.cells = Some(cells);
        self
    }

    /// The same of what there is to do. Where more was done than was expected, that is all there is.
    #[must_use]
    pub fn of(mut self, total: Option<u64>) -> Self {
        self.total = total.map(|total| total.max(self.done));
        self
    }
}

/// Is told how far something has come, on whichever thread does it.
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
