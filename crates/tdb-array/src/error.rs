use std::error::Error;

use tdb_filters::FilterError;
use tdb_fragment::FragmentError;
use tdb_schema::SchemaError;
use tdb_store::StoreError;
use tdb_tile::{Bug, ErrorKind, FormatVersion, LimitError, WireError};

use crate::{HistoryGap, NameError, TimestampedName, Work};

/// Why an array or a group could not be opened or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// There is no array, or no group, where one was expected.
    #[error("{}there is no {what} here", place(prefix))]
    NoSuch {
        /// "array" or "group".
        what: &'static str,
        /// The folder that was looked at, within its store.
        prefix: String,
    },
    /// There is an array, a group or something else where one was to be made.
    #[error("{}there is {what} here already", place(prefix), what = article(what))]
    Exists {
        /// "array", "group" or "something".
        what: &'static str,
        /// The folder, within its store.
        prefix: String,
    },
    /// An array is being made where something was expected, or was to be made: that is under way, or was stopped.
    #[error("{}an unfinished {work} is here", place(prefix), work = work.name())]
    Unfinished {
        /// What makes it.
        work: Work,
        /// The folder, within its store.
        prefix: String,
    },
    /// Another program took over what was being made here, since this one looked stopped: it was for longer than claims
    /// count.
    #[error("{}another program began the {work} anew meanwhile", place(prefix), work = work.name())]
    TakenOver {
        /// What was being made.
        work: Work,
        /// The folder, within its store.
        prefix: String,
    },
    /// An array or a group was to be made in what another is stored as.
    #[error("{}lies in what the {what} {folder:?} is stored as", place(prefix))]
    Within {
        /// "array" or "group".
        what: &'static str,
        /// The folder of the other, within its store.
        folder: String,
        /// The folder that was to be used.
        prefix: String,
    },
    /// A commit or a schema names something that is not there.
    #[error("{key}: not there, though it is {by}")]
    Missing {
        /// The missing object.
        key: String,
        /// How it is known: "committed", ...
        by: &'static str,
    },
    /// Others merged and vacuumed for as long as it was tried to see the array or group at one moment.
    #[error(
        "{prefix:?}: its objects were merged and vacuumed each of the {tries} times that it was opened: \
         try again later, or vacuum with a grace period"
    )]
    Unsettled {
        /// The folder, within its store.
        prefix: String,
        /// How often it was tried.
        tries: u32,
    },
    /// Fragments were to be replaced that others are replacing, or have replaced or removed.
    #[error("{key}: others have merged or removed it meanwhile: plan the merge again")]
    Superseded {
        /// One of the fragments.
        key: String,
    },
    /// The array, or its metadata, can no longer be read as of the time that was asked for.
    #[error("{gap}")]
    HistoryGap {
        /// The times, and what is lost.
        gap: HistoryGap,
    },
    /// Another program holds the right to change cells by what it read, for longer than it was waited for.
    #[error(
        "{key}: another program has been at work here for {seconds} s: try again later; if no program is, remove this \
         object"
    )]
    Claimed {
        /// The object that says so, relative to the array.
        key: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// Others wrote, deleted or merged the same cells each time that they were to be changed by what was read.
    #[error(
        "{prefix:?}: others changed the same cells each of the {tries} times that they were read to be changed: try again later"
    )]
    Overtaken {
        /// The folder of the array, within its store.
        prefix: String,
        /// How often it was tried.
        tries: u32,
    },
    /// An object has a name that does not belong where it is.
    #[error("{key}: {problem}")]
    Name {
        /// The object.
        key: String,
        /// What is wrong with its name.
        problem: NameError,
    },
    /// A commit has a name that is none: what it says of the cells is not known.
    #[error(
        "{key}: {problem}, so what it commits is not known; give it the name that it had, or remove it"
    )]
    DamagedCommit {
        /// The object.
        key: String,
        /// What is wrong with its name.
        problem: NameError,
    },
    /// An object is of a format version that this build does not know.
    #[error(
        "{key}: version {version} is not among those that this tdb reads, 1 to {}",
        FormatVersion::NEWEST
    )]
    Newer {
        /// The object.
        key: String,
        /// Its version.
        version: u32,
    },
    /// Something stored leads out of the array or group.
    #[error("{key}: {uri:?} leads out of where it must stay")]
    EscapesRoot {
        /// The object that says so.
        key: String,
        /// What it says.
        uri: String,
    },
    /// A group contains itself.
    #[error("{uri}: a group within itself")]
    Cycle {
        /// The group that came up again.
        uri: String,
    },
    /// A fragment holds cells of the time that is to be removed, and of another.
    #[error(
        "{key}: holds cells of {start} to {end}, of which only a part is to be removed; remove all of that time, or delete \
         cells by a condition"
    )]
    Straddles {
        /// The folder of the fragment.
        key: String,
        /// The first time that it holds cells of.
        start: u64,
        /// The last one.
        end: u64,
    },
    /// A cap was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The request is wrong.
    #[error("{what} {name:?}: {why}")]
    Invalid {
        /// What was asked for: "attribute", "key", ...
        what: &'static str,
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An object does not hold what it should; the source says more.
    #[error("{key}")]
    Object {
        /// The object.
        key: String,
        /// The kind of the error beneath.
        kind: ErrorKind,
        /// What the layer beneath found.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system gave no random bytes to make a name of.
    #[error("the system gives no random bytes for a new name")]
    NoRandomness {
        /// What the system says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// What cannot happen: a defect of tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ArrayError {
    /// What can be done about it.
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
            Self::Limit(_) => ErrorKind::Limit,
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
            Self::Store(error) => error.kind(),
        }
    }

    /// The name of the fragment that cannot be read, where that is why: the array may be opened without it
    /// ([`OpenOptions::without_fragments`](crate::OpenOptions::without_fragments)).
    pub fn damaged_fragment(&self) -> Option<&str> {
        let key = match self {
            _ if matches!(self.kind(), ErrorKind::Limit | ErrorKind::Invalid) => return None,
            Self::Object { key, .. } | Self::Missing { key, .. } | Self::Newer { key, .. } => key,
            Self::Store(error) => error.key(),
            _ => return None,
        };
        // Whatever else bears such a name is an object.
        let (folder, _) = key.rsplit_once('/')?;
        let mut folders = folder.rsplit('/');
        folders.find(|name| TimestampedName::parse(name).is_ok())
    }

    /// The object that it is about, relative to the array or group, where it names one.
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

    /// Whether it tells of what is stored, and not of the request, the store, or this process.
    pub fn is_of_what_is_stored(&self) -> bool {
        match self.kind() {
            ErrorKind::Corrupt | ErrorKind::EscapesRoot | ErrorKind::Cycle => true,
            // A size beyond a limit is one that no sound object has; the memory of the process is another matter.
            ErrorKind::Limit => !is_out_of_memory(self),
            // The program that made it was newer, or the byte that says so is damaged.
            ErrorKind::Unsupported | ErrorKind::Crypto => true,
            ErrorKind::NotFound | ErrorKind::Store => self.is_vanished(),
            _ => false,
        }
    }

    /// Whether something that names said is there was not: it may have been removed meanwhile.
    pub(crate) fn is_vanished(&self) -> bool {
        match self {
            Self::Missing { .. } => true,
            Self::Store(error) => error.is_not_found(),
            _ => false,
        }
    }
}

/// Whether the memory budget was too little, at whatever depth: that says nothing of what is stored, while a size beyond
/// any other limit is one that no sound object has.
pub fn is_out_of_memory(error: &dyn Error) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        // Many kinds of errors carry this one; all end with its text.
        if error.to_string().ends_with("(memory budget)") {
            return true;
        }
        next = error.source();
    }
    false
}

/// An error that knows its [`ErrorKind`].
pub trait HasKind {
    /// What can be done about it.
    fn kind(&self) -> ErrorKind;
}

impl HasKind for WireError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

/// Names that are made, not found: the request is wrong.
impl HasKind for NameError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Invalid
    }
}

impl HasKind for LimitError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Limit
    }
}

impl HasKind for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Exists { .. } => ErrorKind::Exists,
            Self::TooLarge { .. } => ErrorKind::Limit,
            Self::InvalidKey { .. } => ErrorKind::Invalid,
            // The sizes that were asked for stand in what is stored.
            Self::OutOfRange { .. } => ErrorKind::Corrupt,
            _ => ErrorKind::Store,
        }
    }
}

impl HasKind for FilterError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

impl HasKind for SchemaError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Wire(wire) => wire.kind(),
            Self::EscapesRoot { .. } => ErrorKind::EscapesRoot,
            Self::Limit { .. } => ErrorKind::Limit,
            _ => ErrorKind::Corrupt,
        }
    }
}

impl HasKind for FragmentError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

/// Adds to an error in which object it was found.
pub trait At<T> {
    /// Names the object.
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

/// A folder in front of what is wrong there; the root of a store has no name.
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
