//! Conversions of library errors to failures.

use std::io;

use tdb::engine::aggregate::AggregateError;
use tdb::engine::array::{ArrayError, ErrorKind};
use tdb::engine::cells::CellsError;
use tdb::engine::cells::files::ConversionError;
use tdb::engine::change::DeleteError;
use tdb::engine::condition::ConditionError;
use tdb::engine::consolidate::MergeError;
use tdb::engine::query::QueryError;
use tdb::engine::schema::RangeError;
use tdb::engine::schema::names::UnknownName;
use tdb::engine::store::StoreError;
use tdb::engine::tile::Bug;
use tdb::engine::write::WriteError;

use super::{Failure, KEY_HINT};

impl From<tdb::Error> for Failure {
    fn from(error: tdb::Error) -> Self {
        let hint = match error.kind() {
            ErrorKind::Crypto => Some(KEY_HINT),
            _ => error.hint(),
        };
        let (kind, hint) = (error.kind(), hint.map(str::to_owned));
        let place = error.place().map(str::to_owned);
        let excerpt = error.excerpt().cloned();
        let broken_pipe = error.is_broken_pipe();
        let failure = Self {
            place,
            hint,
            broken_pipe,
            ..Self::new(kind, error.into_cause())
        };
        match excerpt {
            Some(excerpt) => failure.in_text(&excerpt.text, excerpt.at),
            None => failure,
        }
    }
}

/// Conversions for errors whose kind and hint the crate `tdb` provides.
macro_rules! failure_of {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                tdb::Error::from(error).into()
            }
        }
    )*};
}

failure_of!(
    AggregateError,
    ArrayError,
    Bug,
    CellsError,
    ConditionError,
    ConversionError,
    DeleteError,
    MergeError,
    QueryError,
    RangeError,
    UnknownName,
    WriteError
);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        tdb::Error::of_store(error).into()
    }
}

/// I/O errors concern the output, since stored objects are read through a store.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            broken_pipe,
            place: Some("output".to_owned()),
            ..Self::new(ErrorKind::Store, error)
        }
    }
}
