use std::error::Error;
use std::io;
use std::sync::Arc;

/// An error of a store.
///
/// Only [`StoreError::NotFound`] means that an object does not exist; any other failure of a lookup has its own
/// variant. Cloning is cheap, so one cause can be returned for many reads.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// No object has this key. A folder is not an object.
    #[error("{key}: not found")]
    NotFound {
        /// The requested key.
        key: String,
    },
    /// An object with this key exists already; objects are never replaced.
    #[error("{key}: there is something of this name already")]
    Exists {
        /// The key of the object to create.
        key: String,
    },
    /// No object can have this key: see [`check_key`](crate::check_key).
    #[error("{key:?} cannot be the name of an object: {reason}")]
    InvalidKey {
        /// The invalid key.
        key: String,
        /// The rule that the key breaks.
        reason: &'static str,
    },
    /// This name belongs to something that is not a regular file, such as a pipe or a symbolic link.
    #[error("{key}: this is {what}, and tdb reads ordinary files only")]
    NotAFile {
        /// The requested key.
        key: String,
        /// The kind of the entry: "a symbolic link", "a pipe", ...
        what: &'static str,
    },
    /// The root of a store, or the parent of a new object, is not a folder.
    #[error("{key}: this is not a folder")]
    NotAFolder {
        /// The key, or the path of the root.
        key: String,
    },
    /// The object does not contain all requested bytes.
    #[error("{key}: bytes {offset} to {} are needed, and it has only {size}: it is cut short, or what says so is damaged", offset.saturating_add(*wanted))]
    OutOfRange {
        /// The requested key.
        key: String,
        /// The first requested byte.
        offset: u64,
        /// The number of requested bytes.
        wanted: u64,
        /// The size of the object in bytes.
        size: u64,
    },
    /// The read would return more bytes than the caller's limit, or than memory can hold.
    #[error("{key}: reading it takes {size} bytes of memory, and {limit} are allowed")]
    TooLarge {
        /// The requested key.
        key: String,
        /// The number of bytes that the read would return.
        size: u64,
        /// The maximum number of bytes.
        limit: u64,
    },
    /// The read would take more bytes than the reader's memory budget has left.
    #[error("{key}: reading it takes {size} bytes of memory, and {left} are left")]
    OutOfMemory {
        /// The requested key.
        key: String,
        /// The number of bytes that the read would return.
        size: u64,
        /// The number of bytes that are left of the budget.
        left: u64,
    },
    /// The operating system denied access.
    #[error("{key}: permission denied")]
    Permission {
        /// The requested key.
        key: String,
    },
    /// The store denied access, with a reason.
    #[error("{key}: access denied: {reason}")]
    Denied {
        /// The requested key.
        key: String,
        /// The reason that the store gave.
        reason: String,
    },
    /// The store is read-only: objects can be neither created nor removed.
    #[error("{key}: this store can only be read")]
    ReadOnly {
        /// The key of the object to create or remove.
        key: String,
    },
    /// No new file can be created: an object begins as a file of a temporary name, which has no meaning for the user.
    #[error(
        "cannot create a file in the folder: {}",
        StoreError::cause(about_draft)
    )]
    NoNewFile {
        /// The error about the temporary name; printed as part of this one.
        about_draft: Arc<StoreError>,
    },
    /// The operating system or the network reported an error.
    #[error("{key}: {source}")]
    Io {
        /// The key of the object or folder.
        key: String,
        /// The reported error; printed as part of this one.
        source: Arc<dyn Error + Send + Sync>,
    },
}

impl StoreError {
    /// Converts an I/O error about `key`: not found, already exists, permission denied, not a directory and invalid
    /// name have their own variants; any other becomes [`StoreError::Io`].
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

    /// Wraps the error of another library about `key`.
    pub fn other(key: &str, error: impl Error + Send + Sync + 'static) -> Self {
        Self::Io {
            key: key.to_owned(),
            source: Arc::new(error),
        }
    }

    /// Creates the error for a store that returned fewer answers than requests. Such a defect must not cause a panic
    /// or an endless loop, nor look like an object that does not exist.
    pub(crate) fn no_answer(key: &str) -> Self {
        Self::other(
            key,
            io::Error::other(
                "the store gave no answer, which is a defect of the store: please report it",
            ),
        )
    }

    /// Returns the key (or the path of a root) that this error is about.
    pub fn key(&self) -> &str {
        match self {
            Self::NotFound { key }
            | Self::Exists { key }
            | Self::InvalidKey { key, .. }
            | Self::NotAFile { key, .. }
            | Self::NotAFolder { key }
            | Self::OutOfRange { key, .. }
            | Self::TooLarge { key, .. }
            | Self::OutOfMemory { key, .. }
            | Self::Permission { key }
            | Self::Denied { key, .. }
            | Self::ReadOnly { key }
            | Self::Io { key, .. } => key,
            Self::NoNewFile { about_draft } => about_draft.key(),
        }
    }

    /// Creates the error for a temporary file that cannot be created.
    pub(crate) fn no_new_file(error: Self) -> Self {
        let about_draft = Arc::new(error);
        Self::NoNewFile { about_draft }
    }

    /// Returns the message without the name of the object.
    #[must_use]
    pub fn cause(&self) -> String {
        if let Self::NoNewFile { about_draft } = self {
            return Self::cause(about_draft);
        }
        let text = self.to_string();
        let cause = text
            .strip_prefix(self.key())
            .and_then(|rest| rest.strip_prefix(": "));
        cause.unwrap_or(&text).to_owned()
    }

    /// True if this is [`StoreError::NotFound`].
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The temporary name would mean nothing to the user.
    #[test]
    fn a_file_that_cannot_be_created_is_reported_without_its_temporary_name() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = StoreError::no_new_file(StoreError::from_io("f/.tmp-399-0", denied));
        assert_eq!(
            error.to_string(),
            "cannot create a file in the folder: permission denied"
        );
        assert_eq!(error.cause(), "permission denied");
        assert!(crate::is_draft(error.key()));
    }
}
