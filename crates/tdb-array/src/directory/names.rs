use std::collections::BTreeMap;

use tdb_store::Listing;

use super::strays::is_stray;

/// The names in the folders of an array or a group, as keys relative to its folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    folders: BTreeMap<String, InFolder>,
}

/// The entries of one folder, as whole keys, sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InFolder {
    objects: Vec<String>,
    folders: Vec<String>,
    foreign: Vec<String>,
}

impl Names {
    /// Creates an empty set of names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Collects the names of the given objects, and of the folders that contain them.
    pub fn of_objects<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names = Self::new();
        for key in keys {
            names.put([key.to_owned()], |all| &mut all.objects);
            let mut folder = tdb_store::parent(key);
            while !folder.is_empty() {
                names.put([folder.to_owned()], |all| &mut all.folders);
                folder = tdb_store::parent(folder);
            }
        }
        names
    }

    /// Adds the listing of `folder`, which is relative to the array or group at `root`.
    pub fn add(&mut self, listing: Listing, root: &str, folder: &str) {
        let objects = listing
            .objects
            .into_iter()
            .map(|object| relative(object.key, root));
        self.put(objects, |all| &mut all.objects);
        let folders = listing.prefixes.into_iter().map(|key| relative(key, root));
        self.put(folders, |all| &mut all.folders);
        if !listing.foreign.is_empty() {
            let all = self.folders.entry(folder.to_owned()).or_default();
            let foreign = listing.foreign.into_iter();
            foreign.for_each(|name| insert(&mut all.foreign, name));
        }
    }

    /// Inserts each key into the folder that contains it. Usually all keys are in the same folder, so that one is
    /// looked up only once.
    fn put(
        &mut self,
        keys: impl IntoIterator<Item = String>,
        place: fn(&mut InFolder) -> &mut Vec<String>,
    ) {
        let mut keys = keys.into_iter().peekable();
        while let Some(first) = keys.next() {
            let folder = tdb_store::parent(&first).to_owned();
            let all = place(self.folders.entry(folder.clone()).or_default());
            all.reserve(keys.size_hint().0);
            insert(all, first);
            while let Some(key) = keys.next_if(|key| tdb_store::parent(key) == folder) {
                insert(all, key);
            }
        }
    }

    /// Returns the keys of the objects directly in a folder, sorted. A folder marker with the name of the folder
    /// itself is not among them.
    pub fn objects_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.keys(folder, |all| &all.objects)
    }

    /// Returns the keys of the folders directly in a folder, sorted.
    pub fn folders_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        self.keys(folder, |all| &all.folders)
    }

    fn keys(&self, folder: &str, of: fn(&InFolder) -> &Vec<String>) -> impl Iterator<Item = &str> {
        let all = self.folders.get(folder).into_iter().flat_map(of);
        all.map(String::as_str)
    }

    /// Returns the files of other programs in the folder, including names that cannot be keys.
    pub(super) fn strays_in(&self, folder: &str) -> Vec<String> {
        let strays = self
            .objects_in(folder)
            .filter(|key| is_stray(key))
            .map(str::to_owned);
        strays.chain(self.foreign_in(folder)).collect()
    }

    /// Returns the names in the folder that cannot be keys.
    pub(super) fn foreign_in(&self, folder: &str) -> impl Iterator<Item = String> {
        let names = self.keys(folder, |all| &all.foreign);
        names.map(move |name| tdb_store::join(folder, name))
    }
}

/// Makes a key relative to the folder `root`.
fn relative(mut key: String, root: &str) -> String {
    let root = if key.starts_with(root) { root.len() } else { 0 };
    let has_slash = key.get(root..).is_some_and(|below| below.starts_with('/'));
    let before: usize = [root, usize::from(has_slash)].iter().sum();
    key.drain(..before);
    key
}

/// Inserts a key in sorted order, unless it is already present.
fn insert(keys: &mut Vec<String>, key: String) {
    if keys.last().is_none_or(|last| *last < key) {
        keys.push(key);
    } else if let Err(place) = keys.binary_search(&key) {
        keys.insert(place, key);
    }
}
