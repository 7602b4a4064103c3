//! How commands and parts end.

use std::error::Error;
use std::fmt;

/// What a command gives back: an error is printed, and the exit status is 1.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

/// What this machine lacks for a check. A part that ends with it has not failed: it says NOT CHECKED, and what is missing.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Missing {}
