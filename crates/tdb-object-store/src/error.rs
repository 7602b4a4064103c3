//! Errors of opening a store, and translation of server errors.

use std::io;

use tdb_store::StoreError;

use crate::messages::FailedRequest;

/// The reason why a store could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The URI names no folder of an object store.
    #[error("{uri}: {what}")]
    Uri {
        /// The URI.
        uri: String,
        /// What is wrong with the URI.
        what: &'static str,
    },
    /// The settings are incomplete or invalid.
    #[error("{uri}: {reason}")]
    Settings {
        /// The URI.
        uri: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// The system could not start the threads of the runtime.
    #[error("no thread can be started: {0}")]
    Runtime(#[from] io::Error),
}

/// Converts an error of `object_store` about `key` into one of the store.
pub(crate) fn failed(key: &str, error: object_store::Error) -> StoreError {
    let failure = FailedRequest::of(&error);
    let key = key.to_owned();
    match error {
        // "Not found" is normal for an object, but an error for a bucket.
        object_store::Error::NotFound { .. } if !failure.is_of_bucket => {
            StoreError::NotFound { key }
        }
        object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }
            if !failure.is_conflict =>
        {
            StoreError::Exists { key }
        }
        object_store::Error::InvalidPath { .. } => StoreError::InvalidKey {
            key,
            reason: "the store does not allow such a name",
        },
        _ if failure.is_refusal => StoreError::Denied {
            key,
            reason: failure.sentence,
        },
        _ => broken(&key, failure.sentence),
    }
}

/// Returns the error for a server that breaks the protocol.
pub(crate) fn broken(key: &str, what: impl Into<String>) -> StoreError {
    StoreError::other(key, io::Error::other(what.into()))
}
