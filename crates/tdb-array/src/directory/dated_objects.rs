use super::lists::{Lists, hidden, lines_of};
use super::names::Names;
use super::strays::is_stray;
use crate::{ArrayError, NameError, TimeWindow, TimestampedName};

/// Objects in one folder that are replayed in the order of their times, and the `.vac` objects that say
/// which of them are obsolete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatedObjects {
    objects: Vec<(String, TimestampedName)>,
    vacuums: Vec<(String, TimestampedName)>,
    /// What should not be there: an error when the folder is used, not before.
    bad: Option<(String, NameError)>,
    /// Files of other programs, which are passed over.
    strays: Vec<String>,
}

impl DatedObjects {
    /// Picks the names of one folder.
    pub fn from_names(names: &Names, folder: &str) -> Self {
        let mut objects = Self {
            strays: names.strays_in(folder),
            ..Self::default()
        };
        for key in names.objects_in(folder) {
            // The second is written in place by a release that renames when it is done.
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

    /// Files of other programs in the folder.
    pub fn strays(&self) -> impl Iterator<Item = &str> {
        self.strays.iter().map(String::as_str)
    }

    /// The `.vac` objects: [`DatedObjects::live`] wants their bytes.
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        self.vacuums.iter().map(|(key, _)| key.as_str())
    }

    /// What is there, if that is what it was at one moment: `again` is of names that were listed after those
    /// of this one; all [`DatedObjects::lists`] can be read. Objects that came in between are taken in. Nothing where something is gone,
    /// or a list appeared.
    pub fn settled(self, again: Self) -> Option<Self> {
        let is_settled = is_within(&self.objects, &again.objects) && self.vacuums == again.vacuums;
        is_settled.then_some(again)
    }

    /// The objects that count within the window, in the order in which they are to be replayed.
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

    /// All objects within the window, also those that a consolidation has replaced, in the order of their times.
    ///
    /// # Errors
    /// [`ArrayError::Name`].
    pub fn all(&self, window: TimeWindow) -> Result<Vec<(String, TimestampedName)>, ArrayError> {
        self.within(window, |_| true)
    }

    /// The names of all objects, also of those that a consolidation has replaced.
    pub(crate) fn names(&self) -> impl Iterator<Item = &TimestampedName> {
        self.objects.iter().map(|(_, name)| name)
    }

    /// The names of merged objects, of those that are wanted.
    pub(crate) fn merged(
        &self,
        wanted: impl Fn(&TimestampedName) -> bool,
    ) -> Vec<&TimestampedName> {
        let merged = self
            .names()
            .filter(|name| name.start() < name.end() && wanted(name));
        merged.collect()
    }

    /// Those of some merged objects of which not all that was merged is there.
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
        crate::time_order::sort_by_time(&mut kept, |(_, name)| name.start());
        Ok(kept)
    }
}

/// Whether all of `some` are among `all`; both are sorted by name.
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
