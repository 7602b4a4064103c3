use std::error::Error;

use tdb_fragment::FragmentError;
use tdb_schema::SchemaError;
use tdb_store::StoreError;
use tdb_tile::{Bug, ErrorKind, FormatVersion, HasKind, LimitError, WireError, WireErrorKind};

use crate::{HistoryGap, NameError, TimestampedName, Work};

const KEY_HINT: &str = "use the array's own key, and no key for arrays that are not encrypted";
const UNFINISHED_HINT: &str =
    "run the same command again to finish it, or tdb rm to remove the rest";
const NO_SCHEMA_HINT: &str = "an array has its schema in __schema: if that was lost, the data in __fragments may still be intact";
const NEWER_HINT: &str = "this tdb is too old: a newer one may read it";
const OLD_HINT: &str =
    "read it with the release that wrote it, and write the cells again with a newer release";

/// An error of opening, reading or changing an array or a group.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// There is no array or group in this folder.
    #[error("{}there is no {what} here", place(prefix))]
    NoSuch {
        /// "array" or "group".
        what: &'static str,
        /// The folder, within its store.
        prefix: String,
    },
    /// The folder for a new array or group is in use.
    #[error("{}there is {what} here already", place(prefix), what = article(what))]
    Exists {
        /// "array", "group" or "something"; for a draft also [`Draft::REST`](crate::Draft::REST).
        what: &'static str,
        /// The folder, within its store.
        prefix: String,
    },
    /// There is an unfinished array in this folder. Its creation is in progress or was interrupted.
    #[error("{}an unfinished {work} is here", place(prefix), work = work.name())]
    Unfinished {
        /// The kind of work that creates it.
        work: Work,
        /// The folder, within its store.
        prefix: String,
    },
    /// Another program took over the work in this folder, because this one did not renew its claim in time.
    #[error("{}another program began the {work} anew meanwhile", place(prefix), work = work.name())]
    TakenOver {
        /// The kind of work.
        work: Work,
        /// The folder, within its store.
        prefix: String,
    },
    /// The folder for a new array or group is inside another array, or inside a folder that a group uses.
    #[error("{}lies in what the {what} {folder:?} is stored as", place(prefix))]
    Within {
        /// "array" or "group".
        what: &'static str,
        /// The folder of the outer array or group, within its store.
        folder: String,
        /// The folder for the new one, within its store.
        prefix: String,
    },
    /// An object that others refer to does not exist.
    #[error("{key}: not there, though it is {by}")]
    Missing {
        /// The missing object.
        key: String,
        /// How it is known: "committed", ...
        by: &'static str,
    },
    /// Other programs merged and vacuumed on every attempt to open the array or group as of one moment.
    #[error(
        "{prefix:?}: its objects were merged and vacuumed each of the {tries} times that it was opened: \
         try again later, or vacuum with a grace period"
    )]
    Unsettled {
        /// The folder, within its store.
        prefix: String,
        /// The number of attempts.
        tries: u32,
    },
    /// The fragments to replace have been replaced or removed by others, or are being replaced.
    #[error("{key}: others have merged or removed it meanwhile: plan the merge again")]
    Superseded {
        /// The key of one of the fragments.
        key: String,
    },
    /// The array, or its metadata, can no longer be read as of the requested time.
    #[error("{gap}")]
    HistoryGap {
        /// The lost times and content.
        gap: HistoryGap,
    },
    /// Another program held the claim to change cells for longer than this one waits.
    #[error(
        "{key}: another program has been at work here for {seconds} s: try again later; if no program is, remove this \
         object"
    )]
    Claimed {
        /// The claim, as a key relative to the array.
        key: String,
        /// The time waited, in seconds.
        seconds: u64,
    },
    /// Other programs wrote, deleted or merged the same cells on every attempt to change them.
    #[error(
        "{prefix:?}: others changed the same cells each of the {tries} times that they were read to be changed: try again later"
    )]
    Overtaken {
        /// The folder of the array, within its store.
        prefix: String,
        /// The number of attempts.
        tries: u32,
    },
    /// The name of an object is malformed or does not belong in its folder.
    #[error("{key}: {problem}")]
    Name {
        /// The key of the object.
        key: String,
        /// What is wrong with the name.
        problem: NameError,
    },
    /// The name of a commit is malformed, so its effect on the cells is unknown.
    #[error(
        "{key}: {problem}, so what it commits is not known; give it the name that it had, or remove it"
    )]
    DamagedCommit {
        /// The key of the object.
        key: String,
        /// What is wrong with the name.
        problem: NameError,
    },
    /// The format version of an object is unknown to this build.
    #[error(
        "{key}: version {version} is not among those that this tdb reads, 1 to {}",
        FormatVersion::NEWEST
    )]
    Newer {
        /// The key of the object.
        key: String,
        /// The format version.
        version: u32,
    },
    /// A stored path or URI leads out of the array or group.
    #[error("{key}: {uri:?} leads out of where it must stay")]
    EscapesRoot {
        /// The object that contains it.
        key: String,
        /// The path or URI.
        uri: String,
    },
    /// A group contains itself, directly or through others.
    #[error("{uri}: a group within itself")]
    Cycle {
        /// The URI of the repeated group.
        uri: String,
    },
    /// A fragment contains cells of the times to remove, but also of others.
    #[error(
        "{key}: holds cells of {start} to {end}, of which only a part is to be removed; remove all of that time, or delete \
         cells by a condition"
    )]
    Straddles {
        /// The folder of the fragment.
        key: String,
        /// The first time of its cells, in milliseconds since 1970.
        start: u64,
        /// The last time of its cells, in milliseconds since 1970.
        end: u64,
    },
    /// A limit was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The request is invalid.
    #[error("{what} {name:?}: {why}")]
    Invalid {
        /// The kind of thing requested: "attribute", "key", ...
        what: &'static str,
        /// The name of the requested thing.
        name: String,
        /// The reason why it is invalid.
        why: &'static str,
    },
    /// The content of an object is invalid; the source has the details.
    #[error("{key}")]
    Object {
        /// The key of the object.
        key: String,
        /// The kind of the source error.
        kind: ErrorKind,
        /// The error of the layer below.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system returned no random bytes for a new name.
    #[error("the system gives no random bytes for a new name")]
    NoRandomness {
        /// The error of the system.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A broken invariant: a defect of tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ArrayError {
    /// Returns the kind of the error, by what the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Exists { .. } | Self::Unfinished { .. } | Self::TakenOver { .. } => {
                ErrorKind::Exists
            }
            Self::NoSuch { .. } | Self::Missing { .. } | Self::Superseded { .. } => {
                ErrorKind::NotFound
            }
            Self::Name { .. } | Self::DamagedCommit { .. } => ErrorKind::Corrupt,
            Self::Newer { .. } => ErrorKind::Unsupported,
            Self::EscapesRoot { .. } => ErrorKind::EscapesRoot,
            Self::Cycle { .. } => ErrorKind::Cycle,
            Self::Limit(error) => error.kind(),
            Self::Invalid { .. }
            | Self::Within { .. }
            | Self::Straddles { .. }
            | Self::HistoryGap { .. } => ErrorKind::Invalid,
            Self::Object { kind, .. } => *kind,
            Self::Bug(_) => ErrorKind::Bug,
            Self::NoRandomness { .. }
            | Self::Unsettled { .. }
            | Self::Claimed { .. }
            | Self::Overtaken { .. } => ErrorKind::Store,
            Self::Store(error) => kind_of_store_error(error),
        }
    }

    /// Returns the name of the fragment that cannot be read, if that is the cause: the array can then be opened
    /// without it ([`OpenOptions::without_fragments`](crate::OpenOptions::without_fragments)).
    pub fn damaged_fragment(&self) -> Option<&str> {
        let key = match self {
            _ if is_of_request(self.kind()) => return None,
            Self::Object { key, .. } | Self::Missing { key, .. } | Self::Newer { key, .. } => key,
            Self::Store(error) => error.key(),
            _ => return None,
        };
        // The fragment is a folder of the key; a last part with such a name is an object of another kind.
        let (folder, _) = key.rsplit_once('/')?;
        let mut folders = folder.rsplit('/');
        folders.find(|name| TimestampedName::parse(name).is_ok())
    }

    /// Returns the key of the object that the error is about, relative to the array or group; `None` if it is about
    /// none.
    pub fn object_key(&self) -> Option<&str> {
        match self {
            Self::Object { key, .. }
            | Self::Missing { key, .. }
            | Self::Name { key, .. }
            | Self::DamagedCommit { key, .. }
            | Self::Newer { key, .. }
            | Self::EscapesRoot { key, .. } => Some(key),
            _ => None,
        }
    }

    /// True if the cause is the stored data, not the request, the store or this process.
    pub fn is_of_what_is_stored(&self) -> bool {
        match self.kind() {
            ErrorKind::Corrupt | ErrorKind::EscapesRoot | ErrorKind::Cycle => true,
            // No valid object exceeds a limit other than that of memory, which depends on the process.
            ErrorKind::Limit => true,
            // The object is from a newer program, or its version byte is damaged.
            ErrorKind::Unsupported | ErrorKind::Crypto => true,
            ErrorKind::NotFound | ErrorKind::Store => self.is_vanished(),
            _ => false,
        }
    }

    /// True if an object that was listed did not exist: it may have been removed meanwhile.
    pub(crate) fn is_vanished(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Store(error) => error.is_not_found(),
            _ => false,
        }
    }
}

impl HasKind for ArrayError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::NoSuch { what: "array", .. } => Some(NO_SCHEMA_HINT),
            Self::Unfinished { .. } => Some(UNFINISHED_HINT),
            Self::Newer { version, .. } if *version > FormatVersion::NEWEST.number() => {
                Some(NEWER_HINT)
            }
            _ => None,
        }
    }

    fn damaged_fragment(&self) -> Option<&str> {
        Self::damaged_fragment(self)
    }
}

/// A [`NameError`] counts as an invalid request: names from listings are reported as [`ArrayError::Name`] instead.
impl HasKind for NameError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

/// True for kinds of errors that say nothing about the stored data: the request, or the memory, is at fault.
fn is_of_request(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Limit | ErrorKind::Memory | ErrorKind::Invalid
    )
}

/// Returns the kind of an error of a store, by what the caller can do about it.
#[must_use]
pub fn kind_of_store_error(error: &StoreError) -> ErrorKind {
    match error {
        StoreError::NotFound { .. } => ErrorKind::NotFound,
        StoreError::Exists { .. } => ErrorKind::Exists,
        StoreError::TooLarge { .. } => ErrorKind::Limit,
        StoreError::OutOfMemory { .. } => ErrorKind::Memory,
        StoreError::InvalidKey { .. } => ErrorKind::Invalid,
        // The requested ranges come from stored sizes.
        StoreError::OutOfRange { .. } => ErrorKind::Corrupt,
        _ => ErrorKind::Store,
    }
}

/// Returns a hint for an error about stored data, whichever crate reports it: for data that a key opens, and for format
/// versions that are too new or too old.
#[must_use]
pub fn stored_data_hint(kind: ErrorKind, error: &(dyn Error + 'static)) -> Option<&'static str> {
    if kind == ErrorKind::Crypto {
        return Some(KEY_HINT);
    }
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    let wire = chain.find_map(|error| {
        let in_schema = match error.downcast_ref::<SchemaError>() {
            Some(SchemaError::Wire(wire)) => Some(wire),
            _ => None,
        };
        let fragment = error.downcast_ref::<FragmentError>();
        in_schema
            .or_else(|| fragment.and_then(FragmentError::wire))
            .or_else(|| error.downcast_ref::<WireError>())
    })?;
    match wire.kind {
        WireErrorKind::NewerVersion { .. } => Some(NEWER_HINT),
        WireErrorKind::BeforeVersions => Some(OLD_HINT),
        _ => None,
    }
}

/// Adds the object to an error that was found in it.
pub trait At<T> {
    /// Wraps an error in [`ArrayError::Object`] with the key of the object.
    ///
    /// # Errors
    /// [`ArrayError::Object`].
    fn at(self, key: &str) -> Result<T, ArrayError>;
}

impl<T, E: HasKind + Error + Send + Sync + 'static> At<T> for Result<T, E> {
    fn at(self, key: &str) -> Result<T, ArrayError> {
        self.map_err(|error| ArrayError::Object {
            key: key.to_owned(),
            kind: error.kind(),
            source: Box::new(error),
        })
    }
}

/// Formats a folder as the prefix of a message; empty for the root of a store.
fn place(prefix: &str) -> String {
    match prefix {
        "" => String::new(),
        prefix => format!("{prefix:?}: "),
    }
}

fn article(what: &str) -> String {
    match what {
        "array" => "an array".to_owned(),
        "group" => "a group".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tdb_tile::{Budget, Limits, WireError};

    use super::*;

    #[test]
    fn a_budget_that_is_exceeded_is_told_from_other_limits() {
        let in_object = |limit: LimitError| {
            let error = WireError::new("Record", "field", 0, limit.into());
            Err::<(), _>(error).at("key").unwrap_err()
        };
        let budget = Budget::new(1).take(2).unwrap_err();
        assert_eq!(budget.kind(), ErrorKind::Memory);
        assert_eq!(in_object(budget).kind(), ErrorKind::Memory);
        let limit = Limits::check("tile size", "data_tile", 2, 1).unwrap_err();
        assert_eq!(limit.kind(), ErrorKind::Limit);
        assert_eq!(in_object(limit).kind(), ErrorKind::Limit);
    }
}
