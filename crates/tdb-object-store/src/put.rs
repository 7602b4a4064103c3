//! Creation of objects from bytes in memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tdb_store::{Read, StoreError};

use crate::client::Trouble;
use crate::error::failed;
use crate::ranges;
use crate::remote::Remote;
use crate::runtime::Runtime;
use crate::words::Told;

/// How often an object is sent if no answer arrives, and the pause before the next attempt.
const SENT: usize = 3;
const PAUSE: Duration = Duration::from_millis(200);

/// Creates an object that must not exist yet. The condition is part of the request if the server supports that;
/// otherwise the key is checked just before.
pub(crate) fn put(
    remote: &Arc<Remote>,
    runtime: &Runtime,
    key: &str,
    path: &Path,
    bytes: Bytes,
) -> Result<(), StoreError> {
    let (remote, path, named) = (Arc::clone(remote), path.clone(), key.to_owned());
    runtime.wait_unless_cancelled(key, async move {
        if remote.is_unconditional.load(Ordering::Relaxed) {
            return unless_there(&remote, &named, &path, bytes).await;
        }
        match new(&remote, &named, &path, &bytes).await {
            Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {
                unless_there(&remote, &named, &path, bytes).await
            }
            // The error may have another cause; then the second attempt reports it.
            Err(error) if Told::of(&error).is_unconditional => {
                unless_there(&remote, &named, &path, bytes).await?;
                remote.is_unconditional.store(true, Ordering::Relaxed);
                Ok(())
            }
            put => put.map_err(|error| failed(&named, error)),
        }
    })?
}

/// Sends an object with the condition that it does not exist. If the answer is lost, the server failed, or a
/// concurrent request interfered, reads the key: an object with the same bytes counts as created.
async fn new(remote: &Remote, key: &str, path: &Path, bytes: &Bytes) -> Result<(), Error> {
    let mut is_lost = false;
    for sent in 1.. {
        let payload = PutPayload::from_bytes(bytes.clone());
        let trouble = Trouble::default();
        let mut options = PutOptions::from(PutMode::Create);
        options.extensions.insert(trouble.clone());
        let put = remote.store.put_opts(path, payload, options).await;
        let Err(error) = put else { break };
        let told = Told::of(&error);
        let is_there = !told.is_conflict
            && matches!(
                error,
                Error::AlreadyExists { .. } | Error::Precondition { .. }
            );
        let is_unheard = told.is_lost || told.is_conflict;
        is_lost |= is_unheard || (trouble.is_met() && !told.is_busy);
        let found = if is_lost {
            found(remote, key, path, bytes).await
        } else {
            Found::Unknown
        };
        match found {
            Found::It => break,
            Found::Nothing if !is_there && is_unheard && sent < SENT => {}
            Found::Other => {
                let (path, source) = (path.to_string(), Box::new(error));
                return Err(Error::AlreadyExists { path, source });
            }
            Found::Nothing | Found::Unknown => return Err(error),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// State of a key at which an object may have been created.
enum Found {
    It,
    Other,
    Nothing,
    Unknown,
}

async fn found(remote: &Remote, key: &str, path: &Path, bytes: &Bytes) -> Found {
    let read = Read::whole(key).at_most(bytes.len() as u64);
    match ranges::read(&*remote.store, path, &read, remote.tails).await {
        Ok(piece) if piece.bytes == *bytes => Found::It,
        Ok(_) | Err(StoreError::TooLarge { .. }) => Found::Other,
        Err(error) if error.is_not_found() => Found::Nothing,
        Err(_) => Found::Unknown,
    }
}

async fn unless_there(
    remote: &Remote,
    key: &str,
    path: &Path,
    bytes: Bytes,
) -> Result<(), StoreError> {
    match remote.store.head(path).await {
        Err(Error::NotFound { .. }) => {}
        Err(error) => return Err(failed(key, error)),
        Ok(_) => {
            let key = key.to_owned();
            return Err(StoreError::Exists { key });
        }
    }
    let payload = PutPayload::from_bytes(bytes.clone());
    let Err(error) = remote.store.put(path, payload).await else {
        return Ok(());
    };
    // A server that reports an error may still have created the object.
    match found(remote, key, path, &bytes).await {
        Found::It => Ok(()),
        Found::Other | Found::Nothing | Found::Unknown => Err(failed(key, error)),
    }
}
