//! Errors of workers, and of those who ask them.

use tdb_datafusion::SqlError;
use tdb_tile::ErrorKind;

/// What went wrong between workers and a client, other than in a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Text that is no address.
    #[error("{address:?} is no address of a worker")]
    Address {
        /// The text.
        address: String,
    },
    /// A cluster without workers.
    #[error("a cluster without a worker")]
    NoWorkers,
    /// A worker could be reached from other machines without a token.
    #[error(
        "a worker at {address} can be reached from other machines, and without a token whoever reaches it reads what it can read"
    )]
    Open {
        /// The address.
        address: String,
    },
    /// A token that is too easy to guess.
    #[error(
        "a token of {bytes} bytes is too short: it takes {} at least",
        crate::Token::SHORTEST
    )]
    ShortToken {
        /// Its length.
        bytes: usize,
    },
    /// A token that no header of HTTP can have.
    #[error("a token is one line of printable characters")]
    OddToken,
    /// Nothing can listen at an address.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A worker does not answer, or not as one.
    #[error("the worker at {address} does not answer: {what}")]
    Silent {
        /// The address.
        address: String,
        /// What came instead.
        what: String,
    },
    /// A worker does not know the token.
    #[error("the worker at {address} refuses the token")]
    Refused {
        /// The address.
        address: String,
    },
    /// A worker of another version.
    #[error(
        "the worker at {address} is of version {found:?}, and this is version {}",
        crate::VERSION
    )]
    Version {
        /// The address.
        address: String,
        /// Its version.
        found: String,
    },
    /// The server of a worker ended.
    #[error("the worker ended: {0}")]
    Ended(String),
    /// An error of the session of a worker.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

impl ClusterError {
    /// The category of the error, which tells what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Address { .. }
            | Self::NoWorkers
            | Self::Open { .. }
            | Self::ShortToken { .. }
            | Self::OddToken => ErrorKind::Invalid,
            Self::Listen { .. }
            | Self::Silent { .. }
            | Self::Refused { .. }
            | Self::Version { .. }
            | Self::Ended(_) => ErrorKind::Store,
            Self::Sql(error) => error.kind().unwrap_or(ErrorKind::Store),
        }
    }

    /// The way out, where one is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Address { .. } | Self::NoWorkers => "workers are named HOST:PORT,HOST:PORT",
            Self::Open { .. } => "give worker and client the same --token-file",
            Self::ShortToken { .. } | Self::OddToken => {
                "head -c 32 /dev/urandom | base64 makes a good one"
            }
            Self::Silent { .. } => "tdb worker --listen HOST:PORT starts one",
            Self::Refused { .. } => "worker and client need the same --token-file",
            Self::Version { .. } => "all workers and the client must be of one version",
            Self::Listen { .. } | Self::Ended(_) => return None,
            Self::Sql(error) => return error.hint(),
        })
    }
}
