//! The objects of an array or a group, by keys relative to it.

use std::collections::BTreeSet;

use bytes::Bytes;
use tdb_array::commits::check_name;
use tdb_array::directory::COMMITS_FOLDER;
use tdb_array::{ArrayError, Location};
use tdb_store::{Read, StoreError, join, list_all};

/// Returns the objects directly in a folder, and its subfolders. A malformed name of a commit is an error.
pub(crate) fn list(
    location: &Location,
    folder: &str,
) -> Result<(BTreeSet<String>, BTreeSet<String>), ArrayError> {
    let listing = list_all(&**location.store(), &location.full(folder))?;
    if folder == COMMITS_FOLDER {
        let foreign = listing.foreign.iter();
        foreign
            .map(|name| join(folder, name))
            .try_for_each(|key| check_name(&key))?;
    }
    let relative = |key: &str| {
        let key = key.strip_prefix(location.prefix()).unwrap_or(key);
        key.trim_start_matches('/').to_owned()
    };
    let objects = listing.objects.iter().map(|object| relative(&object.key));
    let folders = listing.prefixes.iter().map(|key| relative(key));
    Ok((objects.collect(), folders.collect()))
}

/// Reads whole objects of at most `limit` bytes; omits those that no longer exist.
pub(crate) fn read(
    location: &Location,
    keys: &[String],
    limit: u64,
) -> Result<Vec<(String, Bytes)>, ArrayError> {
    let reads = keys
        .iter()
        .map(|key| Read::whole(location.full(key)).at_most(limit));
    let answers = location.store().read(&reads.collect::<Vec<_>>());
    let answers = tdb_store::answers(keys.iter().map(String::as_str), answers);
    let mut found = Vec::new();
    for (key, answer) in keys.iter().zip(answers) {
        match answer {
            Ok(piece) => found.push((key.clone(), piece.bytes)),
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}
