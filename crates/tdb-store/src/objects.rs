use bytes::Bytes;

use crate::{Listing, Object, Piece, Read, Store, StoreError, join};

/// How many bytes [`copy`] holds at a time.
const COPY_PIECE: u64 = 8 << 20;

/// Performs one read.
///
/// # Errors
/// As [`Store::read`] answers it.
pub fn read_one(store: &(impl Store + ?Sized), read: Read) -> Result<Piece, StoreError> {
    let key = read.key.clone();
    store
        .read(&[read])
        .pop()
        .unwrap_or_else(|| Err(StoreError::no_answer(&key)))
}

/// What a store answered, one for each key: an answer that the store left out is an error, and so nothing is taken for
/// absent or empty that was not looked at.
///
/// ```
/// let answers: Vec<_> = tdb_store::answers(["a", "b"], vec![Ok(1)]).collect();
/// assert!(matches!(answers.as_slice(), [Ok(1), Err(error)] if error.key() == "b"));
/// ```
pub fn answers<'a, T>(
    keys: impl IntoIterator<Item = &'a str>,
    given: Vec<Result<T, StoreError>>,
) -> impl Iterator<Item = Result<T, StoreError>> {
    let mut given = given.into_iter();
    keys.into_iter().map(move |key| {
        given
            .next()
            .unwrap_or_else(|| Err(StoreError::no_answer(key)))
    })
}

/// A whole object of at most `limit` bytes.
///
/// # Errors
/// [`StoreError::TooLarge`] beyond the limit, [`StoreError::NotFound`], or as the store reports.
pub fn read_whole(store: &dyn Store, key: &str, limit: u64) -> Result<Bytes, StoreError> {
    Ok(read_one(store, Read::whole(key).at_most(limit))?.bytes)
}

/// The last `len` bytes of an object, or all if it has fewer. The answer tells the object's size.
///
/// # Errors
/// [`StoreError::NotFound`], or as the store reports.
pub fn read_tail(store: &dyn Store, key: &str, len: u64) -> Result<Piece, StoreError> {
    read_one(store, Read::tail(key, len))
}

/// Whether an object has this key. Only "not found" means no: other errors are handed on.
///
/// # Errors
/// As the store reports.
pub fn exists(store: &dyn Store, key: &str) -> Result<bool, StoreError> {
    match store.size(key) {
        Ok(_) => Ok(true),
        Err(StoreError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// All pages of a folder in one listing. A folder of many millions of objects takes that much memory.
///
/// # Errors
/// As the store reports.
pub fn list_all(store: &(impl Store + ?Sized), prefix: &str) -> Result<Listing, StoreError> {
    let first = store.list(prefix, None)?;
    list_rest(store, prefix, first)
}

/// All pages of several folders, in the order asked, each for itself; their first pages are asked for together.
pub fn list_each<'a>(
    store: &'a (impl Store + ?Sized),
    prefixes: &'a [&'a str],
) -> impl Iterator<Item = Result<Listing, StoreError>> + 'a {
    let firsts = answers(prefixes.iter().copied(), store.list_many(prefixes));
    let firsts = firsts.zip(prefixes);
    firsts.map(move |(first, prefix)| list_rest(store, prefix, first?))
}

/// The first page of a folder, and all that follow.
fn list_rest(
    store: &(impl Store + ?Sized),
    prefix: &str,
    first: Listing,
) -> Result<Listing, StoreError> {
    let mut all = first;
    while let Some(page) = all.next.take() {
        let mut more = store.list(prefix, Some(&page))?;
        if more.next.as_ref() == Some(&page) {
            return Err(StoreError::no_answer(prefix));
        }
        all.objects.append(&mut more.objects);
        all.prefixes.append(&mut more.prefixes);
        all.foreign.append(&mut more.foreign);
        all.next = more.next;
    }
    Ok(all)
}

/// What [`Store::list_recursive`] gives, by listing each folder, those of one depth together.
///
/// # Errors
/// As the store reports.
pub fn list_by_folder(
    store: &(impl Store + ?Sized),
    prefix: &str,
) -> Result<Vec<Object>, StoreError> {
    let mut objects = Vec::new();
    let mut folders = vec![prefix.to_owned()];
    while !folders.is_empty() {
        let asked: Vec<&str> = folders.iter().map(String::as_str).collect();
        let mut below = Vec::new();
        for listing in list_each(store, &asked) {
            let mut listing = listing?;
            objects.append(&mut listing.objects);
            below.append(&mut listing.prefixes);
        }
        folders = below;
    }
    objects.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    Ok(objects)
}

/// Copies an object from one store into a new object of another, a few megabytes at a time.
///
/// # Errors
/// As either store reports.
pub fn copy(
    from: &dyn Store,
    from_key: &str,
    to: &dyn Store,
    to_key: &str,
) -> Result<(), StoreError> {
    copy_sized(from, (from_key, from.size(from_key)?), to, to_key)
}

/// As [`copy`], of an object that has so many bytes.
///
/// # Errors
/// As there; that bytes are out of range, where it has fewer.
pub fn copy_sized(
    from: &dyn Store,
    (from_key, size): (&str, u64),
    to: &dyn Store,
    to_key: &str,
) -> Result<(), StoreError> {
    let mut object = to.create(to_key)?;
    let mut start = 0;
    while start < size {
        let len = COPY_PIECE.min(size.saturating_sub(start));
        let piece = read_one(from, Read::bounded(from_key, start, len))?;
        object.write(&piece.bytes)?;
        start = start.saturating_add(len);
    }
    object.finish()
}

/// Copies all objects of one folder, at any depth, into a folder of another store.
///
/// # Errors
/// As either store reports. What was copied before the error stays.
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
