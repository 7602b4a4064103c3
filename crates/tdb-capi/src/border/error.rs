use std::fmt;

/// Result of what stands behind a function of the interface.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// The error that a program gets: the part of the engine that it comes from, as TileDB names it, and a message.
///
/// Its text has one of TileDB's two forms, `[TileDB::Array] Error: …` or `Array: …`, because programs look for it.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    origin: &'static str,
    is_short: bool,
    message: String,
}

impl Error {
    /// Creates an error from the part of the interface that found it: `Array`, `Query`, `Config`.
    pub(crate) fn new(origin: &'static str, message: impl Into<String>) -> Self {
        Self {
            origin,
            is_short: false,
            message: message.into(),
        }
    }

    /// Creates an error of the parts of the interface whose errors have the short form: those of schemas.
    pub(crate) fn short(origin: &'static str, message: impl Into<String>) -> Self {
        Self {
            is_short: true,
            ..Self::new(origin, message)
        }
    }

    /// Creates the error of a wrong argument.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new("C API", message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_short {
            return write!(f, "{}: {}", self.origin, self.message);
        }
        write!(f, "[TileDB::{}] Error: {}", self.origin, self.message)
    }
}

/// An error of the engine, with its causes; the hint, if there is one, follows the message.
impl From<tdb::Error> for Error {
    fn from(error: tdb::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(further) = cause {
            let text = further.to_string();
            // Some errors show their cause themselves.
            if !message.contains(&text) {
                message.push_str(": ");
                message.push_str(&text);
            }
            cause = further.source();
        }
        if let Some(hint) = error.hint() {
            message.push_str("; ");
            message.push_str(hint);
        }
        Self::new("Engine", message)
    }
}
