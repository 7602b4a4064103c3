use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use tdb_tile::Limits;

use super::lists::lines_of;
use super::{
    Directory, FragmentEntries, FragmentEntry, Lists, REPLACES, Replacements, fragment_key,
};
use crate::commits::{check_line, parse_lines, records};
use crate::name_parts::NameParts;
use crate::{ArrayError, At, LaterObjects, TimeWindow, TimestampedName};

/// What counts of an array within a window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The fragments, later ones over earlier ones.
    pub fragments: FragmentEntries,
    /// Fragments within the window that a consolidation has replaced, by name.
    pub replaced: FragmentEntries,
    /// The deletes (and updates, which act as such), by time.
    pub deletes: Vec<DeleteCommit>,
    /// Lists of replaced fragments, by key, that do not count: the fragment that each is named after is not there.
    pub idle: Vec<String>,
    /// Merged fragments, of whatever times, of which not all that was merged is there.
    pub merged: FragmentEntries,
    /// Spans of cells that were merged into fragments of the last of these times alone, and of which not all that was merged is
    /// there.
    pub merged_spans: Vec<(u64, u64)>,
    /// The time of the last delete, also of one that is yet to come.
    pub last_delete: Option<u64>,
    /// How many fragments are committed, of whatever times.
    pub committed: u64,
    /// Fragments and deletes that bear a later time than the window.
    pub later: Option<LaterObjects>,
}

/// A delete: cells written up to its time vanish if they fit a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteCommit {
    /// Its key, relative to the array, also where the object is gone: fragments call it so.
    pub marker: String,
    /// Its name, which holds its time.
    pub name: TimestampedName,
    /// Where its bytes are.
    pub stored: Stored,
}

/// Where the bytes of a delete are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// In an object of its own, with this key.
    Object(String),
    /// In a `.con` object.
    Within {
        /// The key of the `.con` object.
        key: String,
        /// Which of its bytes.
        range: Range<usize>,
    },
}

impl Directory {
    /// Works out what counts within the window.
    ///
    /// `lists` holds the bytes of all [`Directory::lists`], `present` those of
    /// [`Directory::probes`] that are there. Sparse arrays and dense ones differ in when a
    /// consolidated fragment counts.
    ///
    /// # Errors
    /// [`ArrayError::Object`] where a list breaks the format, [`ArrayError::EscapesRoot`],
    /// [`ArrayError::Newer`], [`ArrayError::Limit`].
    pub fn live(
        &self,
        lists: &Lists,
        present: &BTreeSet<String>,
        sparse: bool,
        limits: &Limits,
    ) -> Result<Live, ArrayError> {
        let window = self.window;
        let rule = |name: NameParts| {
            if sparse && name.version().selects_by_time_overlap() {
                window.overlaps_some(name)
            } else {
                window.contains_all(name)
            }
        };
        let consolidated = self.consolidated_commits(lists)?;
        let deletes = self.live_deletes(window, &consolidated);
        let loose = self.deletes.iter().map(|(_, name)| name.end());
        let listed = consolidated.deletes.keys();
        let listed = listed.filter_map(|key| Some(TimestampedName::of_key(key).ok()?.end()));
        let ends: Vec<u64> = loose.chain(listed).collect();
        let last_delete = ends.iter().copied().max();
        let mut later = LaterObjects {
            until: last_delete.unwrap_or(0),
            deletes: ends.iter().filter(|end| **end > window.at).count() as u64,
            ..LaterObjects::default()
        };
        let mut committed = self.committed(consolidated.fragments, present)?;
        let (merged, merged_spans) = self.without_sources(&committed, lists)?;
        let all = committed.len() as u64;
        committed.keep(|listed| {
            if listed.parts.end > window.at {
                later.fragments = later.fragments.saturating_add(1);
                later.until = later.until.max(listed.parts.end);
            }
            rule(listed.parts)
        })?;
        check_versions(&committed)?;
        let replacements = self.replacements(lists, |name| rule(name.parts()))?;
        let there = listed_of(&replacements, &committed)?;
        let replaced = replacements.in_force(there.iter().map(String::as_str));
        // Who merges puts a `.replaces` before the commit that it counts from.
        let idle = replaced.idle.iter().filter(|key| !key.ends_with(REPLACES));
        let idle = idle.map(|key| (*key).to_owned()).collect();
        let replaced = if there.is_empty() {
            FragmentEntries::default()
        } else {
            committed.keep(|listed| !replaced.contains(&listed.key()))?
        };
        let count = committed.len() as u64;
        Limits::check("number of fragments", "fragments", count, limits.fragments)?;
        committed.sort_by_time();
        Ok(Live {
            fragments: committed,
            replaced,
            deletes,
            idle,
            merged,
            merged_spans,
            last_delete,
            committed: all,
            later: later.found(),
        })
    }

    /// Merged fragments of which not all that was merged is there.
    fn without_sources(
        &self,
        committed: &FragmentEntries,
        lists: &Lists,
    ) -> Result<(FragmentEntries, Vec<(u64, u64)>), ArrayError> {
        let is_merged = |listed: &super::listed::Listed<'_>| listed.parts.start < listed.parts.end;
        let mut has_merged = !self.merged_since.is_empty();
        for listed in committed.listed() {
            has_merged |= is_merged(&listed?);
        }
        if !has_merged {
            return Ok((FragmentEntries::default(), Vec::new()));
        }
        let mut merged = committed.clone();
        merged.keep(is_merged)?;
        let replacements = self.replacements(lists, |_| true)?;
        let there: HashSet<String> = listed_of(&replacements, committed)?.into_iter().collect();
        let sources = replacements.sources();
        let is_gone = |merged: &str| {
            let sources = sources.get(merged).copied().unwrap_or(&[]);
            sources.is_empty() || !sources.iter().all(|source| there.contains(*source))
        };
        merged.keep(|listed| is_gone(&listed.key()))?;
        let spans = self.merged_since.iter();
        let spans = spans.filter(|(_, name)| is_gone(&fragment_key(name)));
        let spans = spans.map(|(start, name)| (*start, name.end()));
        Ok((merged, spans.collect()))
    }

    /// What the `.vac` and `.replaces` objects of the window say.
    fn replacements<'a>(
        &'a self,
        lists: &'a Lists,
        rule: impl Fn(&TimestampedName) -> bool,
    ) -> Result<Replacements<'a>, ArrayError> {
        let mut replacements = Replacements::default();
        let all = self.vacuums.iter().chain(&self.replacing);
        for (key, name) in all.filter(|(_, name)| rule(name)) {
            let lines = lines_of(key, lists)?;
            replacements.add(key, fragment_key(name), lines);
        }
        Ok(replacements)
    }

    fn consolidated_commits<'a>(
        &'a self,
        lists: &'a Lists,
    ) -> Result<Consolidated<'a>, ArrayError> {
        let of = |keys: &'a [String]| keys.iter().filter_map(|key| lists.get_key_value(key));
        let mut ignored = HashSet::new();
        for (key, bytes) in of(&self.ignores) {
            for line in parse_lines(bytes) {
                check_line(key, line)?;
                ignored.insert(line);
            }
        }
        let mut all = Consolidated::default();
        for (key, bytes) in of(&self.consolidated) {
            all.fragments.add_list(bytes)?;
            for record in records(bytes) {
                let record = record.at(key)?;
                check_line(key, record.key)?;
                // Deletes count all the same: they are told by where they stand.
                if let Some(range) = record.delete {
                    let stored = Stored::Within {
                        key: key.clone(),
                        range,
                    };
                    all.deletes.entry(record.key).or_insert(stored);
                } else if !ignored.contains(record.key) {
                    all.fragments.add_line(record.place);
                }
            }
        }
        all.fragments.sort_by_commit();
        Ok(all)
    }

    /// Every fragment that is complete: those in the root by name, then those whose commits were
    /// consolidated, then the others, each by name. Equal times are settled by this order.
    fn committed(
        &self,
        mut listed: FragmentEntries,
        present: &BTreeSet<String>,
    ) -> Result<FragmentEntries, ArrayError> {
        let in_root = self.root_folders.iter().filter(|entry| {
            self.ok.contains(&entry.key)
                || listed.has_commit(&entry.commit_key())
                || present.contains(&entry.metadata_key())
        });
        let loose = self.written.iter();
        let is_listed =
            |entry: &FragmentEntry| !listed.is_empty() && listed.has_commit(&entry.commit_key());
        let loose = loose.filter(|entry| !is_listed(entry));
        let (in_root, loose): (Vec<_>, Vec<_>) = (in_root.collect(), loose.collect());
        // Of those in the root it is known which there are.
        listed.keep(|listed| listed.is_in_folder())?;
        listed.put_around(&in_root, &loose)?;
        Ok(listed)
    }

    fn live_deletes(
        &self,
        window: TimeWindow,
        consolidated: &Consolidated<'_>,
    ) -> Vec<DeleteCommit> {
        let within = consolidated.deletes.iter().filter_map(|(key, stored)| {
            let name = TimestampedName::of_key(key).ok()?;
            Some((*key, name, stored.clone()))
        });
        let loose = self.deletes.iter().filter_map(|(key, name)| {
            let counted = consolidated.deletes.contains_key(key.as_str());
            (!counted).then(|| (key.as_str(), name.clone(), Stored::Object(key.clone())))
        });
        let mut deletes: Vec<_> = within
            .chain(loose)
            .filter(|(_, name, _)| window.contains(name))
            .map(|(key, name, stored)| DeleteCommit {
                marker: key.to_owned(),
                name,
                stored,
            })
            .collect();
        deletes.sort_by(|a, b| (a.name.start(), &a.marker).cmp(&(b.name.start(), &b.marker)));
        deletes
    }
}

/// What the `.con` objects say, as sets: one commit may be in several.
#[derive(Debug, Default)]
struct Consolidated<'a> {
    /// The fragments that they commit, by their commits.
    fragments: FragmentEntries,
    deletes: BTreeMap<&'a str, Stored>,
}

/// The folders of those of some fragments that replacements speak of: of the others no name is held.
fn listed_of(
    replacements: &Replacements<'_>,
    fragments: &FragmentEntries,
) -> Result<Vec<String>, ArrayError> {
    let named: HashSet<&str> = replacements.folders().collect();
    let mut listed = Vec::new();
    if named.is_empty() {
        return Ok(listed);
    }
    for entry in fragments.iter() {
        let folder = entry?.key;
        if named.contains(folder.as_str()) {
            listed.push(folder);
        }
    }
    Ok(listed)
}

/// Fails where a fragment is of a version that is not known.
fn check_versions(fragments: &FragmentEntries) -> Result<(), ArrayError> {
    for listed in fragments.listed() {
        let listed = listed?;
        let version = listed.parts.version();
        if !version.is_known() {
            return Err(ArrayError::Newer {
                version: version.number(),
                key: listed.key(),
            });
        }
    }
    Ok(())
}
