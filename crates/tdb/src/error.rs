use std::error::Error as StdError;
use std::fmt;

use tdb_aggregate::AggregateError;
use tdb_array::{ArrayError, ErrorKind, HasKind};
use tdb_cells::CellsError;
use tdb_cells::files::{ConversionError, InputError};
use tdb_condition::ConditionError;
use tdb_consolidate::MergeError;
use tdb_fragment::FragmentError;
use tdb_query::QueryError;
use tdb_schema::names::UnknownName;
use tdb_schema::{RangeError, SchemaError};
use tdb_store::StoreError;
use tdb_tile::{Bug, FormatVersion, WireError, WireErrorKind};
use tdb_write::WriteError;

/// Result type of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

const KEY_HINT: &str = "use the array's own key, and no key for arrays that are not encrypted";
const UNFINISHED_HINT: &str =
    "run the same command again to finish it, or tdb rm to remove the rest";
const NO_SCHEMA_HINT: &str = "an array has its schema in __schema: if that was lost, the data in __fragments may still be intact";
const NEWER_HINT: &str = "this tdb is too old: a newer one may read it";
const OLD_HINT: &str =
    "read it with the release that wrote it, and write the cells again with a newer release";

/// An error: its kind, the array or file concerned and, where known, a hint on what to do.
///
/// `{}` prints one line; `{:#}` and `{:?}` add the chain of causes and the hint, so a `main` that returns this error
/// prints everything there is to know.
///
/// ```
/// let error = tdb::open("nowhere").expect_err("there is no such folder");
/// assert_eq!(error.kind(), tdb::ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "nowhere: not found");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    place: Option<String>,
    error: Box<dyn StdError + Send + Sync>,
    hint: Option<String>,
    excerpt: Option<Excerpt>,
}

/// A text of the request, with the position of its mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The whole text as the caller gave it.
    pub text: String,
    /// Number of the wrong character, from 1.
    pub at: usize,
}

impl Error {
    /// Creates an error of a given kind.
    pub fn new(kind: ErrorKind, error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(Box::new(Inner {
            kind,
            place: None,
            error: error.into(),
            hint: None,
            excerpt: None,
        }))
    }

    /// Creates an error for an invalid request.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, what.into())
    }

    /// Wraps an error of an engine crate, with its kind.
    pub fn of(error: impl HasKind + StdError + Send + Sync + 'static) -> Self {
        let hint = match error.kind() {
            ErrorKind::Crypto => Some(KEY_HINT),
            _ => version_hint(&error),
        };
        Self::new(error.kind(), error).with_known_hint(hint)
    }

    /// Sets the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    fn with_known_hint(mut self, hint: Option<&str>) -> Self {
        self.0.hint = hint.map(str::to_owned);
        self
    }

    /// Sets the array, group, object or file at fault, unless one is set or the kind is [`ErrorKind::Invalid`].
    #[must_use]
    pub fn at(mut self, place: &str) -> Self {
        if self.0.kind != ErrorKind::Invalid {
            self.0.place.get_or_insert_with(|| place.to_owned());
        }
        self
    }

    /// Sets the file or object at fault, unless one is set; also for [`ErrorKind::Invalid`].
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        self.0.place.get_or_insert_with(|| name.to_owned());
        self
    }

    /// Adds the text of the request and the position of the mistake: character number `at`, from 1.
    #[must_use]
    pub fn in_text(mut self, text: &str, at: usize) -> Self {
        let text = text.to_owned();
        self.0.excerpt = Some(Excerpt { text, at });
        self
    }

    /// Returns the text of the request with the position of the mistake, if known.
    #[must_use]
    pub fn excerpt(&self) -> Option<&Excerpt> {
        self.0.excerpt.as_ref()
    }

    /// Returns the kind of the error, which decides how a program can react.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the hint, if one is known.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Returns the array, group, object or file at fault, if known.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// Returns the underlying error.
    pub fn cause(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.0.error
    }

    /// Converts to the underlying error, dropping place, hint and excerpt.
    #[must_use]
    pub fn into_cause(self) -> Box<dyn StdError + Send + Sync> {
        self.0.error
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.0.error)?;
        if !f.alternate() {
            return Ok(());
        }
        let mut told = self.0.error.to_string();
        let mut next = self.0.error.source();
        while let Some(cause) = next {
            let text = cause.to_string();
            // Some errors end with the text of their cause; it is not printed twice.
            if !told.ends_with(&text) {
                write!(f, "\n  {text}")?;
            }
            told = text;
            next = cause.source();
        }
        if let Some(Excerpt { text, at }) = &self.0.excerpt {
            let before = at.saturating_sub(1);
            write!(f, "\n  {text}\n  {:before$}^", "")?;
        }
        match &self.0.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:#}")
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.error.source()
    }
}

impl HasKind for Error {
    fn kind(&self) -> ErrorKind {
        self.0.kind
    }
}

/// Returns the hint for stored data whose format version is too new or too old.
fn version_hint(error: &(dyn StdError + 'static)) -> Option<&'static str> {
    let mut chain = std::iter::successors(Some(error), |&error| error.source());
    let wire = chain.find_map(|error| {
        let schema = error.downcast_ref::<SchemaError>();
        let in_schema = schema.and_then(|error| match error {
            SchemaError::Wire(wire) => Some(wire),
            _ => None,
        });
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

impl From<ArrayError> for Error {
    fn from(error: ArrayError) -> Self {
        let hint = match &error {
            _ if error.kind() == ErrorKind::Crypto => Some(KEY_HINT),
            ArrayError::NoSuch { what: "array", .. } => Some(NO_SCHEMA_HINT),
            ArrayError::Unfinished { .. } => Some(UNFINISHED_HINT),
            ArrayError::Newer { version, .. } if *version > FormatVersion::NEWEST.number() => {
                Some(NEWER_HINT)
            }
            _ => version_hint(&error),
        };
        Self::new(error.kind(), error).with_known_hint(hint)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::new(error.kind(), error)
    }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        Self::new(error.kind(), error)
    }
}

impl From<Bug> for Error {
    fn from(error: Bug) -> Self {
        Self::new(ErrorKind::Bug, error)
    }
}

/// Converts errors that have a kind and a hint.
macro_rules! error_of {
    ($($error:ty),*) => {$(
        impl From<$error> for Error {
            fn from(error: $error) -> Self {
                let hint = error.hint().map(str::to_owned);
                Self::new(error.kind(), error).with_known_hint(hint.as_deref())
            }
        }
    )*};
}

error_of!(
    AggregateError,
    CellsError,
    ConditionError,
    InputError,
    QueryError,
    RangeError,
    WriteError
);

impl From<UnknownName> for Error {
    fn from(error: UnknownName) -> Self {
        let hint = error.hint().to_owned();
        Self::new(ErrorKind::Invalid, error).with_hint(hint)
    }
}

/// Problems of the array get the same hints as when it is opened.
impl From<MergeError> for Error {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Array(error) => error.into(),
            error => {
                let hint = error.hint().map(str::to_owned);
                Self::new(error.kind(), error).with_known_hint(hint.as_deref())
            }
        }
    }
}

impl From<ConversionError> for Error {
    fn from(error: ConversionError) -> Self {
        // The operating system's message names the file already.
        let error = match error {
            ConversionError::Output(error) => {
                return Self::new(ErrorKind::Store, error).within("output");
            }
            error => error,
        };
        let hint = error.hint();
        Self::new(error.kind(), error).with_known_hint(hint)
    }
}
