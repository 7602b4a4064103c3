//! Errors with their causes.

use std::error::Error;

/// An error and its causes.
pub(crate) fn chain(error: &dyn Error) -> String {
    let (mut said, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}
