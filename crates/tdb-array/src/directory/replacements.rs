use std::collections::{HashMap, HashSet};

/// Which fragments others have replaced: what the `.vac` and `.replaces` objects of an array say.
///
/// A list counts while the fragment that it is named after is there, or one that has replaced that in turn. So
/// nothing is hidden but for the sake of cells that are seen instead: `docs/format/directory.md`, "Commits".
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

/// One list.
#[derive(Clone, Debug)]
struct List<'a> {
    key: &'a str,
    /// The folder of the fragment that it is named after.
    by: String,
    lines: Vec<&'a str>,
}

/// The fragments that lists in force hide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced<'a> {
    /// Keys of their folders, relative to the array.
    fragments: HashSet<&'a str>,
    /// The keys of lists that do not count, though fragments that they list are there.
    pub idle: Vec<&'a str>,
}

impl Replaced<'_> {
    /// Whether the fragment in this folder, relative to the array, is replaced.
    pub fn contains(&self, folder: &str) -> bool {
        self.fragments.contains(folder)
    }
}

impl<'a> Replacements<'a> {
    /// Adds a list: its key, the folder of the fragment that it is named after, and the folders that it lists.
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

    /// The folders that lists are named after, and those that they list.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let lists = self.lists.iter();
        lists.flat_map(|list| list.lines.iter().copied().chain([list.by.as_str()]))
    }

    /// The folders that each list lists, by the folder of the fragment that the list is named after.
    pub fn sources(&self) -> HashMap<&str, &[&'a str]> {
        let lists = self.lists.iter();
        lists.map(|list| (&*list.by, &*list.lines)).collect()
    }

    /// What counts where the fragments in these folders are there. Only those of [`Replacements::folders`] matter.
    pub fn in_force<'t>(&self, there: impl IntoIterator<Item = &'t str>) -> Replaced<'a> {
        let mut by: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, list) in self.lists.iter().enumerate() {
            by.entry(&list.by).or_default().push(index);
        }
        let there: HashSet<&str> = there.into_iter().collect();
        // Lists come up once: whoever takes one out of the map follows it.
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
        let idle = idle.into_iter().filter_map(|index| self.lists.get(index));
        let idle = idle.filter(|list| list.lines.iter().any(|line| there.contains(line)));
        Replaced {
            fragments,
            idle: idle.map(|list| list.key).collect(),
        }
    }
}
