//! The names of folders and special objects.

use crate::TimestampedName;

/// Folder of schemas, from format version 10 on.
pub const SCHEMA_FOLDER: &str = "__schema";
/// Folder of enumerations, inside the folder of schemas.
pub const ENUMERATION_FOLDER: &str = "__enumerations";
/// Key of the only schema of an array before format version 10.
pub const LEGACY_SCHEMA: &str = "__array_schema.tdb";
/// Folder of commits, from format version 12 on.
pub const COMMITS_FOLDER: &str = "__commits";
/// Folder of fragments, from format version 12 on.
pub const FRAGMENT_FOLDER: &str = "__fragments";
/// Folder of consolidated fragment metadata, from format version 12 on.
pub const FRAGMENT_METADATA_FOLDER: &str = "__fragment_meta";
/// Folder of the metadata of an array or a group.
pub const METADATA_FOLDER: &str = "__meta";
/// Folder of the arrays of dimension labels.
pub const LABEL_FOLDER: &str = "__labels";
/// Folder in which a group stores its members.
pub const GROUP_FOLDER: &str = "__group";
/// Key of the object that makes a folder a group.
pub const GROUP_MARKER: &str = "__tiledb_group.tdb";
/// Key of the metadata of a fragment, inside its folder.
pub const FRAGMENT_METADATA: &str = "__fragment_metadata.tdb";

/// Folder with the schema of an array that is being made, and a note of the kind of work: see `Draft`. TileDB ignores
/// this folder.
pub const DRAFT_FOLDER: &str = "__tdb_unfinished";

/// Ending of lists of the fragments that another one replaces as soon as it is committed. Only tdb writes them, and
/// they exist only while fragments are merged in an array that allows duplicates.
pub const REPLACES: &str = "replaces";

/// Prefix of claims, which TileDB ignores: they exist while a program makes the array, or changes cells based on what
/// it has read.
pub const CLAIM: &str = "__tdb_claim_";

/// Prefix of notes of unfinished restores, which TileDB ignores. The restored time follows.
pub(crate) const RESTORE: &str = "__tdb_restore_";

/// Returns the time in the key of a note of an unfinished restore; `None` for another key.
pub(super) fn restored_to(key: &str) -> Option<u64> {
    key.strip_prefix(RESTORE)?.parse().ok()
}

/// Prefix of the note of the last change of cells that were read before, which TileDB ignores. The time of the change
/// follows.
pub(crate) const CHANGED: &str = "__tdb_changed_";

/// Returns the time in the key of a note of the last change; `None` for another key.
pub(crate) fn changed_at(key: &str) -> Option<u64> {
    key.strip_prefix(CHANGED)?.parse().ok()
}

/// Prefix of notes of merged fragments whose names contain only the last timestamp of their cells. The first timestamp
/// follows, then the name of the fragment. TileDB ignores these notes.
const MERGED_SINCE: &str = "__tdb_merged_since_";

/// Returns the key of a note of a merged fragment.
pub(crate) fn merged_since_key(start: u64, merged: &TimestampedName) -> String {
    format!("{MERGED_SINCE}{start}{merged}")
}

/// Returns the first timestamp and the fragment in the key of a note of a merged fragment; `None` for another key.
pub(super) fn merged_since(key: &str) -> Option<(u64, TimestampedName)> {
    let (start, name) = key.strip_prefix(MERGED_SINCE)?.split_once("__")?;
    let name = TimestampedName::parse(&format!("__{name}")).ok()?;
    Some((start.parse().ok()?, name))
}

/// Returns the folder of the fragment with this name, relative to the array.
pub fn fragment_key(name: &TimestampedName) -> String {
    if name.version().has_fragment_folder() {
        format!("{FRAGMENT_FOLDER}/{name}")
    } else {
        name.to_string()
    }
}
