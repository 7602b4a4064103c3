//! Creation of objects from bytes in memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tdb_store::{Read, StoreError};

use crate::client::ServerFailureFlag;
use crate::error::failed;
use crate::messages::FailedRequest;
use crate::ranges;
use crate::remote::Remote;
use crate::runtime::Runtime;

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
            Err(error) if FailedRequest::of(&error).is_unconditional => {
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
        let failure_flag = ServerFailureFlag::default();
        let mut options = PutOptions::from(PutMode::Create);
        options.extensions.insert(failure_flag.clone());
        let put = remote.store.put_opts(path, payload, options).await;
        let Err(error) = put else { break };
        let failure = FailedRequest::of(&error);
        let is_there = !failure.is_conflict
            && matches!(
                error,
                Error::AlreadyExists { .. } | Error::Precondition { .. }
            );
        let is_unheard = failure.is_lost || failure.is_conflict;
        is_lost |= is_unheard || (failure_flag.is_met() && !failure.is_busy);
        let state = if is_lost {
            key_state(remote, key, path, bytes).await
        } else {
            KeyState::Unknown
        };
        match state {
            KeyState::OwnObject => break,
            KeyState::Missing if !is_there && is_unheard && sent < SENT => {}
            KeyState::OtherObject => {
                let (path, source) = (path.to_string(), Box::new(error));
                return Err(Error::AlreadyExists { path, source });
            }
            KeyState::Missing | KeyState::Unknown => return Err(error),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// State of a key at which an object may have been created.
pub(crate) enum KeyState {
    /// There is the object that was sent.
    OwnObject,
    /// There is another object.
    OtherObject,
    /// There is no object.
    Missing,
    /// The server does not say.
    Unknown,
}

async fn key_state(remote: &Remote, key: &str, path: &Path, bytes: &Bytes) -> KeyState {
    let read = Read::whole(key).at_most(bytes.len() as u64);
    match ranges::read(&*remote.store, path, &read, remote.tails).await {
        Ok(piece) if piece.bytes == *bytes => KeyState::OwnObject,
        Ok(_) | Err(StoreError::TooLarge { .. }) => KeyState::OtherObject,
        Err(error) if error.is_not_found() => KeyState::Missing,
        Err(_) => KeyState::Unknown,
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
    match key_state(remote, key, path, &bytes).await {
        KeyState::OwnObject => Ok(()),
        KeyState::OtherObject | KeyState::Missing | KeyState::Unknown => Err(failed(key, error)),
    }
}
