use crate::StoreError;

/// The longest key, in bytes.
pub const MAX_KEY_LEN: usize = 4096;

/// Checks that `key` can name an object: parts separated by single `/`, at least one, none of them
/// `.` or `..`, no NUL, and no more than [`MAX_KEY_LEN`] bytes.
///
/// So a key never leads out of its store. Each operation of a store makes this check.
///
/// # Errors
/// [`StoreError::InvalidKey`], which says what is wrong.
pub fn check_key(key: &str) -> Result<(), StoreError> {
    if key.len() > MAX_KEY_LEN {
        // The text came from anywhere; an error that repeats all of it would be as long.
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

/// Checks that `prefix` can name a folder: as [`check_key`], but the empty text is the root.
///
/// # Errors
/// [`StoreError::InvalidKey`], which says what is wrong.
pub fn check_prefix(prefix: &str) -> Result<(), StoreError> {
    if prefix.is_empty() {
        return Ok(());
    }
    check_key(prefix)
}

/// The key of `name` inside the folder `prefix`.
///
/// ```
/// assert_eq!(tdb_store::join("__schema", "a"), "__schema/a");
/// assert_eq!(tdb_store::join("", "a"), "a");
/// ```
pub fn join(prefix: &str, name: &str) -> String {
    if prefix.is_empty() {
        return name.to_owned();
    }
    let mut key = String::with_capacity(prefix.len().saturating_add(name.len()).saturating_add(1));
    key.push_str(prefix);
    key.push('/');
    key.push_str(name);
    key
}

/// What the names of objects begin with that are being written.
pub(crate) const DRAFT: &str = ".tmp-";

/// Whether this is the key of an object that is being written: its name so far says nothing to anybody.
#[must_use]
pub fn is_draft(key: &str) -> bool {
    name(key).starts_with(DRAFT)
}

/// The last part of a key.
pub fn name(key: &str) -> &str {
    key.rsplit_once('/').map_or(key, |(_, name)| name)
}

/// The folder that a key lies in; empty for the root.
pub fn parent(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Where `\` separates and `:` names a drive or a stream, no key may hold them.
fn fits_system(part: &str) -> bool {
    cfg!(unix) || !part.contains(['\\', ':', '<', '>', '"', '|', '?', '*'])
}

fn invalid(key: &str, reason: &'static str) -> StoreError {
    StoreError::InvalidKey {
        key: key.to_owned(),
        reason,
    }
}
