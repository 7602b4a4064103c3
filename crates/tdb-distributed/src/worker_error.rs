//! Transport of a worker's errors to the client.
//!
//! The engine transports errors as text. So a worker embeds JSON in that text: its name, the category of the error,
//! the message and the hint.

use std::error::Error;
use std::fmt;

use serde_json::{Deserializer, Value as Json, json};
use tdb_datafusion::{BoxedError, ErrorText};
use tdb_tile::ErrorKind;
use tonic::Status;

use crate::{ClusterError, cause};

/// Prefix of the embedded JSON, wherever in a text it occurs.
const MARK: &str = "tdb worker error ";

/// Names of the error categories on the wire.
const KINDS: [(ErrorKind, &str); 12] = [
    (ErrorKind::Invalid, "invalid"),
    (ErrorKind::NotFound, "not-found"),
    (ErrorKind::Exists, "exists"),
    (ErrorKind::Corrupt, "corrupt"),
    (ErrorKind::EscapesRoot, "escapes-root"),
    (ErrorKind::Cycle, "cycle"),
    (ErrorKind::Crypto, "crypto"),
    (ErrorKind::Unsupported, "unsupported"),
    (ErrorKind::Store, "store"),
    (ErrorKind::Limit, "limit"),
    (ErrorKind::Memory, "memory"),
    (ErrorKind::Bug, "bug"),
];

/// An error reported by a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkerError {
    /// Name of the worker: the address at which it listens.
    pub(crate) worker: String,
    pub(crate) text: ErrorText,
}

impl WorkerError {
    pub(crate) fn new(worker: &str, text: ErrorText) -> Self {
        Self {
            worker: worker.to_owned(),
            text,
        }
    }

    /// Creates an error from lines: the first is the message, the rest the hint.
    pub(crate) fn of_lines(worker: &str, kind: ErrorKind, lines: &str) -> Self {
        let (what, hint) = match lines.split_once('\n') {
            Some((what, hint)) => (what.to_owned(), Some(hint.to_owned())),
            None => (lines.to_owned(), None),
        };
        Self::new(worker, ErrorText { kind, what, hint })
    }

    /// Finds the error of a worker in the error of a query, if there is one.
    pub(crate) fn found_in(error: &(dyn Error + 'static)) -> Option<Self> {
        cause::chain(error).find_map(|error| match error.downcast_ref::<Status>() {
            Some(status) => Self::of_text(status.message()),
            None => Self::of_text(&error.to_string()),
        })
    }

    fn of_text(text: &str) -> Option<Self> {
        let (_, told) = text.split_once(MARK)?;
        let told: Json = Deserializer::from_str(told).into_iter().next()?.ok()?;
        let member = |name: &str| told.get(name)?.as_str().map(str::to_owned);
        let kind = member("kind")?;
        let (kind, _) = KINDS.iter().find(|(_, name)| *name == kind)?;
        let text = ErrorText {
            kind: *kind,
            what: member("what")?,
            hint: member("hint"),
        };
        Some(Self::new(&member("worker")?, text))
    }
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorText { kind, what, hint } = &self.text;
        let kind = KINDS
            .iter()
            .find(|(known, _)| known == kind)
            .map(|(_, name)| *name);
        let told = json!({"worker": self.worker, "kind": kind, "what": what, "hint": hint});
        write!(f, "{MARK}{told}")
    }
}

impl Error for WorkerError {}

impl From<WorkerError> for ClusterError {
    fn from(error: WorkerError) -> Self {
        let WorkerError { worker, text } = error;
        Self::OfWorker { worker, text }
    }
}

/// Returns a function that converts errors of arrays into errors of the named worker.
pub(crate) fn form(
    worker: &str,
    describe: impl Fn(BoxedError) -> ErrorText + Send + Sync + 'static,
) -> impl Fn(BoxedError) -> BoxedError + Send + Sync + 'static {
    let worker = worker.to_owned();
    move |error| {
        if error.is::<WorkerError>() {
            return error;
        }
        WorkerError::new(&worker, describe(error)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_says_comes_through_any_text() {
        for (kind, _) in KINDS {
            let lines = "a \"tile\" {cannot} be read\nrun tdb verify";
            let error = WorkerError::of_lines("10.0.0.1:7000", kind, lines);
            let passed = std::io::Error::other(format!("External error: {error}; and more}}"));
            assert_eq!(WorkerError::found_in(&passed), Some(error.clone()));
            let status = Status::internal(error.to_string());
            assert_eq!(WorkerError::found_in(&status), Some(error));
        }
        let other = std::io::Error::other(format!("{MARK}{{\"worker\": 1}}"));
        assert_eq!(WorkerError::found_in(&other), None);
    }
}
