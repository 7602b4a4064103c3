//! Errors of statements.

use std::fmt;
use std::sync::Arc;

use arrow_schema::ArrowError;
use datafusion::common::{DataFusionError, SchemaError};
use datafusion::sql::sqlparser::parser::ParserError;
use tdb_tile::ErrorKind;

use crate::boxed_error::BoxedError;
use crate::lines::LongLine;

/// Failure of a statement: an error of an array that passed through DataFusion, or one of the statement itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// The statement cannot be answered.
    #[error("{what}")]
    Statement {
        /// Description of the problem.
        what: String,
        /// Way around the problem, if one is known.
        hint: Option<String>,
        /// Column of the problem in its line of the statement, from 1, if known.
        column: Option<usize>,
    },
    /// The memory did not suffice.
    #[error("{0}")]
    Memory(String),
    /// Error of an array, or of the code that opens arrays.
    #[error("{source}")]
    Array {
        /// URI of the array; `None` if the error names it.
        place: Option<String>,
        /// The error.
        source: BoxedError,
    },
    /// Error of the system: a file cannot be written.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// Bug in tdb or DataFusion.
    #[error("{0}")]
    Bug(String),
}

impl SqlError {
    /// Converts an error that came out of a query.
    #[must_use]
    pub fn of_query(error: BoxedError) -> Self {
        of_source(error)
    }

    /// Returns the category of the error, by which the caller can decide what to do; `None` for an error of an array,
    /// which has its own.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Statement { .. } => Some(ErrorKind::Invalid),
            Self::Memory(_) => Some(ErrorKind::Memory),
            Self::System(_) => Some(ErrorKind::Store),
            Self::Bug(_) => Some(ErrorKind::Bug),
            Self::Array { .. } => None,
        }
    }

    /// Returns a way around the problem, if one is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Statement { hint, .. } => hint.as_deref(),
            _ => None,
        }
    }

    /// True if the error is that a table does not exist.
    pub(crate) fn is_missing_table(&self) -> bool {
        matches!(self, Self::Statement { what, .. } if what.starts_with("table ") && what.ends_with("not found"))
    }

    /// Returns the column of the problem in its line of the statement, from 1, if known.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        match self {
            Self::Statement { column, .. } => *column,
            _ => None,
        }
    }

    /// Adds a hint if the statement has text in double quotes, which are for names.
    pub(crate) fn with_quotes_of(mut self, sql: &str) -> Self {
        if let Self::Statement { what, hint, .. } = &mut self
            && let Some(name) = what.strip_prefix(NO_COLUMN)
            && sql.contains(name)
        {
            let text = format!("text stands in single quotes: '{}'", name.trim_matches('"'));
            *hint = Some(match hint.take() {
                Some(hint) => format!("{text}; {hint}"),
                None => text,
            });
        }
        self
    }

    /// Creates a statement error: the first line is the message, the others are the hint; extracts the column from
    /// the text if it has one.
    pub(crate) fn statement(what: impl Into<String>) -> Self {
        let text: String = what.into();
        let (what, hint) = match text.split_once('\n') {
            Some((what, hint)) => (what.to_owned(), Some(hint.replace('\n', " "))),
            None => (text, None),
        };
        let place = what.rsplit_once(" at Line: ");
        let column = place.and_then(|(_, place)| place.split_once(", Column: ")?.1.parse().ok());
        let what = match place.filter(|_| column.is_some()) {
            Some((what, _)) => what.to_owned(),
            None => what,
        };
        Self::Statement { what, hint, column }
    }
}

impl From<DataFusionError> for SqlError {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(source) => of_source(source),
            DataFusionError::Context(_, error) | DataFusionError::Diagnostic(_, error) => {
                Self::from(*error)
            }
            DataFusionError::Shared(error) => match Arc::try_unwrap(error) {
                Ok(error) => Self::from(error),
                Err(error) => of_shared(error),
            },
            DataFusionError::Collection(errors) => {
                let first = errors.into_iter().next();
                first.map_or_else(|| Self::Bug("errors, but none".to_owned()), Self::from)
            }
            DataFusionError::ArrowError(error, _) => match *error {
                ArrowError::ExternalError(source) => of_source(source),
                error => Self::statement(error.to_string()),
            },
            DataFusionError::ObjectStore(error) => of_store(&error),
            DataFusionError::IoError(error) => Self::System(error),
            DataFusionError::Internal(what) => Self::Bug(what),
            error @ DataFusionError::ResourcesExhausted(_) => Self::Memory(text(&error)),
            DataFusionError::SchemaError(error, _) => of_schema(&error),
            DataFusionError::SQL(error, _) => match *error {
                ParserError::TokenizerError(what) | ParserError::ParserError(what) => {
                    Self::statement(what)
                }
                error @ ParserError::RecursionLimitExceeded => Self::statement(error.to_string()),
            },
            error => Self::statement(text(&error)),
        }
    }
}

/// Converts an error of a file that is not an array.
fn of_store(error: &datafusion::object_store::Error) -> SqlError {
    match long_line_in(error) {
        Some(long) => SqlError::Memory(long.to_string()),
        None => SqlError::statement(error.to_string()),
    }
}

/// Returns the error about a line that is too long among the sources of an error, if any.
fn long_line_in<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e LongLine> {
    let mut chain = std::iter::successors(Some(error), |error| error.source());
    chain.find_map(|error| error.downcast_ref())
}

fn of_source(source: BoxedError) -> SqlError {
    let source = match source.downcast::<DataFusionError>() {
        Ok(error) => return SqlError::from(*error),
        Err(source) => source,
    };
    match source.downcast::<ArrayFailure>() {
        Ok(failed) => SqlError::Array {
            place: Some(failed.uri),
            source: failed.source,
        },
        Err(source) => SqlError::Array {
            place: None,
            source,
        },
    }
}

/// Converts an error that several parts of a query share, so that it cannot be moved.
fn of_shared(error: Arc<DataFusionError>) -> SqlError {
    if let Some(failed) = failed_in(&error) {
        return SqlError::Array {
            place: Some(failed.uri.clone()),
            source: SharedError(error).into(),
        };
    }
    match &*error {
        DataFusionError::ResourcesExhausted(_) => SqlError::Memory(text(&error)),
        DataFusionError::Internal(what) => SqlError::Bug(what.clone()),
        error => SqlError::statement(text(error)),
    }
}

/// Returns the error of an array that caused an error, if any.
fn failed_in<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e ArrayFailure> {
    let mut chain = std::iter::successors(Some(error), |error| error.source());
    chain.find_map(|error| error.downcast_ref())
}

/// Error of an array that several parts of a query share.
#[derive(Debug)]
pub struct SharedError(Arc<DataFusionError>);

impl SharedError {
    /// Returns the original error.
    #[must_use]
    pub fn inner(&self) -> &(dyn std::error::Error + 'static) {
        match failed_in(&self.0) {
            Some(failed) => &*failed.source,
            None => &self.0,
        }
    }
}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.inner(), f)
    }
}

impl std::error::Error for SharedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner().source()
    }
}

/// Message about an unknown column, before its name in quotes.
const NO_COLUMN: &str = "there is no column ";

/// Error about an unknown column, with the nearest existing names.
fn of_schema(error: &SchemaError) -> SqlError {
    let SchemaError::FieldNotFound {
        field,
        valid_fields,
    } = error
    else {
        return SqlError::statement(error.to_string());
    };
    let known = valid_fields.iter().map(|field| field.name.as_str());
    SqlError::Statement {
        what: format!("{NO_COLUMN}{:?}", field.name),
        hint: Some(tdb_schema::names::hint("column", &field.name, known)),
        column: None,
    }
}

/// Formats the error in one paragraph, without the name of its kind.
fn text(error: &DataFusionError) -> String {
    error.message().into_owned()
}

/// Wraps an error of an array so that it passes through DataFusion unchanged.
pub(crate) fn external(error: impl Into<BoxedError>) -> DataFusionError {
    DataFusionError::External(error.into())
}

/// Error with the array that it is about.
#[derive(Debug)]
pub(crate) struct ArrayFailure {
    pub(crate) uri: String,
    pub(crate) source: BoxedError,
}

impl fmt::Display for ArrayFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.uri, self.source)
    }
}

impl std::error::Error for ArrayFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}
