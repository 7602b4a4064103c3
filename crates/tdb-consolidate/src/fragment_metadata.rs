use tdb_array::directory::FRAGMENT_METADATA_FOLDER;
use tdb_array::{Array, ArrayError, At, ChangeOptions};
use tdb_filters::seal_generic_tile;
use tdb_fragment::{ConsolidatedMetadata, FragmentIndex};
use tdb_tile::FormatVersion;

use crate::Plan;

/// The format version whose footers TileDB consolidates in a way that it cannot read itself.
const MISCOUNTED: FormatVersion = FormatVersion::new(11);

/// Plans what [`consolidate_fragment_metadata`] does.
///
/// # Errors
/// As [`consolidate_fragment_metadata`].
pub fn plan_merged_footers(array: &Array, options: &ChangeOptions) -> Result<Plan, ArrayError> {
    let version = array.write_version();
    if !version.names_by_index() {
        return Err(ArrayError::Invalid {
            what: "format version",
            name: version.to_string(),
            why: "before format version 9, fragment metadata that is put together holds the full place of each \
                  fragment, so that the array could never be moved or copied; it is left as it is",
        });
    }
    let mut chosen = Vec::new();
    let mut times: Option<(u64, u64)> = None;
    for (index, fragment) in array.numbered_fragments() {
        let written = fragment.metadata.version;
        if !written.has_commit_objects() || written == MISCOUNTED {
            continue;
        }
        let (start, end) = fragment.timestamps();
        times = Some(times.map_or((start, end), |(a, b)| (a.min(start), b.max(end))));
        chosen.push((index, fragment.name.as_str()));
    }
    let (Some(times), true) = (times, chosen.len() > 1) else {
        return Ok(Plan::default());
    };
    let indexes: Vec<FragmentIndex> = chosen.iter().map(|(index, _)| *index).collect();
    let footers = array.footers(&indexes)?;
    let name = options.names.versioned(times, version)?;
    let key = if version.has_fragment_folder() {
        format!("{FRAGMENT_METADATA_FOLDER}/{name}.meta")
    } else {
        format!("{name}.meta")
    };
    let names = chosen.iter().map(|(_, name)| *name);
    let all = names.zip(footers.iter().map(|footer| &footer[..]));
    let payload = ConsolidatedMetadata::encode(all).at(&key)?;
    check_size(array, payload.len())?;
    let tile = seal_generic_tile(&payload, FormatVersion::WRITTEN, array.key()).at(&key)?;
    let mut plan = Plan::default();
    plan.put(key, tile);
    Ok(plan)
}

/// Fails if the consolidated footers exceed the limit: the array could not be opened with them.
fn check_size(array: &Array, bytes: usize) -> Result<(), ArrayError> {
    if bytes as u64 <= array.limits().metadata_tile {
        return Ok(());
    }
    Err(ArrayError::Invalid {
        what: "number of fragments",
        name: array.fragments().len().to_string(),
        why: "their footers together are larger than a tile of metadata may be (metadata_tile), so that the array could \
              not be opened with them; merge fragments first",
    })
}

/// Puts the footers of all fragments into one object, so that opening the array needs only one read for them.
///
/// Footers of versions before 5 and of version 11 are left out: TileDB cannot open an array that has them there.
///
/// # Errors
/// [`ArrayError::Invalid`] for an array of a version before 9, in which consolidated metadata contains absolute
/// locations of fragments, and if the footers together are larger than
/// [`Limits::metadata_tile`](tdb_tile::Limits::metadata_tile); or any error of the store.
pub fn consolidate_fragment_metadata(
    array: &Array,
    options: &ChangeOptions,
) -> Result<Plan, ArrayError> {
    let plan = plan_merged_footers(array, options)?;
    let location = array.location();
    plan.apply(&**location.store(), location.prefix())?;
    Ok(plan)
}
