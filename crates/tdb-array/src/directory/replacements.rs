use std::collections::{HashMap, HashSet};

/// The fragments that others have replaced, according to the `.vac` and `.replaces` objects of an array.
///
/// A list is in force if the fragment it is named after exists, or if that fragment has itself been replaced by an
/// existing one. So a fragment is hidden only if its cells are visible elsewhere: see `docs/format/directory.md`,
/// "Commits".
///
/// ```
/// use tdb_array::directory::Replacements;
///
/// let mut lists = Replacements::default();
/// lists.add("__commits/ab.vac", "ab", ["a", "b"]);
/// lists.add("__commits/abc.vac", "abc", ["ab", "c"]);
/// // "ab" was vacuumed, "abc" is there: both lists count.
/// let replaced = lists.in_force(["a", "b", "abc"]);
/// assert!(replaced.contains("a") && !replaced.contains("abc"));
/// // Nothing is there that would hold the cells of "a" and "b".
/// let replaced = lists.in_force(["a", "b", "x"]);
/// assert!(!replaced.contains("a"));
/// assert_eq!(replaced.idle, ["__commits/ab.vac"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Replacements<'a> {
    lists: Vec<List<'a>>,
}

/// One `.vac` or `.replaces` object.
#[derive(Clone, Debug)]
struct List<'a> {
    key: &'a str,
    /// The folder of the fragment that the list is named after.
    by: String,
    lines: Vec<&'a str>,
}

/// The fragments hidden by the lists in force.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplacedFragments<'a> {
    /// The folders of the hidden fragments, relative to the array.
    fragments: HashSet<&'a str>,
    /// The keys of lists that are not in force, although they name fragments that exist.
    pub idle: Vec<&'a str>,
}

impl ReplacedFragments<'_> {
    /// True if the fragment in this folder, relative to the array, is replaced.
    pub fn contains(&self, folder: &str) -> bool {
        self.fragments.contains(folder)
    }
}

impl<'a> Replacements<'a> {
    /// Adds a list: its key, the folder of the fragment it is named after, and the folders it names.
    pub fn add(
        &mut self,
        key: &'a str,
        by: impl Into<String>,
        lines: impl IntoIterator<Item = &'a str>,
    ) {
        self.lists.push(List {
            key,
            by: by.into(),
            lines: lines.into_iter().collect(),
        });
    }

    /// Returns the folders that the lists are named after, and those that they name.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let lists = self.lists.iter();
        lists.flat_map(|list| list.lines.iter().copied().chain([list.by.as_str()]))
    }

    /// Returns the folders named in each list, keyed by the folder of the fragment that the list is named after.
    pub fn sources(&self) -> HashMap<&str, &[&'a str]> {
        let lists = self.lists.iter();
        lists.map(|list| (&*list.by, &*list.lines)).collect()
    }

    /// Determines which lists are in force, given the folders of the existing fragments. Folders that are not in
    /// [`Replacements::folders`] are irrelevant.
    ///
    /// This is a search along chains of consolidations: it starts with the lists named after existing fragments, and
    /// continues with the lists named after the fragments that those replace.
    pub fn in_force<'t>(&self, there: impl IntoIterator<Item = &'t str>) -> ReplacedFragments<'a> {
        let mut by: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, list) in self.lists.iter().enumerate() {
            by.entry(&list.by).or_default().push(index);
        }
        let there: HashSet<&str> = there.into_iter().collect();
        // Removing the lists from the map ensures that each is followed only once, even in a cycle.
        let mut next: Vec<usize> = Vec::new();
        for folder in &there {
            next.extend(by.remove(folder).into_iter().flatten());
        }
        let mut fragments = HashSet::new();
        while let Some(list) = next.pop().and_then(|index| self.lists.get(index)) {
            for line in &list.lines {
                if fragments.insert(*line) {
                    next.extend(by.remove(line).into_iter().flatten());
                }
            }
        }
        let mut idle: Vec<usize> = by.into_values().flatten().collect();
        idle.sort_unstable();
        let idle = idle
            .into_iter()
            .filter_map(|index| self.lists.get(index))
            .filter(|list| list.lines.iter().any(|line| there.contains(line)));
        ReplacedFragments {
            fragments,
            idle: idle.map(|list| list.key).collect(),
        }
    }
}
