//! Results of commands and parts.

use std::error::Error;
use std::fmt;

/// Result of a command: an error is printed, and the exit status is 1.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// Something that this machine lacks for a check. A part that ends with this error has not failed: it reports NOT
/// CHECKED with the reason.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Missing {}
