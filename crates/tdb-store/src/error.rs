use std::error::Error;
use std::io;
use std::sync::Arc;

/// Why a store did not do what it was asked.
///
/// Only [`StoreError::NotFound`] says that an object is not there; whatever else went wrong while
/// looking for it is told as what it was. Cloning is cheap, so that one cause can answer many reads.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No object has this key. A folder is not an object.
    #[error("{key}: not found")]
    NotFound {
        /// The key asked for.
        key: String,
    },
    /// An object has this key already, and objects are never replaced.
    #[error("{key}: there is something of this name already")]
    Exists {
        /// The key that was to be created.
        key: String,
    },
    /// No object can have this key: see [`check_key`](crate::check_key).
    #[error("{key:?} cannot be the name of an object: {reason}")]
    InvalidKey {
        /// The text that was given.
        key: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Something has this name that holds no bytes of its own, or that leads elsewhere.
    #[error("{key}: this is {what}, and tdb reads ordinary files only")]
    NotAFile {
        /// The key asked for.
        key: String,
        /// What stands there: "a symbolic link", "a pipe", ...
        what: &'static str,
    },
    /// A folder was needed here (the root of a store, or the parent of a new object).
    #[error("{key}: this is not a folder")]
    NotAFolder {
        /// The key, or the path of a store's root.
        key: String,
    },
    /// The bytes asked for are not all within the object.
    #[error("{key}: bytes {offset} to {} are needed, and it has only {size}: it is cut short, or what says so is damaged", offset.saturating_add(*wanted))]
    OutOfRange {
        /// The key asked for.
        key: String,
        /// The first byte asked for.
        offset: u64,
        /// How many bytes were asked for.
        wanted: u64,
        /// The size of the object in bytes.
        size: u64,
    },
    /// The read would give more bytes than the caller set as its limit, or than memory can hold.
    #[error("{key}: reading it takes {size} bytes of memory, and {limit} are allowed")]
    TooLarge {
        /// The key asked for.
        key: String,
        /// How many bytes the read would give.
        size: u64,
        /// How many bytes were allowed.
        limit: u64,
    },
    /// The system refused access.
    #[error("{key}: permission denied")]
    Permission {
        /// The key asked for.
        key: String,
    },
    /// The store refused access, and says why.
    #[error("{key}: access denied: {reason}")]
    Denied {
        /// The key asked for.
        key: String,
        /// What the store says.
        reason: String,
    },
    /// Objects can be read here, and neither made nor removed.
    #[error("{key}: this store can only be read")]
    ReadOnly {
        /// The key that was to be created or removed.
        key: String,
    },
    /// The system or the network reported an error.
    #[error("{key}: {source}")]
    Io {
        /// The key concerned.
        key: String,
        /// What was reported; printed as part of this error.
        source: Arc<dyn Error + Send + Sync>,
    },
}

impl StoreError {
    /// Names what the system reported about `key`: absence, presence and permission by their own
    /// variants, all else as [`StoreError::Io`].
    pub fn from_io(key: &str, error: io::Error) -> Self {
        let key = key.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { key },
            io::ErrorKind::AlreadyExists => Self::Exists { key },
            io::ErrorKind::PermissionDenied => Self::Permission { key },
            io::ErrorKind::NotADirectory => Self::NotAFolder { key },
            io::ErrorKind::InvalidFilename => Self::InvalidKey {
                key,
                reason: "the file system does not allow such a name",
            },
            _ => Self::Io {
                key,
                source: Arc::new(error),
            },
        }
    }

    /// Wraps what another library reported about `key`.
    pub fn other(key: &str, error: impl Error + Send + Sync + 'static) -> Self {
        Self::Io {
            key: key.to_owned(),
            source: Arc::new(error),
        }
    }

    /// A store gave fewer answers than it was asked for: nothing to panic or to loop over, and not the same as an object
    /// that is not there.
    pub(crate) fn no_answer(key: &str) -> Self {
        Self::other(
            key,
            io::Error::other(
                "the store gave no answer, which is a defect of the store: please report it",
            ),
        )
    }

    /// The key (or the path of a root) that this error is about.
    pub fn key(&self) -> &str {
        match self {
            Self::NotFound { key }
            | Self::Exists { key }
            | Self::InvalidKey { key, .. }
            | Self::NotAFile { key, .. }
            | Self::NotAFolder { key }
            | Self::OutOfRange { key, .. }
            | Self::TooLarge { key, .. }
            | Self::Permission { key }
            | Self::Denied { key, .. }
            | Self::ReadOnly { key }
            | Self::Io { key, .. } => key,
        }
    }

    /// What went wrong, without the name of the object.
    #[must_use]
    pub fn cause(&self) -> String {
        let text = self.to_string();
        let cause = text.strip_prefix(self.key());
        let cause = cause.and_then(|cause| cause.strip_prefix(": "));
        cause.unwrap_or(&text).to_owned()
    }

    /// Whether this says that there is no such object.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}
