//! Errors of workers and of their clients.

use std::path::{Path, PathBuf};

use tdb_datafusion::{ErrorText, SqlError};
use tdb_tile::{ErrorKind, HasKind};

/// Error between a client and its workers, other than the failure of a query.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// Text that is not an address.
    #[error("{address:?} is not the address of a worker")]
    Address {
        /// The rejected text.
        address: String,
    },
    /// A cluster without any worker.
    #[error("a cluster needs at least one worker")]
    NoWorkers,
    /// A token that is too short, and thus easy to guess.
    #[error(
        "the token has {bytes} bytes: at least {} are needed",
        crate::Token::SHORTEST
    )]
    ShortToken {
        /// Length of the token in bytes.
        bytes: usize,
    },
    /// A token longer than [`Token::LONGEST`](crate::Token::LONGEST): probably the wrong file.
    #[error("the token is longer than {} bytes", crate::Token::LONGEST)]
    LongToken,
    /// Text that is not a token.
    #[error("a token must be one line of printable characters")]
    OddToken,
    /// A token file whose content is not a valid token.
    #[error("token file {}: {error}", path.display())]
    InFile {
        /// Path of the token file.
        path: PathBuf,
        /// Reason why its content is not a token.
        error: Box<ClusterError>,
    },
    /// A token file, or its folder, that cannot be read or created.
    #[error("token file {}: {source}", path.display())]
    TokenFile {
        /// Path of the file or the folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A token file, or its folder, that other users may access.
    #[error("token file {}: accessible to other users (mode {mode:o})", path.display())]
    OpenToken {
        /// Path of the file or the folder.
        path: PathBuf,
        /// Permission bits of the file or the folder.
        mode: u32,
        /// Command that restricts the permissions.
        remedy: String,
    },
    /// A token file, or its folder, owned by another user.
    #[error("token file {}: belongs to another user (number {owner})", path.display())]
    ForeignToken {
        /// Path of the file or the folder.
        path: PathBuf,
        /// Numeric user ID of the owner.
        owner: u32,
    },
    /// No folder for the user's token can be determined.
    #[error("there is no folder for a token: neither XDG_STATE_HOME nor HOME is an absolute path")]
    Homeless,
    /// Keys could not be derived from the token.
    #[error("cannot derive keys from the token: {0}")]
    Keys(String),
    /// A certificate, or its key, cannot be used.
    #[error("{}: {what}", path.display())]
    Certificate {
        /// Path of the certificate or key file.
        path: PathBuf,
        /// Reason why the file cannot be used.
        what: String,
    },
    /// The TLS configuration is invalid.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// A place that cannot be allowed.
    #[error("--allow {place}: {what}")]
    Place {
        /// The place as given.
        place: String,
        /// Reason why the place cannot be allowed.
        what: String,
    },
    /// The worker cannot listen at the address.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// Address at which to listen.
        address: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A worker that does not answer, or answers with something unexpected.
    #[error("the worker at {address} does not answer: {what}")]
    Silent {
        /// Address of the worker.
        address: String,
        /// What happened instead of an answer.
        what: String,
    },
    /// The worker and the client do not share a token.
    #[error("the worker at {address} and this process do not know the same token")]
    Refused {
        /// Address of the worker.
        address: String,
    },
    /// An error reported by a worker.
    #[error("worker {worker}: {}", text.what)]
    OfWorker {
        /// Name of the worker: the address at which it listens.
        worker: String,
        /// The reported error.
        text: ErrorText,
    },
    /// A worker that runs another version.
    #[error(
        "the worker at {address} is of version {found:?}, and this is version {}",
        crate::VERSION
    )]
    Version {
        /// Address of the worker.
        address: String,
        /// Version of the worker.
        found: String,
    },
    /// The server of a worker ended unexpectedly.
    #[error("the worker ended: {0}")]
    Ended(String),
    /// An error of the worker's session.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

impl ClusterError {
    /// Creates the error for an unusable certificate or key file.
    pub(crate) fn certificate(path: &Path, what: &dyn std::fmt::Display) -> Self {
        Self::Certificate {
            path: path.to_owned(),
            what: what.to_string(),
        }
    }

    /// Creates the error for a token file that the system refuses to read or create.
    pub(crate) fn token_file(path: &Path, source: std::io::Error) -> Self {
        Self::TokenFile {
            path: path.to_owned(),
            source,
        }
    }

    /// Creates the error for a file that other users may access, with the command that restricts it to mode `wanted`.
    pub(crate) fn open_token(path: &Path, mode: u32, wanted: u32) -> Self {
        Self::OpenToken {
            path: path.to_owned(),
            mode,
            remedy: format!("chmod {wanted:o} {}", path.display()),
        }
    }

    /// The category of the error, which determines what the caller can do.
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

    /// A remedy for the error, if one is known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            Self::Address { .. } | Self::NoWorkers => "give workers as HOST:PORT,HOST:PORT",
            Self::ShortToken { .. } | Self::LongToken | Self::OddToken => {
                "create one with: head -c 32 /dev/urandom | base64"
            }
            Self::InFile { error, .. } => return error.hint(),
            Self::OpenToken { remedy, .. } => remedy,
            Self::ForeignToken { .. } => {
                "copy it to a file of your own: install -m 600 THEIRS MINE, and --token-file MINE"
            }
            Self::TokenFile { .. } | Self::Homeless => {
                "use --token-file to give worker and client the same token"
            }
            Self::Silent { .. } => "start one with tdb worker --listen HOST:PORT",
            Self::Refused { .. } => {
                "worker and client need the same token: that of one user on one machine, or the same --token-file; where the worker \
                 shows a certificate, the client needs --tls-ca"
            }
            Self::OfWorker { text, .. } => return text.hint.as_deref(),
            Self::Version { .. } => "use the same version of tdb for all workers and the client",
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

impl HasKind for ClusterError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}
