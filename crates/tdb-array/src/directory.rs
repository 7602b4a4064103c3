//! Determines which objects form an array, from their names alone, without decoding any.
//!
//! The rules and their history are in `docs/format/directory.md`.

mod dated_objects;
mod entries;
mod folders;
mod fragment_entry;
mod listed;
mod lists;
mod live;
mod names;
mod replacements;
mod strays;

pub use dated_objects::DatedObjects;
pub use entries::FragmentEntries;
pub(crate) use folders::{CHANGED, RESTORE, changed_at, merged_since_key};
pub use folders::{
    CLAIM, COMMITS_FOLDER, DRAFT_FOLDER, ENUMERATION_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA,
    FRAGMENT_METADATA_FOLDER, GROUP_FOLDER, GROUP_MARKER, LABEL_FOLDER, LEGACY_SCHEMA,
    METADATA_FOLDER, REPLACES, SCHEMA_FOLDER, fragment_key,
};
pub use fragment_entry::FragmentEntry;
pub use lists::Lists;
pub use live::{DeleteCommit, DeleteLocation, Live};
pub use names::Names;
pub use replacements::{ReplacedFragments, Replacements};

use std::collections::BTreeSet;

use self::dated_objects::{bad_name, is_within};
use self::folders::{merged_since, restored_to};
use self::strays::is_stray;
use crate::{ArrayError, NameError, TimeWindow, TimestampedName, commits};

/// Folders in an array's root that are not fragments.
const KNOWN_FOLDERS: [&str; 6] = [
    SCHEMA_FOLDER,
    COMMITS_FOLDER,
    METADATA_FOLDER,
    FRAGMENT_FOLDER,
    FRAGMENT_METADATA_FOLDER,
    LABEL_FOLDER,
];

/// The objects of an array, sorted by purpose.
///
/// Getting from names to live objects needs no fetching in between: call [`Directory::from_names`], read the
/// [`Directory::lists`], check which [`Directory::probes`] exist, and call [`Directory::live`]. Keys are relative to
/// the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    window: TimeWindow,
    /// The undated schema of old versions, if there is one, then the dated ones by name.
    schemas: Vec<SchemaEntry>,
    /// Names of fragments in the root that have an `.ok` object.
    ok: BTreeSet<String>,
    /// Folders in the root that are named like a fragment, by name.
    root_folders: Vec<FragmentEntry>,
    /// Fragments that have a `.wrt` object, by name.
    written: Vec<FragmentEntry>,
    /// `.del` and `.upd` objects, by name.
    deletes: Vec<(String, TimestampedName)>,
    vacuums: Vec<(String, TimestampedName)>,
    /// `.replaces` objects: lists of the fragments that another one replaces as soon as it is committed.
    replacing: Vec<(String, TimestampedName)>,
    consolidated: Vec<String>,
    ignores: Vec<String>,
    fragment_metadata: Vec<String>,
    metadata: DatedObjects,
    /// Merged fragments whose names contain only the last time of their cells, each with the first time.
    merged_since: Vec<(u64, TimestampedName)>,
    /// The times of unfinished restores.
    restores: Vec<u64>,
    /// Objects in the commits folder that end like commits, but have malformed names.
    damaged: Vec<(String, NameError)>,
    /// Files of other programs in the schema folder.
    strays: Vec<String>,
}

/// The result of comparing two listings: see [`Directory::settled`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListingComparison {
    /// Nothing has changed.
    Same(Directory),
    /// There are more commits, which are now included. The lists of what they replace may have appeared later, so a
    /// further listing must show no new list.
    Grown(Directory),
    /// An object has vanished or a list has appeared: the array must be listed anew.
    Changed,
}

/// A schema and its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaEntry {
    /// The key of the schema, relative to the array.
    pub key: String,
    /// The name of the schema; `None` for the undated schema of old versions.
    pub name: Option<TimestampedName>,
}

impl SchemaEntry {
    /// Returns the name by which fragments refer to the schema: the last part of its key.
    pub fn schema_name(&self) -> &str {
        tdb_store::name(&self.key)
    }
}

impl Directory {
    /// The folders, relative to the array, that [`Directory::from_names`] needs, each listed without subfolders.
    pub const PREFIXES: [&str; 5] = [
        "",
        SCHEMA_FOLDER,
        COMMITS_FOLDER,
        FRAGMENT_METADATA_FOLDER,
        METADATA_FOLDER,
    ];

    /// The folders, relative to the array, that [`Directory::settled`] needs, each listed without subfolders.
    pub const COMMIT_PREFIXES: [&str; 2] = ["", COMMITS_FOLDER];

    /// Sorts the names of an array's objects by purpose.
    ///
    /// Unknown names in the root and in the commits folder are skipped, as are files of other programs in the folders
    /// of schemas and metadata ([`Directory::strays`]). Any other malformed name in these two folders is an error. A
    /// malformed name of a commit is reported by [`Directory::check_commits`] instead.
    ///
    /// # Errors
    /// [`ArrayError::Name`].
    pub fn from_names(names: &Names, window: TimeWindow) -> Result<Self, ArrayError> {
        let mut directory = Self {
            window,
            schemas: schemas(names)?,
            strays: names.strays_in(SCHEMA_FOLDER),
            ok: BTreeSet::new(),
            root_folders: root_folders(names),
            written: Vec::new(),
            deletes: Vec::new(),
            vacuums: Vec::new(),
            replacing: Vec::new(),
            consolidated: Vec::new(),
            ignores: Vec::new(),
            fragment_metadata: Vec::new(),
            metadata: DatedObjects::from_names(names, METADATA_FOLDER),
            merged_since: Vec::new(),
            restores: Vec::new(),
            damaged: Vec::new(),
        };
        for key in names.objects_in("") {
            directory.add_root_object(key);
        }
        for key in names.objects_in(COMMITS_FOLDER) {
            directory.add_commit_object(key);
        }
        let foreign = names
            .foreign_in(COMMITS_FOLDER)
            .filter(|key| commits::is_commit(key));
        directory
            .damaged
            .extend(foreign.map(|key| (key, NameError::Form)));
        let metadata = names.objects_in(FRAGMENT_METADATA_FOLDER);
        directory.fragment_metadata.extend(
            metadata
                .filter(|key| key.ends_with(".meta"))
                .map(str::to_owned),
        );
        Ok(directory)
    }

    fn add_root_object(&mut self, key: &str) {
        if let Some(fragment) = key.strip_suffix(".ok") {
            self.ok.insert(fragment.to_owned());
        } else if key.ends_with(".meta") {
            self.fragment_metadata.push(key.to_owned());
        } else if let Some(time) = restored_to(key) {
            self.restores.push(time);
        } else if let Some(merged) = merged_since(key) {
            self.merged_since.push(merged);
        } else if key.ends_with(".vac")
            && let Ok(name) = TimestampedName::of_key(key)
        {
            self.vacuums.push((key.to_owned(), name));
        }
    }

    fn add_commit_object(&mut self, key: &str) {
        let name = TimestampedName::of_key(key);
        if let Err(problem) = &name
            && commits::is_commit(key)
        {
            self.damaged.push((key.to_owned(), *problem));
        }
        match (key.rsplit_once('.').map(|(_, ending)| ending), name) {
            (Some("wrt"), Ok(name)) => self.written.push(FragmentEntry::in_folder(name)),
            (Some("vac"), Ok(name)) => self.vacuums.push((key.to_owned(), name)),
            (Some(REPLACES), Ok(name)) => self.replacing.push((key.to_owned(), name)),
            (Some("con"), _) => self.consolidated.push(key.to_owned()),
            (Some("ign"), _) => self.ignores.push(key.to_owned()),
            (Some("del" | "upd"), Ok(name)) => self.deletes.push((key.to_owned(), name)),
            _ => {}
        }
    }

    /// Returns the files of other programs in the folders of schemas and metadata; they are ignored.
    pub fn strays(&self) -> impl Iterator<Item = &str> {
        let strays = self.strays.iter().map(String::as_str);
        strays.chain(self.metadata.strays())
    }

    /// Returns the objects in the commits folder that end like commits, but have malformed names, so that their effect
    /// is unknown.
    pub fn damaged_commits(&self) -> &[(String, NameError)] {
        &self.damaged
    }

    /// Returns the times of unfinished restores, in milliseconds since 1970.
    pub fn unfinished_restores(&self) -> &[u64] {
        &self.restores
    }

    /// Fails if the name of a commit is malformed: it is then unknown which cells that commit adds, replaces or
    /// deletes. Call this before cells are read.
    ///
    /// # Errors
    /// [`ArrayError::DamagedCommit`].
    pub fn check_commits(&self) -> Result<(), ArrayError> {
        match self.damaged.first() {
            Some((key, problem)) => Err(ArrayError::DamagedCommit {
                key: key.clone(),
                problem: *problem,
            }),
            None => Ok(()),
        }
    }

    /// Compares this directory with a later listing. `names` is the listing this was made from; `again` is a listing
    /// of [`Directory::COMMIT_PREFIXES`] begun after `names` was complete. All [`Directory::lists`] must be readable.
    ///
    /// # Errors
    /// As [`Directory::from_names`].
    pub fn settled(self, names: &Names, again: &Names) -> Result<ListingComparison, ArrayError> {
        let same_objects = |folder| names.objects_in(folder).eq(again.objects_in(folder));
        let same_folders = names.folders_in("").eq(again.folders_in(""));
        if same_folders && Self::COMMIT_PREFIXES.into_iter().all(same_objects) {
            return Ok(ListingComparison::Same(self));
        }
        let later = Self::from_names(again, self.window)?;
        let is_kept = is_within(&self.root_folders, &later.root_folders)
            && is_within(&self.written, &later.written)
            && is_within(&self.deletes, &later.deletes)
            && self.ok.is_subset(&later.ok)
            && self.lists().eq(later.lists());
        if !is_kept {
            return Ok(ListingComparison::Changed);
        }
        Ok(ListingComparison::Grown(Self {
            ok: later.ok,
            root_folders: later.root_folders,
            written: later.written,
            deletes: later.deletes,
            damaged: later.damaged,
            ..self
        }))
    }

    /// Returns the time window in which the array is seen.
    pub fn window(&self) -> TimeWindow {
        self.window
    }

    /// Returns all schemas in ascending order of name, including those that only fragments refer to.
    pub fn schemas(&self) -> &[SchemaEntry] {
        &self.schemas
    }

    /// Returns the schema of the array at the end of the window; the first one if all are later. `None` if there is no
    /// schema.
    pub fn schema(&self) -> Option<&SchemaEntry> {
        let dated = |entry: &&SchemaEntry| {
            let end = entry.name.as_ref().map(TimestampedName::end);
            end.is_some_and(|end| end <= self.window.at)
        };
        self.schemas
            .iter()
            .rfind(dated)
            .or_else(|| self.schemas.first())
    }

    /// Removes schemas that were never completely written.
    pub(crate) fn keep_schemas(&mut self, keep: impl Fn(&SchemaEntry) -> bool) {
        self.schemas.retain(keep);
    }

    /// Returns the keys of the `.con`, `.ign`, `.vac` and `.replaces` objects, whose bytes [`Directory::live`] needs.
    pub fn lists(&self) -> impl Iterator<Item = &str> {
        let lists = self.consolidated.iter().chain(&self.ignores);
        let vacuums = self
            .vacuums
            .iter()
            .chain(&self.replacing)
            .map(|(key, _)| key);
        lists.chain(vacuums).map(String::as_str)
    }

    /// Returns the `.replaces` objects, with the names of the replacing fragments.
    pub(crate) fn replacing(&self) -> impl Iterator<Item = (&str, &TimestampedName)> {
        let lists = self.replacing.iter();
        lists.map(|(key, name)| (key.as_str(), name))
    }

    /// Returns keys of objects whose existence [`Directory::live`] needs to know: before format version 5, a fragment
    /// was committed by its metadata.
    pub fn probes(&self) -> impl Iterator<Item = String> {
        let old = self
            .root_folders
            .iter()
            .filter(|entry| !entry.name.version().has_commit_objects());
        old.map(FragmentEntry::metadata_key)
    }

    /// Returns the keys of objects with consolidated fragment metadata.
    pub fn fragment_metadata(&self) -> &[String] {
        &self.fragment_metadata
    }

    /// Returns the objects of the array's metadata.
    pub fn metadata(&self) -> &DatedObjects {
        &self.metadata
    }
}

fn schemas(names: &Names) -> Result<Vec<SchemaEntry>, ArrayError> {
    let mut schemas = Vec::new();
    if names.objects_in("").any(|key| key == LEGACY_SCHEMA) {
        schemas.push(SchemaEntry {
            key: LEGACY_SCHEMA.to_owned(),
            name: None,
        });
    }
    let ours = names.objects_in(SCHEMA_FOLDER).filter(|key| !is_stray(key));
    for key in ours {
        let name = TimestampedName::of_key(key).map_err(|problem| bad_name(key, problem))?;
        schemas.push(SchemaEntry {
            key: key.to_owned(),
            name: Some(name),
        });
    }
    Ok(schemas)
}

fn root_folders(names: &Names) -> Vec<FragmentEntry> {
    let fragments = names
        .folders_in("")
        .filter(|folder| !KNOWN_FOLDERS.contains(folder) && !folder.contains('.'));
    fragments
        .filter_map(|folder| TimestampedName::parse(folder).ok())
        .map(FragmentEntry::in_root)
        .collect()
}
