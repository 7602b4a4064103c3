use super::lists::{Lists, hidden, lines_of};
use super::names::Names;
use super::strays::is_stray;
use crate::{ArrayError, NameError, TimeWindow, TimestampedName};

/// The objects of one folder that are replayed in the order of their times, and the `.vac` objects that list the
/// obsolete ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatedObjects {
    objects: Vec<(String, TimestampedName)>,
    vacuums: Vec<(String, TimestampedName)>,
    /// An object with a malformed name: it becomes an error only when the folder is used.
    bad: Option<(String, NameError)>,
    /// Files of other programs, which are ignored.
    strays: Vec<String>,
}

impl DatedObjects {
    /// Sorts the names in one folder.
    pub fn from_names(names: &Names, folder: &str) -> Self {
        let mut objects = Self {
            strays: names.strays_in(folder),
            ..Self::default()
        };
        for key in names.objects_in(folder) {
            // A release of TileDB writes `.tmp` objects in place and renames them when they are complete.
            if is_stray(key) || key.ends_with(".tmp") {
                continue;
            }
            match TimestampedName::of_key(key) {
                Ok(name) if key.ends_with(".vac") => objects.vacuums.push((key.to_owned(), name)),
                Ok(name) => objects.objects.push((key.to_owned(), name)),
                Err(problem) => objects.bad = Some((key.to_owned(), problem)),
            }
        }
        objects
    }

    /// Returns the files of other programs in the folder.
    pub fn strays(&self) -> impl Iterator<Item = &str> {
        self.strays.iter().map(String::as_str)
    }

    /// Returns the keys of the `.vac` objects, whose bytes [`DatedObjects::live`] needs.
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        self.vacuums.iter().map(|(key, _)| key.as_str())
    }

    /// Combines two listings into the state at one moment. `again` is from a listing begun after this one was complete;
    /// objects that it adds are included. All [`DatedObjects::lists`] must be readable. Returns `None` if an object has
    /// vanished or a list has appeared.
    pub fn settled(self, again: Self) -> Option<Self> {
        let is_settled = is_within(&self.objects, &again.objects) && self.vacuums == again.vacuums;
        is_settled.then_some(again)
    }

    /// Returns the live objects in the window, in the order of replay.
    ///
    /// # Errors
    /// [`ArrayError::Name`], [`ArrayError::EscapesRoot`].
    pub fn live(
        &self,
        window: TimeWindow,
        lists: &Lists,
    ) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
        let rule = |name: &TimestampedName| window.contains(name);
        let hidden = hidden(&self.vacuums, lists, rule)?;
        self.within(window, |key| !hidden.contains(key))
    }

    /// Returns all objects in the window, including those replaced by a consolidation, by time.
    ///
    /// # Errors
    /// [`ArrayError::Name`].
    pub fn all(&self, window: TimeWindow) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
        self.within(window, |_| true)
    }

    /// Returns the names of all objects, including those replaced by a consolidation.
    pub(crate) fn names(&self) -> impl Iterator<Item = &TimestampedName> {
        self.objects.iter().map(|(_, name)| name)
    }

    /// Returns the names of consolidated objects (their time range is not a single time) that satisfy `wanted`.
    pub(crate) fn merged(
        &self,
        wanted: impl Fn(&TimestampedName) -> bool,
    ) -> Vec<&TimestampedName> {
        let merged = self
            .names()
            .filter(|name| name.start() < name.end() && wanted(name));
        merged.collect()
    }

    /// Returns those of the given consolidated objects whose sources no longer all exist.
    pub(crate) fn without_sources<'a>(
        &self,
        merged: Vec<&'a TimestampedName>,
        lists: &Lists,
    ) -> Result<Vec<&'a TimestampedName>, ArrayError> {
        let there = |line: &str| self.objects.iter().any(|(key, _)| key == line);
        let mut gone = Vec::new();
        for name in merged {
            let mut vacuums = self.vacuums.iter();
            let list = vacuums.find(|(_, list)| list == name);
            let sources = match list {
                Some((key, _)) => lines_of(key, lists)?,
                None => Vec::new(),
            };
            if sources.is_empty() || !sources.into_iter().all(there) {
                gone.push(name);
            }
        }
        Ok(gone)
    }

    fn within(
        &self,
        window: TimeWindow,
        keep: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
        if let Some((key, problem)) = &self.bad {
            return Err(bad_name(key, *problem));
        }
        let objects = self.objects.iter();
        let mut kept: Vec<_> = objects
            .filter(|(key, name)| window.contains(name) && keep(key))
            .cloned()
            .collect();
        crate::time_order::sort_by_time(&mut kept, |(_, name)| name.start())?;
        Ok(kept)
    }
}

/// True if all elements of `some` are in `all`; both must be in the same order.
pub(super) fn is_within<T: PartialEq>(some: &[T], all: &[T]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.any(|other| other == one))
}

pub(super) fn bad_name(key: &str, problem: NameError) -> ArrayError {
    ArrayError::Name {
        key: key.to_owned(),
        problem,
    }
}
