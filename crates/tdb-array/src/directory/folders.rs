//! The names of folders and objects.

use crate::TimestampedName;

/// Where schemas are, from version 10 on.
pub const SCHEMA_FOLDER: &str = "__schema";
/// Where enumerations are, inside the folder of schemas.
pub const ENUMERATION_FOLDER: &str = "__enumerations";
/// The one schema of an array before version 10.
pub const LEGACY_SCHEMA: &str = "__array_schema.tdb";
/// Where commits are, from version 12 on.
pub const COMMITS_FOLDER: &str = "__commits";
/// Where fragments are, from version 12 on.
pub const FRAGMENT_FOLDER: &str = "__fragments";
/// Where consolidated fragment metadata is, from version 12 on.
pub const FRAGMENT_METADATA_FOLDER: &str = "__fragment_meta";
/// Where the metadata of arrays and groups is.
pub const METADATA_FOLDER: &str = "__meta";
/// Where the arrays of dimension labels are.
pub const LABEL_FOLDER: &str = "__labels";
/// Where a group says what its members are.
pub const GROUP_FOLDER: &str = "__group";
/// What makes a folder a group.
pub const GROUP_MARKER: &str = "__tiledb_group.tdb";
/// The metadata of a fragment, inside its folder.
pub const FRAGMENT_METADATA: &str = "__fragment_metadata.tdb";

/// Where the schema of an array in the making is, and a note of what makes it: `Draft`. TileDB passes this folder over.
pub const DRAFT_FOLDER: &str = "__tdb_unfinished";

/// How the keys of lists end that say what a fragment replaces once it is committed. They are tdb's own, and there
/// only while fragments are merged in an array that allows duplicates.
pub const REPLACES: &str = "replaces";

/// How the keys of claims begin, which TileDB passes over: objects that are there while a program makes the array, or changes
/// cells by what it read.
pub const CLAIM: &str = "__tdb_claim_";

/// The prefix of notes of unfinished restores, which TileDB does not know: the time that is restored follows.
pub(crate) const RESTORE: &str = "__tdb_restore_";

/// The time in the key of such a note.
pub(super) fn restored_to(key: &str) -> Option<u64> {
    key.strip_prefix(RESTORE)?.parse().ok()
}

/// The prefix of the note of the last change of what was read, which TileDB does not know: the time of the change follows.
pub(crate) const CHANGED: &str = "__tdb_changed_";

/// The time in the key of such a note.
pub(crate) fn changed_at(key: &str) -> Option<u64> {
    key.strip_prefix(CHANGED)?.parse().ok()
}

/// The prefix of notes of merged fragments whose names have the last timestamp of their cells only. The first timestamp follows,
/// and the name of the fragment. TileDB does not know these notes.
const MERGED_SINCE: &str = "__tdb_merged_since_";

/// The key of such a note.
pub(crate) fn merged_since_key(start: u64, merged: &TimestampedName) -> String {
    format!("{MERGED_SINCE}{start}{merged}")
}

/// The first timestamp and the fragment in the key of such a note.
pub(super) fn merged_since(key: &str) -> Option<(u64, TimestampedName)> {
    let (start, name) = key.strip_prefix(MERGED_SINCE)?.split_once("__")?;
    let name = TimestampedName::parse(&format!("__{name}")).ok()?;
    Some((start.parse().ok()?, name))
}

/// The folder of the fragment of this name, relative to the array.
pub fn fragment_key(name: &TimestampedName) -> String {
    if name.version().has_fragment_folder() {
        format!("{FRAGMENT_FOLDER}/{name}")
    } else {
        name.to_string()
    }
}
