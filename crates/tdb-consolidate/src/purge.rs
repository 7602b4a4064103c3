//! Rewriting of single fragments to remove their deleted cells.

use tdb_array::{Array, ArrayError, At, Fragment};
use tdb_fragment::{MetadataPart, TileBounds};
use tdb_schema::FieldKind;
use tdb_tile::{Exact, Record};

use crate::merge_plan::{chosen, shown};
use crate::order_kept::{Piece, Rules};
use crate::{MergePlan, Source};

impl MergePlan {
    /// Adds a step, up to `most` in total, for each chosen fragment that no other step merges and that a delete
    /// concerns.
    pub(crate) fn purge(
        &mut self,
        array: &Array,
        rules: &Rules<'_>,
        pieces: &[Piece],
        most: u32,
    ) -> Result<(), ArrayError> {
        for index in chosen(pieces) {
            let piece = Piece::at(pieces, index)?;
            let is_alone = |source: &Source| {
                let mut sources = self.steps.iter().flat_map(|step| &step.sources);
                matches!(source, Source::Fragment(_)) && !sources.any(|other| other == source)
            };
            if self.steps.len() >= most as usize || !is_alone(&piece.source) {
                continue;
            }
            if !is_concerned(array, &piece.source)? {
                continue;
            }
            let number = Source::Step(self.steps.len());
            let rewritten = rules.merged(pieces, &[index], number)?;
            match rules.check(pieces, &[index], &rewritten) {
                Ok(()) => self.push(rules, pieces, &[index], &rewritten)?,
                Err(refusal) => {
                    let (name, why) = (shown(pieces, &refusal), refusal.why);
                    let note = format!("deleted cells stay in {}: {name}{why}", piece.source);
                    self.notes.push(note);
                }
            }
        }
        Ok(())
    }
}

/// True if a fragment may contain deleted cells: either its own delete times show some, or there is a delete that it
/// has not recorded as applied.
fn is_concerned(array: &Array, source: &Source) -> Result<bool, ArrayError> {
    let mut fragments = array.fragments().iter();
    let found = fragments.find(|fragment| *source == Source::Fragment(fragment.name.clone()));
    let Some(fragment) = found else {
        return Ok(false);
    };
    let (first, _) = fragment.timestamps();
    let mut deletes = array
        .deletes()
        .iter()
        .filter(|delete| delete.timestamp >= first)
        .peekable();
    if deletes.peek().is_none() {
        return Ok(false);
    }
    if fragment.metadata.extra_fields.deletes && has_deleted(array, fragment)? {
        return Ok(true);
    }
    let markers = markers(array, fragment)?;
    let is_known = |marker: &str| {
        markers
            .iter()
            .any(|known| known.trim_start_matches('/') == marker)
    };
    Ok(deletes.any(|delete| !is_known(&delete.marker)))
}

/// True if any cell of a fragment with delete times may be deleted. Cells that are not deleted have the maximum number
/// as their delete time.
pub(crate) fn has_deleted(array: &Array, fragment: &Fragment) -> Result<bool, ArrayError> {
    let least = [MetadataPart::Mins(FieldKind::DeleteTimestamps)];
    let key = &fragment.metadata_key;
    let mut tiles = 0_u64;
    for part in array.metadata_parts_of(fragment, &least)? {
        let version = fragment.metadata.version;
        let bounds = TileBounds::decode(&part.payload, version, &(), array.limits()).at(key)?;
        let (times, _) = bounds.fixed.as_chunks::<8>();
        if times
            .iter()
            .any(|time| u64::from_le_bytes(*time) != u64::MAX)
        {
            return Ok(true);
        }
        tiles = tiles.exact_add(times.len() as u64)?;
    }
    // If the minimum is unknown for some tiles, they may contain deleted cells.
    Ok(tiles != fragment.metadata.tile_count())
}

/// Returns the deletes that a fragment has recorded as applied.
pub(crate) fn markers(array: &Array, fragment: &Fragment) -> Result<Vec<String>, ArrayError> {
    if !fragment.metadata.version.stores_processed_conditions() {
        return Ok(Vec::new());
    }
    let key = &fragment.metadata_key;
    let mut markers = Vec::new();
    for part in array.metadata_parts_of(fragment, &[MetadataPart::ProcessedConditions])? {
        let processed = fragment
            .metadata
            .processed_conditions(&part.payload, array.limits());
        markers.extend(processed.at(key)?.markers);
    }
    Ok(markers)
}
