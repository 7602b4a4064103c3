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

/// The live objects of an array within a time window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// The live fragments; later ones overwrite earlier ones.
    pub fragments: FragmentEntries,
    /// Fragments in the window that a consolidation has replaced, by name.
    pub replaced: FragmentEntries,
    /// The live deletes, and updates, which act as deletes; by time.
    pub deletes: Vec<DeleteCommit>,
    /// Keys of lists of replaced fragments that have no effect, because the fragment named in their key does not
    /// exist.
    pub idle: Vec<String>,
    /// Merged fragments of any time whose sources no longer all exist.
    pub merged: FragmentEntries,
    /// Time ranges of cells merged into fragments whose names contain only the last of these times, if the sources no
    /// longer all exist.
    pub merged_spans: Vec<(u64, u64)>,
    /// The time of the last delete, even if it is after the window.
    pub last_delete: Option<u64>,
    /// The number of committed fragments of any time.
    pub committed: u64,
    /// Fragments and deletes that are later than the window.
    pub later: Option<LaterObjects>,
}

/// A delete: cells written up to its time are removed, except those that match its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteCommit {
    /// The key of the delete object, relative to the array, even if the object no longer exists. Fragments refer to
    /// the delete by this key.
    pub marker: String,
    /// Its name, which contains its time.
    pub name: TimestampedName,
    /// Location of its bytes.
    pub stored: DeleteLocation,
}

/// Location of the bytes of a delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeleteLocation {
    /// In its own object, with this key.
    Object(String),
    /// In a `.con` object.
    Within {
        /// The key of the `.con` object.
        key: String,
        /// Range of its bytes in that object.
        range: Range<usize>,
    },
}

impl Directory {
    /// Determines the live objects in the window.
    ///
    /// `lists` contains the bytes of all [`Directory::lists`]; `present` contains those of [`Directory::probes`] that
    /// exist. `sparse` tells whether the array is sparse: the rule by which a consolidated fragment is in the window
    /// differs for dense arrays.
    ///
    /// # Errors
    /// [`ArrayError::Object`] if a list breaks the format, [`ArrayError::EscapesRoot`], [`ArrayError::Newer`],
    /// [`ArrayError::Limit`].
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
        let listed = consolidated
            .deletes
            .keys()
            .filter_map(|key| Some(TimestampedName::of_key(key).ok()?.end()));
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
        let mut later_ends = Vec::new();
        committed.keep(|listed| {
            later_ends.extend(Some(listed.parts.end).filter(|end| *end > window.at));
            rule(listed.parts)
        })?;
        later.fragments = later_ends.len() as u64;
        later.until = later_ends.into_iter().fold(later.until, u64::max);
        check_versions(&committed)?;
        let replacements = self.replacements(lists, |name| rule(name.parts()))?;
        let there = listed_of(&replacements, &committed)?;
        let replaced = replacements.in_force(there.iter().map(String::as_str));
        // A `.replaces` object is written before the commit that brings it into force, so it is not idle.
        let idle = replaced
            .idle
            .iter()
            .filter(|key| !key.ends_with(REPLACES))
            .map(|key| (*key).to_owned())
            .collect();
        let replaced = if there.is_empty() {
            FragmentEntries::default()
        } else {
            committed.keep(|listed| !replaced.contains(&listed.key()))?
        };
        let count = committed.len() as u64;
        Limits::check("number of fragments", "fragments", count, limits.fragments)?;
        committed.sort_by_time()?;
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

    /// Returns the merged fragments whose sources no longer all exist, and the time ranges of those whose names
    /// contain only their last time.
    fn without_sources(
        &self,
        committed: &FragmentEntries,
        lists: &Lists,
    ) -> Result<(FragmentEntries, Vec<(u64, u64)>), ArrayError> {
        let is_merged =
            |listed: &super::listed::ListedFragment<'_>| listed.parts.start < listed.parts.end;
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
        let spans = self
            .merged_since
            .iter()
            .filter(|(_, name)| is_gone(&fragment_key(name)))
            .map(|(start, name)| (*start, name.end()));
        Ok((merged, spans.collect()))
    }

    /// Collects the `.vac` and `.replaces` objects whose names satisfy `rule`.
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
    ) -> Result<ConsolidatedCommits<'a>, ArrayError> {
        let of = |keys: &'a [String]| keys.iter().filter_map(|key| lists.get_key_value(key));
        let mut ignored = HashSet::new();
        for (key, bytes) in of(&self.ignores) {
            for line in parse_lines(bytes) {
                check_line(key, line)?;
                ignored.insert(line);
            }
        }
        let mut all = ConsolidatedCommits::default();
        for (key, bytes) in of(&self.consolidated) {
            all.fragments.add_list(bytes)?;
            for record in records(bytes) {
                let record = record.at(key)?;
                check_line(key, record.key)?;
                // Deletes count nevertheless: fragments refer to them by position.
                if let Some(range) = record.delete {
                    let stored = DeleteLocation::Within {
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

    /// Returns all committed fragments: those in the root, then those committed by `.con` objects, then the others,
    /// each by name. This order decides between fragments of equal times.
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
        // For the root, the listing shows which fragments exist.
        listed.keep(|listed| listed.is_in_folder())?;
        listed.put_around(&in_root, &loose)?;
        Ok(listed)
    }

    fn live_deletes(
        &self,
        window: TimeWindow,
        consolidated: &ConsolidatedCommits<'_>,
    ) -> Vec<DeleteCommit> {
        let within = consolidated.deletes.iter().filter_map(|(key, stored)| {
            let name = TimestampedName::of_key(key).ok()?;
            Some((*key, name, stored.clone()))
        });
        let loose = self.deletes.iter().filter_map(|(key, name)| {
            let counted = consolidated.deletes.contains_key(key.as_str());
            (!counted).then(|| {
                (
                    key.as_str(),
                    name.clone(),
                    DeleteLocation::Object(key.clone()),
                )
            })
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

/// The contents of all `.con` objects, without duplicates: a commit may be in several.
#[derive(Debug, Default)]
struct ConsolidatedCommits<'a> {
    /// The committed fragments, by the keys of their commits.
    fragments: FragmentEntries,
    deletes: BTreeMap<&'a str, DeleteLocation>,
}

/// Returns the folders of the fragments that appear in the replacements. No names are copied for the others, which may
/// be many.
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

/// Fails if a fragment has an unknown format version.
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
