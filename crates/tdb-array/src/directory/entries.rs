use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use tdb_tile::{Bug, LimitError, Limits};

use super::fragment_entry::FragmentEntry;
use super::listed::{ListedFragment, fragment_name};
use crate::ArrayError;

/// An ordered sequence of fragments.
///
/// A list of commits may name very many fragments. To save memory, names are not copied out of the bytes of their
/// list; an entry is created when it is requested.
#[derive(Clone, Default)]
pub struct FragmentEntries {
    lists: Vec<Bytes>,
    /// The commit of each fragment, as a position in a list.
    lines: Vec<Line>,
}

/// Bytes of the shortest possible line, `__1_1_x_5.ok`, with its line feed.
const SHORTEST: usize = 13;

/// Position of a commit's key in one of the lists.
#[derive(Clone, Copy, Debug)]
struct Line {
    list: u32,
    start: u32,
    len: u16,
}

impl FragmentEntries {
    /// Returns the number of fragments.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True if there are no fragments.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Iterates over the entries in order; each is created on the fly.
    ///
    /// # Errors
    /// [`ArrayError::Bug`] if a name is not at its position.
    pub fn iter(&self) -> impl Iterator<Item = Result<FragmentEntry, ArrayError>> + '_ {
        self.lines.iter().map(|line| self.entry(*line))
    }

    /// Iterates over the names in order.
    ///
    /// # Errors
    /// As [`FragmentEntries::iter`].
    pub fn names(&self) -> impl Iterator<Item = Result<&str, ArrayError>> {
        self.lines.iter().map(|line| self.name(*line))
    }

    /// Keeps only the fragments whose names satisfy `keep`.
    ///
    /// # Errors
    /// As [`FragmentEntries::iter`].
    pub(crate) fn retain(&mut self, keep: impl Fn(&str) -> bool) -> Result<(), ArrayError> {
        let mut kept = Vec::new();
        for line in &self.lines {
            if keep(self.name(*line)?) {
                kept.push(*line);
            }
        }
        self.lines = kept;
        Ok(())
    }

    /// Adds a list whose lines will follow, and reserves memory for the most lines that it can contain.
    ///
    /// # Errors
    /// [`LimitError`] for a list of 4 GiB or more.
    pub(super) fn add_list(&mut self, list: &Bytes) -> Result<(), LimitError> {
        let (size, most) = (list.len() as u64, u64::from(u32::MAX));
        Limits::check("size of a list of commits", "list_bytes", size, most)?;
        self.lists.push(list.clone());
        self.lines.reserve(list.len() / SHORTEST);
        Ok(())
    }

    /// Adds a fragment by the position of its commit's key in the last added list. Skips a key that is not the commit
    /// of a fragment.
    pub(super) fn add_line(&mut self, key: Range<usize>) {
        let line = Line::try_new(self.lists.len(), key);
        self.lines
            .extend(line.filter(|line| self.look(*line).is_ok()));
    }

    /// Sorts by the keys of the commits, and removes duplicates.
    pub(super) fn sort_by_commit(&mut self) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort_unstable_by(|a, b| self.commit(*a).cmp(&self.commit(*b)));
        lines.dedup_by(|a, b| self.commit(*a) == self.commit(*b));
        self.lines = lines;
    }

    /// True if a commit is among these fragments, which must be sorted by commit.
    pub(super) fn has_commit(&self, key: &str) -> bool {
        let found = self
            .lines
            .binary_search_by(|line| self.commit(*line).cmp(&Some(key)));
        found.is_ok()
    }

    /// Inserts fragments before and after the present ones.
    ///
    /// # Errors
    /// [`LimitError`] if the names have 4 GiB or more.
    pub(super) fn put_around(
        &mut self,
        before: &[&FragmentEntry],
        behind: &[&FragmentEntry],
    ) -> Result<(), LimitError> {
        let mut text = String::new();
        let mut keys = Vec::new();
        for entry in before.iter().chain(behind) {
            let start = text.len();
            entry.push_commit_key(&mut text);
            keys.push(start..text.len());
        }
        self.add_list(&text.into())?;
        let lines = std::mem::take(&mut self.lines);
        let (first, last) = keys.split_at(before.len());
        first.iter().cloned().for_each(|key| self.add_line(key));
        self.lines.extend(lines);
        last.iter().cloned().for_each(|key| self.add_line(key));
        Ok(())
    }

    /// Keeps the fragments for which `keep` returns true; returns the others.
    ///
    /// # Errors
    /// As [`FragmentEntries::iter`].
    pub(super) fn keep(
        &mut self,
        mut keep: impl FnMut(&ListedFragment<'_>) -> bool,
    ) -> Result<Self, ArrayError> {
        let mut others = Vec::new();
        let mut lost = None;
        let mut lines = std::mem::take(&mut self.lines);
        lines.retain(|line| {
            let kept = match self.look(*line) {
                Ok(listed) => keep(&listed),
                Err(error) => {
                    lost = Some(error);
                    true
                }
            };
            if !kept {
                others.push(*line);
            }
            kept
        });
        self.lines = lines;
        if let Some(error) = lost {
            return Err(error);
        }
        let lists = if others.is_empty() {
            Vec::new()
        } else {
            self.lists.clone()
        };
        Ok(Self {
            lists,
            lines: others,
        })
    }

    /// Sorts by time, the latest last.
    pub(super) fn sort_by_time(&mut self) -> Result<(), Bug> {
        let mut lines = std::mem::take(&mut self.lines);
        // A key that is not at its position is reported when it is used.
        let start = |line: &Line| self.look(*line).map_or(0, |listed| listed.parts.start);
        crate::time_order::sort_by_time(&mut lines, start)?;
        self.lines = lines;
        Ok(())
    }

    /// Iterates over what the names tell about the fragments, in order.
    pub(super) fn listed(&self) -> impl Iterator<Item = Result<ListedFragment<'_>, ArrayError>> {
        self.lines.iter().map(|line| self.look(*line))
    }

    fn entry(&self, line: Line) -> Result<FragmentEntry, ArrayError> {
        self.look(line).map(|listed| listed.entry())
    }

    fn look(&self, line: Line) -> Result<ListedFragment<'_>, ArrayError> {
        let listed = self.commit(line).and_then(ListedFragment::of_commit);
        listed.ok_or_else(lost)
    }

    fn name(&self, line: Line) -> Result<&str, ArrayError> {
        self.commit(line).and_then(fragment_name).ok_or_else(lost)
    }

    /// Returns the key at a position. Positions are taken from the lists, so it should always exist.
    fn commit(&self, line: Line) -> Option<&str> {
        let list = self.lists.get(usize::try_from(line.list).ok()?)?;
        let start = usize::try_from(line.start).ok()?;
        let bytes = list.get(start..start.checked_add(usize::from(line.len))?)?;
        std::str::from_utf8(bytes).ok()
    }
}

impl fmt::Debug for FragmentEntries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for entry in self.iter() {
            match entry {
                Ok(entry) => list.entry(&entry),
                Err(error) => list.entry(&error),
            };
        }
        list.finish()
    }
}

impl PartialEq for FragmentEntries {
    fn eq(&self, other: &Self) -> bool {
        let commits = self.lines.iter().map(|line| self.commit(*line));
        commits.eq(other.lines.iter().map(|line| other.commit(*line)))
    }
}

impl Eq for FragmentEntries {}

impl Line {
    /// Creates a position in the last of `lists` lists; `None` if the key is longer than any name.
    fn try_new(lists: usize, key: Range<usize>) -> Option<Self> {
        Some(Self {
            list: u32::try_from(lists.checked_sub(1)?).ok()?,
            start: u32::try_from(key.start).ok()?,
            len: u16::try_from(key.len()).ok()?,
        })
    }
}

/// Returns an error, since skipping the fragment would silently lose its cells.
fn lost() -> ArrayError {
    Bug::new("the name of a fragment is not in its list").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_in_its_list_is_an_error_and_not_left_out() {
        let mut entries = FragmentEntries::default();
        let list = Bytes::from_static(b"__commits/__1_1_a_22.wrt\n__commits/__2_2_b_22.wrt\n");
        entries.add_list(&list).unwrap();
        entries.add_line(0..24);
        entries.add_line(25..49);
        assert_eq!(
            entries
                .names()
                .collect::<Result<Vec<_>, _>>()
                .unwrap()
                .len(),
            2
        );
        entries.lists = vec![list.slice(..30)];
        let told = |error: ArrayError| assert!(matches!(error, ArrayError::Bug(_)), "{error}");
        told(entries.iter().nth(1).unwrap().unwrap_err());
        told(entries.names().nth(1).unwrap().unwrap_err());
        told(entries.clone().retain(|_| true).unwrap_err());
        told(entries.keep(|_| false).unwrap_err());
        assert_eq!(entries.len(), 1);
        assert!(entries.iter().all(|entry| entry.is_err()));
    }
}
