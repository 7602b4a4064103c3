//! Removal of many objects, each of which must exist. Servers do not report missing ones, so this is checked first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::stream::{self, StreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use tdb_store::{StoreError, parent};

use crate::error::{broken, failed};
use crate::listing;
use crate::ranges;
use crate::remote::{Remote, many};

/// A folder that loses at least this many objects is listed, instead of requesting each object; at most one page is
/// listed per this many objects.
const LISTED: usize = 2;
/// Objects per bulk removal, as servers allow.
const AT_ONCE: usize = 1000;

/// An object by its key, and by its path in the store.
#[derive(Clone)]
struct KeyedPath {
    key: String,
    path: Path,
}

/// Removes objects; returns one result per key, in the given order.
pub(crate) async fn remove(remote: Arc<Remote>, keys: Vec<String>) -> Vec<Result<(), StoreError>> {
    let listed = listed(&remote, &keys).await;
    let asked = keys.into_iter().map(|key| {
        let is_there = listed.existence(&key);
        (key, is_there)
    });
    let found = many(
        Arc::clone(&remote),
        asked.collect(),
        |remote, (key, is_there)| find(remote, key, is_there),
    );
    let mut answers = Vec::new();
    let mut there = Vec::new();
    for found in found.await {
        match found {
            Ok(object) => {
                answers.push(None);
                there.push(object);
            }
            Err(error) => answers.push(Some(Err(error))),
        }
    }
    let chunks = there.chunks(AT_ONCE).map(<[_]>::to_vec).collect();
    let mut removed = many(remote, chunks, chunk_of).await.into_iter().flatten();
    let answers = answers.into_iter().map(|answer| {
        let answer = answer.or_else(|| removed.next());
        answer.unwrap_or_else(|| Err(broken("", "no answer says whether an object was removed")))
    });
    answers.collect()
}

/// Returns the key and path of an object if it exists. `is_there` is the answer of a listing; `None` if the server
/// must be asked.
async fn find(
    remote: Arc<Remote>,
    key: String,
    is_there: Option<bool>,
) -> Result<KeyedPath, StoreError> {
    let path = remote.path(&key)?;
    match is_there {
        Some(true) => {}
        Some(false) => return Err(StoreError::NotFound { key }),
        None => {
            ranges::size(&*remote.store, &path, &key).await?;
        }
    }
    Ok(KeyedPath { key, path })
}

/// Removes objects with one bulk request. If that fails, removes them one by one: not every server reports which of
/// them failed.
async fn chunk_of(remote: Arc<Remote>, chunk: Vec<KeyedPath>) -> Vec<Result<(), StoreError>> {
    let paths: Vec<Result<Path, Error>> =
        chunk.iter().map(|object| Ok(object.path.clone())).collect();
    let together: Vec<Result<Path, Error>> = remote
        .store
        .delete_stream(stream::iter(paths).boxed())
        .collect()
        .await;
    if together.len() == chunk.len() && together.iter().all(Result::is_ok) {
        return chunk.iter().map(|_| Ok(())).collect();
    }
    if let [KeyedPath { key, .. }] = &*chunk {
        let error = together.into_iter().find_map(Result::err);
        return vec![error.map_or(Ok(()), |error| Err(failed(key, error)))];
    }
    many(remote, chunk, single).await
}

async fn single(remote: Arc<Remote>, object: KeyedPath) -> Result<(), StoreError> {
    let KeyedPath { key, path } = object;
    match remote.store.delete(&path).await {
        // The object existed before, and the bulk request removed it.
        Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed(&key, error)),
    }
}

/// The first pages of a folder.
struct FolderPages {
    folder: String,
    pages: usize,
}

/// Keys found by listing folders.
#[derive(Default)]
struct KnownKeys {
    keys: BTreeSet<String>,
    /// Folders that were listed completely.
    whole: BTreeSet<String>,
}

impl KnownKeys {
    /// Whether an object exists; `None` if the listings do not show it.
    fn existence(&self, key: &str) -> Option<bool> {
        let is_there = self.keys.contains(key);
        (is_there || self.whole.contains(parent(key))).then_some(is_there)
    }
}

/// Lists the folders that lose many objects, as long as that takes fewer requests than asking for each object.
async fn listed(remote: &Arc<Remote>, keys: &[String]) -> KnownKeys {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for key in keys {
        let count = folders.entry(parent(key)).or_insert(0);
        *count += 1;
    }
    let worth = folders
        .into_iter()
        .filter(|(_, count)| *count >= LISTED)
        .map(|(folder, count)| FolderPages {
            folder: folder.to_owned(),
            pages: count.div_euclid(LISTED),
        });
    let mut listed = KnownKeys::default();
    for (folder, keys, is_whole) in many(Arc::clone(remote), worth.collect(), pages_of).await {
        listed.keys.extend(keys);
        if is_whole {
            listed.whole.insert(folder);
        }
    }
    listed
}

/// Lists the first pages of a folder. Returns the folder, the keys of its objects, and whether the listing is
/// complete. A failed listing counts as incomplete.
async fn pages_of(remote: Arc<Remote>, first: FolderPages) -> (String, Vec<String>, bool) {
    let FolderPages { folder, pages } = first;
    let (mut found, mut page) = (Vec::new(), None);
    for _ in 0..pages {
        let Ok(listing) = listing::list(&remote, &folder, page).await else {
            break;
        };
        found.extend(listing.objects.into_iter().map(|object| object.key));
        page = listing.next;
        if page.is_none() {
            return (folder, found, true);
        }
    }
    (folder, found, false)
}
