//! Errors of workers, and of those who ask them.

use std::path::{Path, PathBuf};

use tdb_datafusion::{ErrorText, SqlError};
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
    /// A token that is too easy to guess.
    #[error(
        "a token of {bytes} bytes is too short: it takes {} at least",
        crate::Token::SHORTEST
    )]
    ShortToken {
        /// Its length.
        bytes: usize,
    },
    /// A token that may have been cut, or is another file.
    #[error("a token has {} bytes at most", crate::Token::LONGEST)]
    LongToken,
    /// Text that is no token.
    #[error("a token is one line of printable characters")]
    OddToken,
    /// A file without a good token.
    #[error("token file {}: {error}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with the token.
        error: Box<ClusterError>,
    },
    /// A token file or its folder that cannot be read or made.
    #[error("token file {}: {source}", path.display())]
    TokenFile {
        /// The file, or the folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A token file, or its folder, that is open to other users.
    #[error("token file {}: other users may use it (mode {mode:o})", path.display())]
    OpenToken {
        /// The file, or the folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
        /// What sets that mode.
        remedy: String,
    },
    /// A token file, or its folder, of another user.
    #[error("token file {}: belongs to another user (number {owner})", path.display())]
    ForeignToken {
        /// The file, or the folder.
        path: PathBuf,
        /// The number of the user.
        owner: u32,
    },
    /// There is no folder for the token of the user.
    #[error("there is no folder for a token: neither XDG_STATE_HOME nor HOME is an absolute path")]
    Homeless,
    /// No keys come of a token.
    #[error("no keys: {0}")]
    Keys(String),
    /// A certificate or its key cannot be used.
    #[error("{}: {what}", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// TLS cannot be spoken with what there is.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// A place that a worker cannot be allowed.
    #[error("--allow {place}: {what}")]
    Place {
        /// The place, as it was given.
        place: String,
        /// What is wrong with it.
        what: String,
    },
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
    /// A worker and the client do not know the same token.
    #[error("the worker at {address} and this process do not know the same token")]
    Refused {
        /// The address.
        address: String,
    },
    /// An error of a worker: what it does not do, or cannot.
    #[error("worker {worker}: {}", text.what)]
    OfWorker {
        /// What the worker calls itself: the address at which it listens.
        worker: String,
        /// What it says.
        text: ErrorText,
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
    /// What is wrong with the file of a certificate or key.
    pub(crate) fn certificate(path: &Path, what: &dyn std::fmt::Display) -> Self {
        Self::Certificate {
            path: path.to_owned(),
            what: what.to_string(),
        }
    }

    /// What the system says of a token file.
    pub(crate) fn token_file(path: &Path, source: std::io::Error) -> Self {
        Self::TokenFile {
            path: path.to_owned(),
            source,
        }
    }

    /// A file that others may use, and what closes it.
    pub(crate) fn open_token(path: &Path, mode: u32, wanted: u32) -> Self {
        Self::OpenToken {
            path: path.to_owned(),
            mode,
            remedy: format!("chmod {wanted:o} {}", path.display()),
        }
    }

    /// The category of the error, which tells what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Address { .. }
            | Self::NoWorkers
            | Self::ShortToken { .. }
            | Self::LongToken
            | Self::OddToken
            | Self::OpenToken { .. }
            | Self::ForeignToken { .. }
            | Self::Homeless
            | Self::Certificate { .. }
            | Self::Place { .. } => ErrorKind::Invalid,
            Self::OfWorker { text, .. } => text.kind,
            Self::InFile { error, .. } => error.kind(),
            Self::TokenFile { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                ErrorKind::NotFound
            }
            Self::TokenFile { .. } | Self::Keys(_) | Self::Tls(_) => ErrorKind::Store,
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
            Self::ShortToken { .. } | Self::LongToken | Self::OddToken => {
                "head -c 32 /dev/urandom | base64 makes a good one"
            }
            Self::InFile { error, .. } => return error.hint(),
            Self::OpenToken { remedy, .. } => remedy,
            Self::ForeignToken { .. } => {
                "copy it to a file of your own: install -m 600 THEIRS MINE, and --token-file MINE"
            }
            Self::TokenFile { .. } | Self::Homeless => {
                "--token-file names a token that worker and client share"
            }
            Self::Silent { .. } => "tdb worker --listen HOST:PORT starts one",
            Self::Refused { .. } => {
                "worker and client need the same token: that of one user on one machine, or the same --token-file; where the worker \
                 shows a certificate, the client needs --tls-ca"
            }
            Self::OfWorker { text, .. } => return text.hint.as_deref(),
            Self::Version { .. } => "all workers and the client must be of one version",
            Self::Listen { .. }
            | Self::Ended(_)
            | Self::Keys(_)
            | Self::Certificate { .. }
            | Self::Tls(_)
            | Self::Place { .. } => return None,
            Self::Sql(error) => return error.hint(),
        })
    }
}
