//! Errors: of opening a store, and of what a server answers.

use std::io;

use tdb_store::StoreError;

use crate::words::Told;

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A URI that names no folder of an object store.
    #[error("{uri}: {what}")]
    Uri {
        /// The URI.
        uri: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Settings that do not lead to a store.
    #[error("{uri}: {reason}")]
    Settings {
        /// The URI.
        uri: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// Threads for waiting could not be started.
    #[error("no thread can be started: {0}")]
    Runtime(#[from] io::Error),
}

/// What a server answered about `key`, as an error of the store.
pub(crate) fn failed(key: &str, error: object_store::Error) -> StoreError {
    let told = Told::of(&error);
    let key = key.to_owned();
    match error {
        // An object may be missing, and is then not there; a bucket may not.
        object_store::Error::NotFound { .. } if !told.is_of_bucket => StoreError::NotFound { key },
        object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }
            if !told.is_conflict =>
        {
            StoreError::Exists { key }
        }
        object_store::Error::InvalidPath { .. } => StoreError::InvalidKey {
            key,
            reason: "the store does not allow such a name",
        },
        _ if told.is_refusal => StoreError::Denied {
            key,
            reason: told.sentence,
        },
        _ => broken(&key, told.sentence),
    }
}

/// What a server did that it must not do.
pub(crate) fn broken(key: &str, what: impl Into<String>) -> StoreError {
    StoreError::other(key, io::Error::other(what.into()))
}
