use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use tdb_array::commits::{
    ConsolidatedCommit, check_line, check_name, parse_consolidated, parse_lines, rerooted,
};
use tdb_array::directory::{COMMITS_FOLDER, FRAGMENT_FOLDER, FRAGMENT_METADATA, REPLACES};
use tdb_array::{ArrayError, At, Location, NameSource, TimestampedName, settle};
use tdb_tile::FormatVersion;

use crate::objects;

/// Endings of the keys of lists.
const LISTS: [&str; 4] = [".con", ".ign", ".vac", ".replaces"];

/// All objects that determine what is committed, with their contents.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CommitObjects {
    /// Keys of `.wrt`, `.del` and `.upd` objects, and of `.ok` objects in the root.
    pub(crate) loose: BTreeSet<String>,
    /// `.con` objects.
    pub(crate) consolidated: Vec<ConsolidatedList>,
    /// `.ign` objects: the commits that each of them revokes.
    pub(crate) ignores: BTreeMap<String, BTreeSet<String>>,
    /// `.vac` objects, and `.replaces` lists that are in force: the fragments that each declares as replaced.
    pub(crate) vacuums: Vec<Vacuum>,
    /// Keys of `.replaces` lists whose fragment is not committed.
    pub(crate) idle: Vec<String>,
    /// Lists among these whose last line has no end: every release of TileDB ends each.
    pub(crate) cut_off: Vec<String>,
    /// Folders of fragments, committed or not.
    pub(crate) fragments: BTreeSet<String>,
    /// Entries that are named like a fragment's folder, but are symbolic links. Nothing is read through them.
    pub(crate) links: BTreeSet<String>,
}

/// A `.con` object and its records.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ConsolidatedList {
    pub(crate) key: String,
    pub(crate) bytes: Bytes,
    pub(crate) commits: Vec<ConsolidatedCommit>,
}

/// A `.vac` object that lists fragments, or a `.replaces` list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Vacuum {
    pub(crate) key: String,
    pub(crate) name: TimestampedName,
    /// The listed folders of fragments, relative to the array.
    pub(crate) lines: BTreeSet<String>,
}

impl CommitObjects {
    /// Reads all these objects as of one moment; starts over if a list appears or anything vanishes meanwhile. A
    /// malformed name of a commit is an error, since its effect is unknown.
    pub(crate) fn read(location: &Location) -> Result<Self, ArrayError> {
        let look = || ListedObjects::new(location);
        let (found, _) = settle(location.prefix(), look, |listed| {
            let Some(found) = Self::read_once(location, listed)? else {
                return Ok(None);
            };
            let (root, _) = objects::list(location, "")?;
            let (commits, _) = objects::list(location, COMMITS_FOLDER)?;
            let later: BTreeSet<String> = commit_names(&root, &commits).cloned().collect();
            Ok(found.is_settled(&later).then_some(found))
        })?;
        Ok(found)
    }

    /// True if a later listing lacks none of these objects and has no further list. Otherwise an `.ign` object could
    /// pass for superfluous, or a commit for lost, only because a list was created after its name would have been
    /// listed.
    fn is_settled(&self, later: &BTreeSet<String>) -> bool {
        let is_list = |key: &&String| LISTS.iter().any(|ending| key.ends_with(ending));
        let lists: BTreeSet<&String> = self
            .consolidated
            .iter()
            .map(|list| &list.key)
            .chain(self.ignores.keys())
            .chain(&self.idle)
            .chain(self.vacuums.iter().map(|vacuum| &vacuum.key))
            .collect();
        self.loose.is_subset(later) && later.iter().filter(is_list).eq(lists)
    }

    fn read_once(location: &Location, listed: &ListedObjects) -> Result<Option<Self>, ArrayError> {
        let ListedObjects {
            root: (root, root_folders),
            commits,
            fragments: (links, fragments),
        } = listed;
        commits.iter().try_for_each(|key| check_name(key))?;
        let mut found = Self::default();
        let is_name = |key: &String| TimestampedName::parse(tdb_store::name(key)).is_ok();
        found.links = links.iter().filter(|key| is_name(key)).cloned().collect();
        let ends = |key: &str, endings: &[&str]| endings.iter().any(|end| key.ends_with(end));
        let all: Vec<&String> = commit_names(root, commits).collect();
        let of = |ending: &str| -> Vec<String> {
            let keys = all.iter().filter(|key| key.ends_with(ending));
            keys.map(|key| (*key).clone()).collect()
        };
        let loose = all
            .iter()
            .filter(|key| ends(key, &[".wrt", ".del", ".upd", ".ok"]));
        found.loose = loose.map(|key| (*key).clone()).collect();
        let in_root = |folder: &&String| TimestampedName::parse(folder).is_ok();
        found.fragments = root_folders
            .iter()
            .filter(in_root)
            .chain(fragments)
            .cloned()
            .collect();
        let Some(read) = read_all(location, &of(".con"))? else {
            return Ok(None);
        };
        for (key, bytes) in read {
            let commits = parse_consolidated(&bytes).at(&key)?;
            commits
                .iter()
                .try_for_each(|commit| check_line(&key, &commit.key))?;
            let ends_in_delete = commits.last().is_some_and(|last| last.delete.is_some());
            if !ends_in_delete && is_cut_off(&bytes) {
                found.cut_off.push(key.clone());
            }
            found.consolidated.push(ConsolidatedList {
                key,
                bytes,
                commits,
            });
        }
        let Some(read) = read_all(location, &of(".ign"))? else {
            return Ok(None);
        };
        for (key, bytes) in read {
            let lines = lines(&key, &bytes)?;
            if is_cut_off(&bytes) {
                found.cut_off.push(key.clone());
            }
            found.ignores.insert(key, lines);
        }
        let (counting, idle) = found.split_early(of(&format!(".{REPLACES}")));
        found.idle = idle;
        let lists: Vec<String> = of(".vac").into_iter().chain(counting).collect();
        let Some(read) = read_all(location, &lists)? else {
            return Ok(None);
        };
        for (key, bytes) in read {
            let Ok(name) = TimestampedName::of_key(&key) else {
                continue;
            };
            let lines = lines(&key, &bytes)?;
            if is_cut_off(&bytes) {
                found.cut_off.push(key.clone());
            }
            let lines = lines.iter().map(|line| rerooted(line).to_owned()).collect();
            found.vacuums.push(Vacuum { key, name, lines });
        }
        Ok(Some(found))
    }

    /// Splits `.replaces` lists into those whose fragment is committed, and the others.
    fn split_early(&self, lists: Vec<String>) -> (Vec<String>, Vec<String>) {
        let committed = self.committed();
        lists.into_iter().partition(|key| {
            let file = tdb_store::name(key);
            let name = file.split_once('.').map_or(file, |(name, _)| name);
            committed
                .iter()
                .any(|folder| tdb_store::name(folder) == name)
        })
    }

    /// True if an `.ign` object revokes this commit.
    pub(crate) fn is_ignored(&self, commit: &str) -> bool {
        self.ignores.values().any(|lines| lines.contains(commit))
    }

    /// Iterates over the commits in `.con` objects: those that are not revoked, and all deletes.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (&ConsolidatedList, &ConsolidatedCommit)> {
        let all = self
            .consolidated
            .iter()
            .flat_map(|list| list.commits.iter().map(move |commit| (list, commit)));
        all.filter(|(_, commit)| commit.delete.is_some() || !self.is_ignored(&commit.key))
    }

    /// Returns the folders of all fragments that are committed and exist.
    pub(crate) fn committed(&self) -> BTreeSet<&str> {
        let listed = self.listed().map(|(_, commit)| commit.key.as_str());
        let commits: BTreeSet<String> = listed
            .chain(self.loose.iter().map(String::as_str))
            .filter_map(fragment_of)
            .collect();
        let fragments = self.fragments.iter().map(String::as_str);
        // Before version 5, a fragment was committed by its own metadata.
        let old = |folder: &str| {
            let name = TimestampedName::parse(tdb_store::name(folder));
            name.is_ok_and(|name| !name.version().has_commit_objects())
        };
        fragments
            .filter(|folder| commits.contains(*folder) || old(folder))
            .collect()
    }
}

/// Whether the last of some lines has no end.
pub(crate) fn is_cut_off(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|last| *last != b'\n')
}

/// The names of an array's objects and folders that are related to commits.
#[derive(PartialEq)]
struct ListedObjects {
    root: (BTreeSet<String>, BTreeSet<String>),
    commits: BTreeSet<String>,
    fragments: (BTreeSet<String>, BTreeSet<String>),
}

impl ListedObjects {
    fn new(location: &Location) -> Result<Self, ArrayError> {
        Ok(Self {
            root: objects::list(location, "")?,
            commits: objects::list(location, COMMITS_FOLDER)?.0,
            fragments: objects::list(location, FRAGMENT_FOLDER)?,
        })
    }
}

/// Reads lists; returns `None` if one of them no longer exists.
fn read_all(
    location: &Location,
    lists: &[String],
) -> Result<Option<Vec<(String, Bytes)>>, ArrayError> {
    let read = objects::read(location, lists, location.limits().list_bytes)?;
    Ok((read.len() == lists.len()).then_some(read))
}

/// Iterates over the names of objects that determine what is committed, in the root and in the commits folder.
fn commit_names<'a>(
    root: &'a BTreeSet<String>,
    commits: &'a BTreeSet<String>,
) -> impl Iterator<Item = &'a String> {
    let in_root = root
        .iter()
        .filter(|key| key.ends_with(".ok") || key.ends_with(".vac"));
    let all = in_root.chain(commits);
    all.filter(|key| TimestampedName::of_key(key).is_ok())
}

/// Returns the folder of the fragment that a commit object commits; `None` if it is not the commit of a fragment.
pub(crate) fn fragment_of(commit: &str) -> Option<String> {
    let name = tdb_store::name(commit);
    match name.rsplit_once('.')? {
        (name, "wrt") => Some(format!("{FRAGMENT_FOLDER}/{name}")),
        (name, "ok") => Some(name.to_owned()),
        _ => None,
    }
}

/// Returns the key of the object that commits a fragment: its commit object or, before version 5, its metadata.
pub(crate) fn commit_of(fragment: &str) -> String {
    let name = tdb_store::name(fragment);
    if fragment.starts_with(FRAGMENT_FOLDER) {
        return format!("{COMMITS_FOLDER}/{name}.wrt");
    }
    match TimestampedName::parse(name) {
        Ok(parsed) if !parsed.version().has_commit_objects() => {
            format!("{fragment}/{FRAGMENT_METADATA}")
        }
        _ => format!("{name}.ok"),
    }
}

/// Returns the time range of these objects; `None` if none has a time.
pub(crate) fn span<'a>(keys: impl IntoIterator<Item = &'a str>) -> Option<(u64, u64)> {
    let names = keys.into_iter().filter_map(|key| {
        let name = TimestampedName::of_key(key).ok()?;
        Some((name.start(), name.end()))
    });
    names.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Returns the key and the content of a new `.ign` object that revokes these commits; `None` if there are none.
pub(crate) fn ignore_object(
    commits: &BTreeSet<String>,
    names: &dyn NameSource,
) -> Result<Option<(String, Vec<u8>)>, ArrayError> {
    let Some(span) = span(commits.iter().map(String::as_str)) else {
        return Ok(None);
    };
    let name = names.versioned(span, FormatVersion::WRITTEN)?;
    let lines: Vec<String> = commits.iter().map(|commit| format!("{commit}\n")).collect();
    let key = format!("{COMMITS_FOLDER}/{name}.ign");
    Ok(Some((key, lines.concat().into_bytes())))
}

fn lines(key: &str, bytes: &[u8]) -> Result<BTreeSet<String>, ArrayError> {
    let lines = parse_lines(bytes).map(|line| {
        check_line(key, line)?;
        Ok(line.to_owned())
    });
    lines.collect()
}
