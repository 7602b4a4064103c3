use bytes::Bytes;

use crate::{Piece, Read, Store, StoreError, join, list_all, read_one};

/// Bytes that [`copy`] holds in memory at a time.
const COPY_PIECE: u64 = 8 << 20;

/// Reads a whole object of at most `limit` bytes.
///
/// # Errors
/// [`StoreError::TooLarge`] beyond the limit, [`StoreError::NotFound`], or any other error of the store.
pub fn read_whole(store: &dyn Store, key: &str, limit: u64) -> Result<Bytes, StoreError> {
    Ok(read_one(store, Read::whole(key).at_most(limit))?.bytes)
}

/// Reads the last `len` bytes of an object, or the whole object if it is shorter. The size of the object is the
/// piece's `offset` plus its length.
///
/// # Errors
/// [`StoreError::NotFound`], or any other error of the store.
pub fn read_tail(store: &dyn Store, key: &str, len: u64) -> Result<Piece, StoreError> {
    read_one(store, Read::tail(key, len))
}

/// True if an object has this key. Only [`StoreError::NotFound`] means false; other errors are returned.
///
/// # Errors
/// Any error of the store.
pub fn exists(store: &dyn Store, key: &str) -> Result<bool, StoreError> {
    match store.size(key) {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Copies an object from one store into a new object of another, 8 MiB at a time.
///
/// # Errors
/// Any error of either store.
pub fn copy(
    from: &dyn Store,
    from_key: &str,
    to: &dyn Store,
    to_key: &str,
) -> Result<(), StoreError> {
    copy_sized(from, from_key, from.size(from_key)?, to, to_key)
}

/// Removes a folder that contains only folders, and these folders, deepest first.
///
/// # Errors
/// Any error of the store.
pub fn remove_empty_folders(store: &(impl Store + ?Sized), folder: &str) -> Result<(), StoreError> {
    let mut empty = Vec::new();
    let mut unseen = vec![folder.to_owned()];
    while let Some(folder) = unseen.pop() {
        unseen.extend(list_all(store, &folder)?.prefixes);
        empty.push(folder);
    }
    let mut deepest_first = empty.iter().rev();
    deepest_first.try_for_each(|folder| store.remove_folder(folder))
}

/// Copies an object like [`copy`], but does not ask for its size: the caller knows it.
///
/// # Errors
/// Any error of either store; [`StoreError::OutOfRange`] if the object is shorter than the given size.
pub fn copy_sized(
    from: &dyn Store,
    from_key: &str,
    size: u64,
    to: &dyn Store,
    to_key: &str,
) -> Result<(), StoreError> {
    let mut object = to.create(to_key)?;
    let mut start = 0;
    while start < size {
        let len = COPY_PIECE.min(size - start);
        let piece = read_one(from, Read::bounded(from_key, start, len))?;
        object.write(&piece.bytes)?;
        start += len;
    }
    object.finish()
}

/// Copies all objects in and below one folder into a folder of another store.
///
/// # Errors
/// Any error of either store. Objects copied before the error stay.
pub fn copy_tree(
    from: &dyn Store,
    from_prefix: &str,
    to: &dyn Store,
    to_prefix: &str,
) -> Result<(), StoreError> {
    for object in from.list_recursive(from_prefix)? {
        let below = object
            .key
            .strip_prefix(from_prefix)
            .unwrap_or(&object.key)
            .trim_start_matches('/');
        copy(from, &object.key, to, &join(to_prefix, below))?;
    }
    Ok(())
}
