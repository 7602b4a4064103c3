//! Files in the temporary folder.

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use tdb_array::ErrorKind;
use tdb_open::Error;

/// Copies all bytes to an unnamed temporary file.
pub(super) fn spooled(bytes: &mut dyn io::Read, folder: &Path) -> io::Result<File> {
    let made = tempfile::tempfile_in(folder).map_err(TempError::of);
    let mut kept = Spool(made?);
    io::copy(bytes, &mut kept)?;
    Ok(kept.0)
}

/// A file in the temporary folder.
pub(super) struct Spool(pub(super) File);

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(TempError::of)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(TempError::of)
    }
}

/// An error of the temporary folder, as distinguished from errors of the input.
#[derive(Debug)]
pub(super) struct TempError(pub(super) String);

impl TempError {
    fn of(error: io::Error) -> io::Error {
        let kind = error.kind();
        // If the error names a path, its source has the cause alone; the message names the folder itself.
        let cause = error.get_ref().and_then(|error| error.source());
        let text = cause.map_or_else(|| error.to_string(), ToString::to_string);
        match kind {
            io::ErrorKind::Interrupted => error,
            kind => io::Error::new(kind, Self(text)),
        }
    }
}

impl Display for TempError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for TempError {}

/// Returns the error for a failure of the temporary folder.
pub(super) fn failed(folder: &Path, what: impl Display) -> Error {
    let what = format!("{}: {what}", folder.display());
    Error::new(ErrorKind::Store, what)
        .with_hint("use --temp to choose another folder for temporary data")
}
