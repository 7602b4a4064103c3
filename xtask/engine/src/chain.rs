//! Formatting errors with their causes.

use std::error::Error;

/// Returns the text of an error and its causes, joined by colons.
pub(crate) fn chain(error: &dyn Error) -> String {
    let (mut said, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        said = format!("{said}: {error}");
        cause = error.source();
    }
    said
}
