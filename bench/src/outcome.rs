//! What everything here returns.

use std::error::Error;

/// A value, or what went wrong: it ends the program.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;
