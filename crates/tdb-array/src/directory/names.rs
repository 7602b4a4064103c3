use std::collections::BTreeSet;

use tdb_store::Listing;

/// The names in the folders of an array or a group, as keys relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    objects: BTreeSet<String>,
    folders: BTreeSet<String>,
    foreign: BTreeSet<(String, String)>,
}

impl Names {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// The names of these objects, and of the folders they lie in.
    pub fn of_objects<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::new();
        for key in keys {
            names.objects.insert(key.to_owned());
            let mut folder = tdb_store::parent(key);
            while !folder.is_empty() {
                names.folders.insert(folder.to_owned());
                folder = tdb_store::parent(folder);
            }
        }
        names
    }

    /// Adds the listing of `folder` (relative, as all names here) in what lies at `root`.
    pub fn add(&mut self, listing: Listing, root: &str, folder: &str) {
        let relative = |key: &str| {
            let key = key.strip_prefix(root).unwrap_or(key);
            key.strip_prefix('/').unwrap_or(key).to_owned()
        };
        let objects = listing.objects.into_iter().map(|object| object.key);
        self.objects.extend(objects.map(|key| relative(&key)));
        let folders = listing.prefixes.into_iter();
        self.folders.extend(folders.map(|key| relative(&key)));
        let foreign = listing.foreign.into_iter();
        self.foreign
            .extend(foreign.map(|name| (folder.to_owned(), name)));
    }

    /// The keys of the objects that lie in a folder, sorted. An empty object named as the folder
    /// itself, as some object stores keep, lies beside it and is not among them.
    pub fn objects_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        in_folder(&self.objects, folder)
    }

    /// The keys of the folders that lie in a folder, sorted.
    pub fn folders_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        in_folder(&self.folders, folder)
    }

    /// A name in the folder that no key can hold.
    pub fn foreign_in(&self, folder: &str) -> Option<String> {
        self.all_foreign_in(folder).next()
    }

    pub(super) fn all_foreign_in(&self, folder: &str) -> impl Iterator<Item = String> {
        let names = self
            .foreign
            .iter()
            .filter(move |(place, _)| place == folder);
        names.map(move |(_, name)| tdb_store::join(folder, name))
    }
}

fn in_folder<'a>(keys: &'a BTreeSet<String>, folder: &str) -> impl Iterator<Item = &'a str> {
    let start = match folder {
        "" => String::new(),
        folder => format!("{folder}/"),
    };
    let all = keys.range(start.clone()..).map(String::as_str);
    // Keys of the root are spread among those of its folders, all others stand together.
    all.take_while({
        let start = start.clone();
        move |key| key.starts_with(&start)
    })
    .filter(move |key| {
        key.get(start.len()..)
            .is_some_and(|name| !name.contains('/'))
    })
}
