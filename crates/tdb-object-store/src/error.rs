//! Errors: of opening a store, and of what a server answers.

use std::error::Error;
use std::io;

use tdb_store::StoreError;

/// Characters of a server's answer that an error repeats.
const SHOWN: usize = 600;

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A URI that names no folder of an object store.
    #[error("{uri}: {what}")]
    Uri {
        /// The URI.
        uri: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Settings that do not lead to a store.
    #[error("{uri}: {reason}")]
    Settings {
        /// The URI.
        uri: String,
        /// What is missing or wrong.
        reason: String,
    },
    /// Threads for waiting could not be started.
    #[error("no thread can be started: {0}")]
    Runtime(#[from] io::Error),
}

/// What a server answered about `key`, as an error of the store.
pub(crate) fn failed(key: &str, error: object_store::Error) -> StoreError {
    let key = key.to_owned();
    match error {
        object_store::Error::NotFound { .. } => StoreError::NotFound { key },
        object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. } => {
            StoreError::Exists { key }
        }
        object_store::Error::PermissionDenied { source, .. }
        | object_store::Error::Unauthenticated { source, .. } => StoreError::Denied {
            key,
            reason: in_words(&*source),
        },
        object_store::Error::InvalidPath { .. } => StoreError::InvalidKey {
            key,
            reason: "the store does not allow such a name",
        },
        other => broken(&key, in_words(&other)),
    }
}

/// What a server did that it must not do.
pub(crate) fn broken(key: &str, what: impl Into<String>) -> StoreError {
    StoreError::other(key, io::Error::other(what.into()))
}

/// An error and what is behind it, in one line of bounded length.
pub(crate) fn in_words(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        // Some errors repeat what is behind them.
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    if let Some(answer) = answered(&text) {
        return answer;
    }
    if text.chars().count() <= SHOWN {
        return text;
    }
    let shown: String = text.chars().take(SHOWN).collect();
    format!("{shown} ...")
}

/// What a server says of an error, where it answers as S3 and Azure do: `<Code>NoSuchBucket</Code><Message>...</Message>`.
fn answered(text: &str) -> Option<String> {
    let within = |name: &str| {
        let (_, behind) = text.split_once(&format!("<{name}>"))?;
        let (value, _) = behind.split_once(&format!("</{name}>"))?;
        let shown: String = value.trim().chars().take(SHOWN).collect();
        (!shown.is_empty()).then_some(shown)
    };
    let (code, message) = (within("Code")?, within("Message")?);
    Some(format!("the server says {code}: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_told_without_its_wrapping() {
        let told = io::Error::other(
            "Generic S3 error: 404 Not Found: <?xml?> <Error><Code>NoSuchBucket</Code>\n<Message>There is\nnone</Message></Error>",
        );
        assert_eq!(
            in_words(&told),
            "the server says NoSuchBucket: There is none"
        );
        assert_eq!(
            in_words(&io::Error::other("a  <Code>x</Code>")),
            "a <Code>x</Code>"
        );
    }
}
