use std::error::Error as StdError;
use std::fmt;
use std::io;

use tdb_array::{ArrayError, ErrorKind, HasKind, stored_data_hint};
use tdb_store::StoreError;

/// Result type of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error: its kind, the array or file concerned and, where known, a hint on what to do.
///
/// `{}` prints one line; `{:#}` and `{:?}` add the chain of causes and the hint, so a `main` that returns this error
/// prints everything there is to know.
///
/// ```
/// let context = tdb_open::Context::new();
/// let error = context.open("nowhere").expect_err("there is no such folder");
/// assert_eq!(error.kind(), tdb_open::ErrorKind::NotFound);
/// assert_eq!(error.to_string(), "nowhere: not found");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    place: Option<String>,
    error: Box<dyn StdError + Send + Sync>,
    hint: Option<String>,
    excerpt: Option<Excerpt>,
    damaged_fragment: Option<String>,
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
            damaged_fragment: None,
        }))
    }

    /// Creates an error for an invalid request.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, what.into())
    }

    /// Wraps an error of a store.
    #[must_use]
    pub fn of_store(error: StoreError) -> Self {
        Self::from(ArrayError::from(error))
    }

    /// Sets the hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Sets the hint, if there is one.
    #[must_use]
    pub fn with_known_hint(self, hint: Option<&str>) -> Self {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
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

    /// Returns the name of the fragment whose damage is the cause, if that is so: the rest of the array can be read
    /// without it ([`OpenOptions::without_fragments`](tdb_array::OpenOptions::without_fragments)).
    pub fn damaged_fragment(&self) -> Option<&str> {
        self.0.damaged_fragment.as_deref()
    }

    /// Returns the array, group, object or file at fault, if known.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// True if the cause is that nobody reads the output any more, as when it was piped into `head`.
    pub fn is_broken_pipe(&self) -> bool {
        let first: &(dyn StdError + 'static) = &*self.0.error;
        let mut chain = std::iter::successors(Some(first), |&error| error.source());
        chain.any(|error| {
            let of_system = error.downcast_ref::<io::Error>();
            of_system.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
        })
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

/// Errors of the engine's crates keep their kind and their hint.
impl<E: HasKind + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        let kind = error.kind();
        let hint = error
            .hint()
            .or_else(|| stored_data_hint(kind, &error))
            .map(str::to_owned);
        let damaged_fragment = error.damaged_fragment().map(str::to_owned);
        let mut error = Self::new(kind, error).with_known_hint(hint.as_deref());
        error.0.damaged_fragment = damaged_fragment;
        error
    }
}
