//! Places that belong to an array or a group: a file of the user there would be taken for one of its objects.

use std::io;
use std::path::Path;

use tdb_array::ErrorKind;
use tdb_array::directory::{
    GROUP_FOLDER, GROUP_MARKER, LEGACY_SCHEMA, METADATA_FOLDER, SCHEMA_FOLDER,
};

use crate::{Error, Result};

/// Fails where a file or folder at `place`, which the user calls `name`, would lie within an array, or in a folder that a group keeps
/// for itself. Beside the members of a group there is room for files.
pub(crate) fn check(name: &Path, place: &Path) -> Result<()> {
    let mut inside = place;
    // From the place up to the root.
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

/// Fails where files of a folder that the user calls `name`, which need not be there yet, would lie within an array, or among the
/// objects of a group. Beside the members of a group there is room.
///
/// # Errors
/// Such a place; one that cannot be looked at.
pub fn check_folder(name: &Path) -> Result<()> {
    let failed = |error: io::Error| {
        let what = format!("{}: {error}", name.display());
        Error::new(ErrorKind::Store, what)
    };
    let absolute = std::path::absolute(name).map_err(failed)?;
    // Links lead elsewhere; what is not there yet is none.
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
        format!("{name}: is a place within the {what} {folder}"),
    );
    error.with_hint(format!(
        "a file there could keep the {what} from being opened: a place outside of it is wanted"
    ))
}
