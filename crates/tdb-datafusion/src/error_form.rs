//! Errors that leave the process.

use std::fmt;
use std::sync::Arc;

use crate::boxed_error::BoxedError;

/// Conversion of errors that leave the process as text.
#[derive(Clone)]
pub struct ErrorForm(Arc<dyn Fn(BoxedError) -> BoxedError + Send + Sync>);

impl ErrorForm {
    /// Creates a form from a conversion function.
    pub fn new(form: impl Fn(BoxedError) -> BoxedError + Send + Sync + 'static) -> Self {
        Self(Arc::new(form))
    }

    /// Converts an error.
    #[must_use]
    pub fn of(&self, error: BoxedError) -> BoxedError {
        (self.0)(error)
    }
}

impl fmt::Debug for ErrorForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorForm").finish_non_exhaustive()
    }
}
