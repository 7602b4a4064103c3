use crate::StoreError;

/// The maximum length of a key, in bytes.
pub const MAX_KEY_LEN: usize = 4096;

/// Checks that `key` can name an object: one or more parts separated by single `/`, none of them `.` or `..`, no NUL,
/// and at most [`MAX_KEY_LEN`] bytes.
///
/// Such a key cannot lead out of its store. Every operation of a store checks its keys.
///
/// # Errors
/// [`StoreError::InvalidKey`] with the reason.
pub fn check_key(key: &str) -> Result<(), StoreError> {
    if key.len() > MAX_KEY_LEN {
        // The key is untrusted: an error with all of it could be of any length.
        let shown = key.chars().take(64).collect::<String>();
        return Err(invalid(
            &format!("{shown}..."),
            "it is longer than 4096 bytes",
        ));
    }
    if key.contains('\0') {
        return Err(invalid(key, "it contains the character NUL"));
    }
    for part in key.split('/') {
        match part {
            "" => {
                return Err(invalid(
                    key,
                    "it begins or ends with a slash, or has two of them in a row",
                ));
            }
            "." | ".." => return Err(invalid(key, "one of its parts is \".\" or \"..\"")),
            _ if !fits_system(part) => {
                return Err(invalid(key, "the file system does not allow such a name"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that `prefix` can name a folder: like [`check_key`], but an empty prefix is valid and means the root.
///
/// # Errors
/// [`StoreError::InvalidKey`] with the reason.
pub fn check_prefix(prefix: &str) -> Result<(), StoreError> {
    if prefix.is_empty() {
        return Ok(());
    }
    check_key(prefix)
}

/// Returns the key of `name` in the folder `prefix`.
///
/// ```
/// assert_eq!(tdb_store::join("__schema", "a"), "__schema/a");
/// assert_eq!(tdb_store::join("", "a"), "a");
/// ```
pub fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        return name.to_owned();
    }
    [prefix, "/", name].concat()
}

/// Prefix of the names of objects that are still being written.
pub(crate) const DRAFT: &str = ".tmp-";

/// True if this key belongs to an unfinished object, whose temporary name has no meaning.
#[must_use]
pub fn is_draft(key: &str) -> bool {
    name(key).starts_with(DRAFT)
}

/// Returns the last part of a key.
pub fn name(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// Returns the folder of a key; empty for the root.
pub fn parent(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// True if the system's file names can contain this text. On systems other than Unix, `\` separates folders and `:`
/// names a drive or a stream.
fn fits_system(part: &str) -> bool {
    cfg!(unix) || !part.contains(['\\', ':', '<', '>', '"', '|', '?', '*'])
}

fn invalid(key: &str, reason: &'static str) -> StoreError {
    StoreError::InvalidKey {
        key: key.to_owned(),
        reason,
    }
}
