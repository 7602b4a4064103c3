//! Restoring errors that passed through DataFusion.

use tdb_datafusion::SqlError;
#[cfg(feature = "distributed")]
use tdb_distributed::ClusterError;
use tdb_open::Error;

/// Converts an error of a cluster.
#[cfg(feature = "distributed")]
pub(crate) fn of_cluster(error: ClusterError) -> Error {
    match error {
        ClusterError::Sql(error) => of_sql(error),
        error => Error::from(error),
    }
}

/// Restores an error that passed through DataFusion.
#[cfg(feature = "distributed")]
pub(crate) fn of_sql(error: SqlError) -> Error {
    let (place, source) = match error {
        SqlError::Array { place, source } => (place, source),
        error => return error.into(),
    };
    match source.downcast::<ClusterError>() {
        Ok(error) => {
            let error = of_cluster(*error);
            match place {
                Some(uri) => error.at(&uri),
                None => error,
            }
        }
        Err(source) => SqlError::Array { place, source }.into(),
    }
}

/// Restores an error that passed through DataFusion.
#[cfg(not(feature = "distributed"))]
pub(crate) fn of_sql(error: SqlError) -> Error {
    error.into()
}
