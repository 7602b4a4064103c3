//! The result type of this program.

use std::error::Error;

/// A value, or an error that ends the program.
pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;
