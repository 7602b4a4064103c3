//! Gaps in the history: times as of which an array or its metadata can no longer be read. See
//! `docs/format/directory.md`, "What is left of the past".
//!
//! A merge that does not keep the times of cells combines objects of several times into one, which is visible from the
//! last of these times on. The earlier times can be read as long as the original objects exist; a vacuum removes them.
//! No object records this, but it follows from the names of the existing objects.

use std::collections::HashSet;

use tdb_fragment::MetadataPart;

use crate::array::open_fragments;
use crate::directory::DatedObjects;
use crate::early::Early;
use crate::fragment_opener::PrefetchedMetadata;
use crate::fragment_parts::read_parts;
use crate::open::ObjectReader;
use crate::{
    Array, ArrayError, At, Fragment, FragmentEntries, Group, HistoryGap, LostContent, TimeWindow,
    TimestampedName,
};

impl Array {
    /// Returns the gaps in the history of the array at the time for which it was opened: a read lacks these cells or
    /// attributes. Empty if a read returns everything that was written up to that time.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn gaps(&self) -> Result<Vec<HistoryGap>, ArrayError> {
        let window = self.window();
        let mut gaps = self.cell_gaps(Some(window))?;
        let is_within = |gap: &HistoryGap| gap.start <= window.at && window.at <= gap.end;
        let attributes = self.attribute_gaps().into_iter();
        gaps.extend(attributes.filter(is_within));
        // A merge can only have left out cells whose delete is later than that time.
        let last_delete = self.snapshot().last_delete;
        if last_delete.is_some_and(|last| last > window.at) {
            gaps.extend(self.deleted_gaps()?.into_iter().filter(is_within));
        }
        Ok(joined(gaps))
    }

    /// Returns all gaps in the history of the array, which must be opened for all times.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn all_gaps(&self) -> Result<Vec<HistoryGap>, ArrayError> {
        let mut gaps = self.cell_gaps(None)?;
        gaps.extend(self.attribute_gaps());
        gaps.extend(self.deleted_gaps()?);
        gaps.extend(
            self.place
                .metadata_gaps(self.directory().metadata(), None)?,
        );
        Ok(joined(gaps))
    }

    /// Returns the gaps in the history of the metadata at the time for which the array was opened.
    ///
    /// # Errors
    /// As [`Array::metadata`].
    pub fn metadata_gaps(&self) -> Result<Vec<HistoryGap>, ArrayError> {
        let metadata = self.directory().metadata();
        self.place.metadata_gaps(metadata, Some(self.window()))
    }

    /// Returns the gaps that arise if the sources of these merged fragments are removed.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn gaps_without_sources(
        &self,
        merged: &[TimestampedName],
    ) -> Result<Vec<HistoryGap>, ArrayError> {
        let mut fragments = self.fragments().to_vec();
        fragments.extend(self.open_replaced()?);
        let is_meant = |fragment: &&Fragment| {
            fragment.name.start() < fragment.name.end() && merged.contains(&fragment.name)
        };
        let meant = fragments.iter().filter(is_meant);
        let lost = meant.filter(|fragment| !fragment.metadata.extra_fields.timestamps);
        Ok(joined(
            lost.map(|fragment| gap(&fragment.name, LostContent::Cells))
                .collect(),
        ))
    }

    /// Returns the gaps of merged fragments that do not keep the times of their cells, and whose sources no longer
    /// exist.
    fn cell_gaps(&self, window: Option<TimeWindow>) -> Result<Vec<HistoryGap>, ArrayError> {
        let is_dense = self.schema().is_dense();
        let spans = self
            .snapshot()
            .merged_spans
            .iter()
            .filter_map(|(start, end)| {
                Some(HistoryGap {
                    start: *start,
                    end: end.checked_sub(1)?,
                    what: LostContent::Cells,
                })
            });
        let is_seen = |gap: &HistoryGap| {
            window.is_none_or(|window| gap.start <= window.at && window.at <= gap.end)
        };
        let mut gaps: Vec<HistoryGap> = spans.filter(is_seen).collect();
        let mut unknown = HashSet::new();
        for entry in self.snapshot().merged.iter() {
            let name = entry?.name;
            if window.is_some_and(|window| !cuts(window, &name)) {
                continue;
            }
            let keeps_times = if is_dense || !name.version().selects_by_time_overlap() {
                Some(false)
            } else {
                let opened = self
                    .fragments()
                    .iter()
                    .find(|fragment| fragment.name == name);
                opened.map(|fragment| fragment.metadata.extra_fields.timestamps)
            };
            match keeps_times {
                Some(true) => {}
                Some(false) => gaps.push(gap(&name, LostContent::Cells)),
                None => {
                    unknown.insert(name.as_str().to_owned());
                }
            }
        }
        if !unknown.is_empty() {
            let mut entries: FragmentEntries = self.snapshot().merged.clone();
            entries.retain(|name| unknown.contains(name))?;
            let schemas = &self.snapshot().schemas;
            let prefetched = PrefetchedMetadata {
                footers: Vec::new(),
                early: &mut Early::default(),
            };
            let opened =
                open_fragments(&self.place, schemas, &entries, prefetched, &mut Vec::new())?;
            let without = opened
                .iter()
                .filter(|f| !f.metadata.extra_fields.timestamps);
            gaps.extend(without.map(|fragment| gap(&fragment.name, LostContent::Cells)));
        }
        Ok(gaps)
    }

    /// Returns the gaps of attributes that fragments lost because they were merged under a schema without them.
    fn attribute_gaps(&self) -> Vec<HistoryGap> {
        let mut schemas = Vec::new();
        for entry in self.directory().schemas() {
            let time = entry.name.as_ref().map_or(0, TimestampedName::start);
            let mut known = self.schemas();
            if let Some((_, schema)) = known.find(|(name, _)| *name == entry.schema_name()) {
                schemas.push((time, schema));
            }
        }
        let mut gaps = Vec::new();
        for fragment in self.fragments() {
            let of_fragment = schemas
                .iter()
                .find(|(_, s)| std::sync::Arc::ptr_eq(s, &fragment.schema));
            let (start, end) = fragment.timestamps();
            // A write uses a schema that exists already. Only a merge gives cells a schema that is newer than they
            // are.
            let Some((made, own)) = of_fragment.filter(|(made, _)| *made > start) else {
                continue;
            };
            let later = schemas.iter().skip(1).map(|(time, _)| *time);
            let ends = later.map(Some).chain([None]);
            for ((time, old), next) in schemas.iter().zip(ends) {
                if time > made || *time > end {
                    break;
                }
                let from = start.max(*time);
                let before_next = next.unwrap_or(*made).checked_sub(1);
                let Some(until) = before_next.filter(|until| from <= *until) else {
                    continue;
                };
                let lost = old
                    .attributes
                    .iter()
                    .filter(|attribute| !own.has_same_attribute(attribute));
                gaps.extend(lost.map(|attribute| HistoryGap {
                    start: from,
                    end: until,
                    what: LostContent::Attribute(attribute.name.clone()),
                }));
            }
        }
        gaps
    }

    /// Returns the gaps of cells that merges may have left out because they were deleted before the merge.
    fn deleted_gaps(&self) -> Result<Vec<HistoryGap>, ArrayError> {
        if self.snapshot().last_delete.is_none() {
            return Ok(Vec::new());
        }
        // Only merged fragments have the times of their cells.
        let asked: Vec<&Fragment> = self
            .fragments()
            .iter()
            .filter(|fragment| {
                let extra = fragment.metadata.extra_fields;
                fragment.metadata.version.stores_processed_conditions()
                    && extra.timestamps
                    && !extra.deletes
            })
            .collect();
        let wanted = asked
            .iter()
            .map(|f| (*f, MetadataPart::ProcessedConditions));
        let parts = read_parts(&self.place, wanted.collect())?;
        let mut gaps = Vec::new();
        for (fragment, part) in asked.into_iter().zip(parts) {
            let processed = fragment
                .metadata
                .processed_conditions(&part.payload, self.limits());
            let markers = processed.at(&fragment.metadata_key)?.markers;
            let times = markers
                .iter()
                .filter_map(|key| TimestampedName::of_key(key).ok());
            let (start, _) = fragment.timestamps();
            let last = times.map(|name| name.start()).max();
            let before = last.and_then(|last| last.checked_sub(1));
            if let Some(end) = before.filter(|end| *end >= start) {
                gaps.push(HistoryGap {
                    start,
                    end,
                    what: LostContent::DeletedCells,
                });
            }
        }
        Ok(gaps)
    }
}

impl Group {
    /// Returns the gaps in the history of the group's metadata: see [`Array::metadata_gaps`].
    ///
    /// # Errors
    /// As [`Group::metadata`].
    pub fn metadata_gaps(&self) -> Result<Vec<HistoryGap>, ArrayError> {
        self.place
            .metadata_gaps(&self.metadata, Some(self.place.options.window))
    }
}

impl ObjectReader {
    fn metadata_gaps(
        &self,
        objects: &DatedObjects,
        window: Option<TimeWindow>,
    ) -> Result<Vec<HistoryGap>, ArrayError> {
        let concerns = |name: &TimestampedName| window.is_none_or(|window| cuts(window, name));
        let merged = objects.merged(concerns);
        if merged.is_empty() {
            return Ok(Vec::new());
        }
        let lists = self.lists(objects.lists())?;
        let gone = objects.without_sources(merged, &lists)?;
        Ok(joined(
            gone.iter()
                .map(|name| gap(name, LostContent::Metadata))
                .collect(),
        ))
    }
}

/// True if an object has times both inside and outside of the window.
fn cuts(window: TimeWindow, name: &TimestampedName) -> bool {
    window.overlaps(name) && !window.contains(name)
}

/// Returns the times as of which a merged object cannot be read. It is visible at its last time, so that is not
/// included.
fn gap(name: &TimestampedName, what: LostContent) -> HistoryGap {
    HistoryGap {
        start: name.start(),
        // Only the object of time 0 alone ends then: nothing is before it.
        end: name.end().saturating_sub(1),
        what,
    }
}

/// Joins gaps of the same kind that overlap or touch.
fn joined(mut gaps: Vec<HistoryGap>) -> Vec<HistoryGap> {
    let is_next = |last: &HistoryGap, gap: &HistoryGap| {
        let before = gap.start.checked_sub(1);
        before.is_none_or(|before| before <= last.end)
    };
    gaps.sort_by(|a, b| a.what.cmp(&b.what).then(a.start.cmp(&b.start)));
    let mut joined: Vec<HistoryGap> = Vec::new();
    for gap in gaps {
        match joined.last_mut() {
            Some(last) if last.what == gap.what && is_next(last, &gap) => {
                last.end = last.end.max(gap.end);
            }
            _ => joined.push(gap),
        }
    }
    joined.sort();
    joined
}
