use std::collections::{BTreeMap, BTreeSet};

use tdb_array::directory::{
    CLAIM, COMMITS_FOLDER, DRAFT_FOLDER, ENUMERATION_FOLDER, FRAGMENT_FOLDER, REPLACES,
    SCHEMA_FOLDER,
};
use tdb_array::{Array, ArrayError, At, Location, TimestampedName};
use tdb_filters::open_generic_tile;
use tdb_fragment::ConsolidatedMetadata;
use tdb_tile::GenericTile;

use crate::commit_objects::{CommitObjects, fragment_of};
use crate::{Plan, VacuumOptions, objects};

const ABANDONED: &str = "it has no commit and nothing names it: left by a write that was stopped";
const UNFINISHED: &str = "a file that was never finished: left by a write that was stopped";
const IDLE: &str = "it lists what a merge was to replace, and that merge was stopped";
const CLAIMED: &str = "a claim to make or change the array: left by a program that was stopped";
const MADE: &str = "the array is whole: left by the import or rewrite that made it";
const STRAY: &str = "a file of another program: TileDB writes no such name";
const UNNAMED: &str = "an enumeration that no schema uses";

/// Plans the removal of what abandoned writes left: fragments without a commit, unfinished objects, enumerations that
/// no schema names, claims, the folder in which the array was made; also files of other programs among the schemas and
/// the metadata.
///
/// A write in progress looks the same, so objects younger than the grace period stay, with a note. A fragment also
/// stays if anything in the array names it, since its commit may have been lost. All of them stay while the folder of
/// a committed fragment is missing, since one of them may be that fragment under another name. [`Plan::vacuum`]
/// executes the plan.
///
/// # Errors
/// [`ArrayError::DamagedCommit`], since the commit may be that of a fragment that looks abandoned; or any error of the
/// store.
pub fn debris(array: &Array, options: &VacuumOptions) -> Result<Plan, ArrayError> {
    let location = array.location();
    let objects = CommitObjects::read(location)?;
    // A write that ended between the two listings looks abandoned in the first, so both must agree.
    let again = CommitObjects::read(location)?;
    let mut cleaning = Cleaning {
        location,
        options,
        plan: Plan::default(),
    };
    let mut folders = cleaning.fragments(array, &objects, &again)?;
    let idle = again.idle.iter().filter(|key| objects.idle.contains(key));
    let mut keys = cleaning.old(idle, IDLE)?;
    for folder in [FRAGMENT_FOLDER, COMMITS_FOLDER, ""] {
        let (found, _) = objects::list(location, folder)?;
        let unfinished = |key: &&String| tdb_store::is_draft(key);
        keys.extend(cleaning.old(found.iter().filter(unfinished), UNFINISHED)?);
    }
    let (found, _) = objects::list(location, "")?;
    let claims = found.iter().filter(|key| key.starts_with(CLAIM));
    keys.extend(cleaning.old(claims, CLAIMED)?);
    let known: BTreeSet<&str> = array
        .schemas()
        .flat_map(|(_, schema)| &schema.enumerations)
        .map(|entry| entry.file.as_str())
        .collect();
    let (found, _) = objects::list(location, &format!("{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}"))?;
    let unnamed = |key: &&String| !known.contains(tdb_store::name(key));
    keys.extend(cleaning.old(found.iter().filter(unnamed), UNNAMED)?);
    // A name that is not a valid key cannot be removed through the store, and does no harm here.
    let strays: Vec<String> = array
        .directory()
        .strays()
        .filter(|key| tdb_store::check_key(key).is_ok())
        .map(str::to_owned)
        .collect();
    keys.extend(cleaning.old(strays.iter(), STRAY)?);
    folders.extend(cleaning.draft()?);
    let mut plan = cleaning.plan;
    plan.remove(keys);
    plan.remove_folders(folders);
    Ok(plan)
}

/// A plan of [`debris`] that is being made.
struct Cleaning<'a> {
    location: &'a Location,
    options: &'a VacuumOptions,
    plan: Plan,
}

impl Cleaning<'_> {
    /// Returns the folders of fragments that have no commit in either listing, and that nothing names.
    fn fragments(
        &mut self,
        array: &Array,
        objects: &CommitObjects,
        again: &CommitObjects,
    ) -> Result<Vec<String>, ArrayError> {
        let mut committed: BTreeSet<&str> = objects.committed();
        committed.extend(again.committed());
        // A folder that is not named like a fragment is left alone.
        let is_fragment = |folder: &str| TimestampedName::parse(tdb_store::name(folder)).is_ok();
        let fragments = objects.fragments.iter().map(String::as_str);
        let loose: Vec<&str> = fragments
            .filter(|folder| !committed.contains(folder) && is_fragment(folder))
            .collect();
        if loose.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(lost) = lost(again) {
            self.plan.notes.push(format!(
                "fragments without a commit stay: the fragment of {lost} is missing, and may be one of them under another name"
            ));
            return Ok(Vec::new());
        }
        let named = named(array, self.location, again)?;
        let mut folders = Vec::new();
        for folder in loose {
            if let Some(by) = named.get(folder) {
                self.plan.notes.push(format!(
                    "{folder} has no commit, and stays because {by} names it"
                ));
            } else if self.is_old(folder)? {
                self.explain(folder, ABANDONED);
                folders.push(folder.to_owned());
            }
        }
        Ok(folders)
    }

    /// Returns the folder in which the array was made. The array is complete, so its creation was interrupted after
    /// the last step.
    fn draft(&mut self) -> Result<Option<String>, ArrayError> {
        let (_, folders) = objects::list(self.location, "")?;
        if !folders.contains(DRAFT_FOLDER) {
            return Ok(None);
        }
        let objects = self.location.full(DRAFT_FOLDER);
        let objects = self.location.store().list_recursive(&objects)?;
        for object in objects {
            let key = object
                .key
                .strip_prefix(self.location.prefix())
                .unwrap_or(&object.key)
                .trim_start_matches('/');
            if !self.options.is_over(self.location, key)? {
                let note = crate::vacuum_options::young(DRAFT_FOLDER);
                self.plan.notes.push(note);
                return Ok(None);
            }
        }
        self.explain(DRAFT_FOLDER, MADE);
        Ok(Some(DRAFT_FOLDER.to_owned()))
    }

    /// Returns the objects that are older than the grace period, and records `why` they are removed.
    fn old<'k>(
        &mut self,
        keys: impl Iterator<Item = &'k String>,
        why: &'static str,
    ) -> Result<Vec<String>, ArrayError> {
        let mut old = Vec::new();
        for key in keys {
            if self.options.is_over(self.location, key)? {
                self.explain(key, why);
                old.push(key.clone());
            } else {
                self.plan.notes.push(crate::vacuum_options::young(key));
            }
        }
        Ok(old)
    }

    /// True if everything in a folder is older than the grace period.
    fn is_old(&mut self, folder: &str) -> Result<bool, ArrayError> {
        let (objects, _) = objects::list(self.location, folder)?;
        for key in objects {
            if !self.options.is_over(self.location, &key)? {
                self.plan.notes.push(crate::vacuum_options::young(folder));
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn explain(&mut self, key: &str, why: &'static str) {
        self.plan.reasons.insert(key.to_owned(), why);
    }
}

/// Returns a live commit whose fragment does not exist.
fn lost(objects: &CommitObjects) -> Option<&str> {
    let listed = objects.listed().map(|(_, commit)| commit.key.as_str());
    let mut commits = listed.chain(objects.loose.iter().map(String::as_str));
    commits.find(|commit| {
        fragment_of(commit).is_some_and(|folder| !objects.fragments.contains(&folder))
    })
}

/// Returns the folders of fragments that an object names, each with the key of such an object.
fn named(
    array: &Array,
    location: &Location,
    objects: &CommitObjects,
) -> Result<BTreeMap<String, String>, ArrayError> {
    let mut named = BTreeMap::new();
    for vacuum in &objects.vacuums {
        named.extend(
            vacuum
                .lines
                .iter()
                .map(|folder| (folder.clone(), vacuum.key.clone())),
        );
    }
    for list in &objects.consolidated {
        let folders = list
            .commits
            .iter()
            .filter_map(|commit| fragment_of(&commit.key));
        named.extend(folders.map(|folder| (folder, list.key.clone())));
    }
    for (key, lines) in &objects.ignores {
        let folders = lines.iter().filter_map(|line| fragment_of(line));
        named.extend(folders.map(|folder| (folder, key.clone())));
    }
    // An object with the name of a fragment may have been its commit, whatever its ending.
    for folder in [COMMITS_FOLDER, ""] {
        let (found, _) = objects::list(location, folder)?;
        for key in found.into_iter().filter(|key| !key.ends_with(REPLACES)) {
            let file = tdb_store::name(&key);
            let name = file.split('.').next().unwrap_or(file).to_owned();
            named.insert(format!("{FRAGMENT_FOLDER}/{name}"), key.clone());
            named.insert(name, key);
        }
    }
    for key in array.directory().fragment_metadata() {
        for name in with_footers(location, key)? {
            named.insert(format!("{FRAGMENT_FOLDER}/{name}"), key.clone());
            named.insert(name, key.clone());
        }
    }
    Ok(named)
}

/// Returns the names of the fragments whose footers an object contains: they were committed when it was written.
fn with_footers(location: &Location, key: &str) -> Result<Vec<String>, ArrayError> {
    let mut names = Vec::new();
    for (key, bytes) in objects::read(location, &[key.to_owned()], location.tile_limit())? {
        let tile = GenericTile::parse(&bytes, location.limits()).at(&key)?;
        let payload = open_generic_tile(&tile, location.key(), location.limits()).at(&key)?;
        let footers = ConsolidatedMetadata::decode(&payload, location.limits()).at(&key)?;
        let entries = footers.entries().iter();
        // Old releases of TileDB stored the whole URI.
        names.extend(
            entries.map(|entry| tdb_store::name(entry.key.trim_end_matches('/')).to_owned()),
        );
    }
    Ok(names)
}
