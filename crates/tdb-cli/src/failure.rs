//! What went wrong, as people and scripts are told.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};

use tdb_array::{ArrayError, ErrorKind, HasKind};
use tdb_arrow::ConversionError;
use tdb_query::QueryError;
use tdb_store::StoreError;

use crate::paint::{Look, Role, visible};

const KEY_HINT: &str = "--key-file gives the key, to encrypted arrays alone";

/// Why a verb was not carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    /// What the user named: goes in front of errors about what is stored there.
    place: Option<String>,
    error: Box<dyn Error + Send + Sync>,
    hint: Option<String>,
    broken_pipe: bool,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            kind,
            place: None,
            error: error.into(),
            hint: None,
            broken_pipe: false,
        }
    }

    /// What a library found wrong with an object that the caller names.
    pub(crate) fn of(error: impl HasKind + Error + Send + Sync + 'static) -> Self {
        let failure = Self::new(error.kind(), error);
        match failure.kind {
            ErrorKind::Crypto => failure.hint(KEY_HINT),
            _ => failure,
        }
    }

    /// The request is wrong.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, what.into())
    }

    /// Adds the way out.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says which object of the command line is at fault, unless the command line is.
    pub(crate) fn at(mut self, uri: &str) -> Self {
        if self.kind != ErrorKind::Invalid {
            self.place.get_or_insert_with(|| uri.to_owned());
        }
        self
    }

    /// The exit status: 2 for a wrong request, 3 for what is stored, 4 for a limit.
    pub(crate) fn status(&self) -> u8 {
        match self.kind {
            _ if self.broken_pipe => 0,
            ErrorKind::Invalid => 2,
            ErrorKind::Limit => 4,
            _ => 3,
        }
    }

    /// Writes `error: ` and what it is, the chain beneath, and `hint: ` if there is one.
    pub(crate) fn write(&self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        if self.broken_pipe {
            return Ok(());
        }
        let place = self
            .place
            .as_ref()
            .map(|place| format!("{place}: "))
            .unwrap_or_default();
        let label = look.paint(Role::Error, "error:");
        writeln!(
            out,
            "{label} {}{}",
            visible(&place),
            visible(&self.error.to_string())
        )?;
        let mut beneath = self.error.source();
        while let Some(error) = beneath {
            writeln!(out, "  {}", visible(&error.to_string()))?;
            beneath = error.source();
        }
        if let Some(hint) = &self.hint {
            writeln!(out, "{} {}", look.paint(Role::Hint, "hint:"), visible(hint))?;
        }
        Ok(())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl From<ArrayError> for Failure {
    fn from(error: ArrayError) -> Self {
        let hint = match &error {
            _ if error.kind() == ErrorKind::Crypto => Some(KEY_HINT),
            ArrayError::Newer { .. } => Some("a newer tdb may read it"),
            _ => None,
        };
        let failure = Self::new(error.kind(), error);
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error.kind(), error)
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        let hint = error.hint().map(str::to_owned);
        Self {
            hint,
            ..Self::new(error.kind(), error)
        }
    }
}

impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        let (kind, hint) = (error.kind(), error.hint());
        match error {
            ConversionError::Output(error) => error.into(),
            error => Self {
                hint: hint.map(str::to_owned),
                ..Self::new(kind, error)
            },
        }
    }
}

/// Failures of reading and writing are those of the output: what is stored is read through a store.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        let failure = Self::new(ErrorKind::Store, format!("output: {error}"));
        Self {
            broken_pipe,
            ..failure
        }
    }
}
