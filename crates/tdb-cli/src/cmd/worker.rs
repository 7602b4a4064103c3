//! `tdb worker`: executes parts of queries for other machines.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::parse::Size;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tdb worker --listen 127.0.0.1:7070\n  \
    tdb worker --listen 0.0.0.0:7070 --token-file token --allow /data --allow s3://bucket/weather\n\n\
    A worker answers `tdb sql --cluster` of the same version of tdb. Whoever knows its token may have it read what it is allowed, by \
    its own key and credentials, and compute; nobody else gets an answer. It writes temporary files alone. Both sides prove that they \
    know the token without sending it, and all that travels is encrypted. Without --token-file, workers and clients of one user on \
    one machine share a token that the first of them makes. docs/workers.md says more.")]
pub(crate) struct Arguments {
    /// Where to listen; with port 0 where it is free
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// What may be read: arrays and files in there; the folder where it is started by default
    #[arg(long, value_name = "PATH|URI")]
    allow: Vec<String>,
    /// Temporary files take so much at most: 50GB, 1TiB
    #[arg(long, value_name = "SIZE", value_parser = crate::parse::size)]
    temp_space: Option<Size>,
    #[command(flatten)]
    token: TokenFile,
    /// A certificate to show instead of the token's key, with those of authorities between, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// The options that say how workers and clients know each other.
#[derive(Debug, Args)]
pub(crate) struct TokenFile {
    /// What workers and clients share; by default one for each user, which is made
    #[arg(long, value_name = "FILE", env = "TDB_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// The authorities of the certificates that workers show, as PEM
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

#[cfg(feature = "distributed")]
pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    use std::io::Write;

    let token = arguments.token.read()?;
    let allowed = arguments.allowed()?;
    let certificates = arguments.certificates()?;
    let context = crate::access::context(global)?;
    let mut limits = tdb::WorkerLimits::default();
    if let Some(Size(bytes)) = arguments.temp_space {
        limits.temporary = bytes;
    }
    let messages = out.messages();
    let worker = context.worker(&arguments.listen, token, allowed)?;
    let worker = worker.limits(limits).certificates(certificates);
    let worker = worker.listener(move |what| messages.note(what));
    crate::defect::tell_at_once();
    writeln!(out, "listening on {}", worker.address())?;
    out.flush()?;
    Ok(worker.serve()?)
}

#[cfg(feature = "distributed")]
impl Arguments {
    /// The allowed places; by default the current folder.
    fn allowed(&self) -> Result<tdb::Allowed, Failure> {
        let here = [".".to_owned()];
        let places = match &*self.allow {
            [] => &here,
            given => given,
        };
        Ok(tdb::Allowed::new(places).map_err(tdb::Error::from)?)
    }

    /// The certificate to show, and the trusted authorities.
    fn certificates(&self) -> Result<tdb::Certificates, Failure> {
        let certificates = self.token.certificates()?;
        let (Some(chain), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(certificates);
        };
        let shown = certificates.shown(chain, key);
        Ok(shown.map_err(tdb::Error::from)?)
    }
}

#[cfg(not(feature = "distributed"))]
pub(crate) fn run(arguments: &Arguments, _: &Global, _: &mut Output) -> Result<(), Failure> {
    let Arguments {
        listen: _,
        allow: _,
        temp_space: _,
        token: TokenFile {
            token_file: _,
            tls_ca: _,
        },
        tls_cert: _,
        tls_key: _,
    } = arguments;
    Err(not_built())
}

/// Error of a build without support for workers.
#[cfg(not(feature = "distributed"))]
pub(crate) fn not_built() -> Failure {
    let what = "this build of tdb asks no other machines";
    let failure = Failure::new(tdb::ErrorKind::Unsupported, what);
    failure.hint("cargo install --path crates/tdb-cli --features distributed, in the source of tdb")
}

#[cfg(feature = "distributed")]
impl TokenFile {
    /// Reads the token from the given file, or the user's token.
    pub(crate) fn read(&self) -> Result<tdb::Token, Failure> {
        let token = match &self.token_file {
            Some(path) => tdb::Token::from_file(path),
            None => tdb::Token::of_user(),
        };
        Ok(token.map_err(tdb::Error::from)?)
    }

    /// The authorities whose certificates are accepted from workers.
    pub(crate) fn certificates(&self) -> Result<tdb::Certificates, Failure> {
        let certificates = tdb::Certificates::default();
        let Some(authorities) = &self.tls_ca else {
            return Ok(certificates);
        };
        let trusted = certificates.trusted(authorities);
        Ok(trusted.map_err(tdb::Error::from)?)
    }
}
