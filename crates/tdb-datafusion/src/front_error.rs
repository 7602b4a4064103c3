//! Converting errors of statements to [`Error`].

use crate::boxed_error::BoxedError;
use crate::error::{SharedError, SqlError};

use tdb_open::{Error, ErrorKind};

impl From<SqlError> for Error {
    /// Restores the errors that passed through DataFusion.
    fn from(error: SqlError) -> Self {
        let kind = error.kind();
        match (error, kind) {
            (SqlError::Array { place, source }, _) => {
                let error = front_error(source);
                match place {
                    Some(uri) => error.at(&uri),
                    None => error,
                }
            }
            (error, Some(kind)) => {
                Error::new(kind, error.to_string()).with_known_hint(error.hint())
            }
            (error, None) => Error::new(ErrorKind::Bug, error.to_string()),
        }
    }
}

/// Converts an error that passed through DataFusion, recovering its original type.
fn front_error(error: BoxedError) -> Error {
    macro_rules! restore {
        ($($t:ty => $convert:expr),* $(,)?) => {
            $(if error.is::<$t>() {
                return match error.downcast::<$t>() {
                    Ok(known) => $convert(*known),
                    Err(other) => Error::new(ErrorKind::Bug, other),
                };
            })*
        };
    }
    restore!(
        Error => std::convert::identity,
        tdb_query::QueryError => Error::from,
        tdb_change::DeleteError => Error::from,
        tdb_write::WriteError => Error::from,
        tdb_array::ArrayError => Error::from,
        tdb_aggregate::AggregateError => Error::from,
        tdb_cells::files::ConversionError => Error::from,
        tdb_cells::files::InputError => Error::from,
        tdb_store::StoreError => Error::of_store,
        SharedError => of_shared,
    );
    Error::new(ErrorKind::Invalid, error)
}

/// Converts an error that several parts of a query share, keeping the kind and the hint of the original.
fn of_shared(error: SharedError) -> Error {
    macro_rules! known {
        ($inner:ident: $($t:ty),*) => {
            $(if let Some(known) = $inner.downcast_ref::<$t>() {
                let (kind, hint) = (known.kind(), known.hint().map(str::to_owned));
                return Error::new(kind, error).with_known_hint(hint.as_deref());
            })*
        };
    }
    let inner = error.inner();
    known!(inner: Error, tdb_query::QueryError, tdb_cells::files::ConversionError);
    let of_array = inner.downcast_ref().map(tdb_array::ArrayError::kind);
    Error::new(of_array.unwrap_or(ErrorKind::Invalid), error)
}
