//! Converting errors of statements to [`Error`].

use crate::arrays::BoxedError;
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
                let hint = error.hint().map(str::to_owned);
                let error = Error::new(kind, error.to_string());
                match hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                }
            }
            (error, None) => Error::new(ErrorKind::Bug, error.to_string()),
        }
    }
}

/// Converts an error that passed through DataFusion, recovering its original type.
fn front_error(error: BoxedError) -> Error {
    macro_rules! known {
        ($error:ident: $($t:ty),*) => {{
            let error = $error;
            $(let error = match error.downcast::<$t>() {
                Ok(error) => return Error::from(*error),
                Err(error) => error,
            };)*
            error
        }};
    }
    let error = match error.downcast::<Error>() {
        Ok(error) => return *error,
        Err(error) => error,
    };
    let error = known!(
        error: tdb_query::QueryError, tdb_write::WriteError, tdb_array::ArrayError, tdb_aggregate::AggregateError,
        tdb_cells::files::ConversionError, tdb_cells::files::InputError
    );
    let error = match error.downcast::<tdb_store::StoreError>() {
        Ok(error) => return Error::of_store(*error),
        Err(error) => error,
    };
    match error.downcast::<SharedError>() {
        Ok(error) => of_shared(*error),
        Err(error) => Error::new(ErrorKind::Invalid, error),
    }
}

/// Converts an error that several parts of a query share, keeping the kind and the hint of the original.
fn of_shared(error: SharedError) -> Error {
    macro_rules! known {
        ($inner:ident: $($t:ty),*) => {
            $(if let Some(known) = $inner.downcast_ref::<$t>() {
                let (kind, hint) = (known.kind(), known.hint().map(str::to_owned));
                let error = Error::new(kind, error);
                return match hint {
                    Some(hint) => error.with_hint(hint),
                    None => error,
                };
            })*
        };
    }
    let inner = error.inner();
    known!(inner: Error, tdb_query::QueryError, tdb_cells::files::ConversionError);
    let of_array = inner.downcast_ref().map(tdb_array::ArrayError::kind);
    Error::new(of_array.unwrap_or(ErrorKind::Invalid), error)
}
