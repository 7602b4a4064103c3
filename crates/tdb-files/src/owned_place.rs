//! Places that belong to an array or a group, where a user's file would be mistaken for one of its objects.

use std::io;
use std::path::Path;

use tdb_array::ErrorKind;
use tdb_array::directory::{
    GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER,
};
use tdb_open::{Error, Result};

/// Fails if a file or folder at `place` would lie within an array, or in a folder reserved by a group. `name` is the
/// user's name for it. Files next to the members of a group are allowed.
///
/// # Errors
/// Fails for such a place.
pub fn check(name: &Path, place: &Path) -> Result<()> {
    let mut inside = place;
    // Walks from the place up to the root.
    while let Some(folder) = inside.parent() {
        let has = |name: &str| folder.join(name).exists();
        if has(SCHEMA_FOLDER) || has(LEGACY_SCHEMA) {
            return Err(owned(name, "array", folder));
        }
        let kept = [GROUP_FOLDER, METADATA_FOLDER, GROUP_MARKER];
        let is_kept = kept.iter().any(|kept| inside == folder.join(kept));
        if is_kept && (has(GROUP_FOLDER) || has(GROUP_MARKER)) {
            return Err(owned(name, "group", folder));
        }
        inside = folder;
    }
    Ok(())
}

/// Fails if files in the folder `name`, which need not exist yet, would lie within an array or among the objects of a
/// group. Files next to the members of a group are allowed.
///
/// # Errors
/// Fails for such a place, and for one that cannot be accessed.
pub fn check_folder(name: &Path) -> Result<()> {
    let failed = |error: io::Error| {
        let what = format!("{}: {error}", name.display());
        Error::new(ErrorKind::Store, what)
    };
    let absolute = std::path::absolute(name).map_err(failed)?;
    // Resolves links in the part of the path that exists; the rest contains no links.
    let mut there = absolute.ancestors().filter(|above| above.exists());
    let Some(there) = there.next() else {
        return Ok(());
    };
    let missing = absolute.strip_prefix(there).unwrap_or(Path::new(""));
    let folder = there.canonicalize().map_err(failed)?.join(missing);
    check(name, &folder.join("file"))
}

fn owned(name: &Path, what: &str, folder: &Path) -> Error {
    let (name, folder) = (name.display(), folder.display());
    let error = Error::new(
        ErrorKind::Invalid,
        format!("{name}: lies inside the {what} {folder}"),
    );
    error.with_hint(format!(
        "choose a place outside of it: a file there could keep the {what} from being opened"
    ))
}
