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
    A worker serves `tdb sql --cluster` of the same version of tdb. Clients that know its token can read what is allowed, with the \
    worker's key and credentials, and use its processor; nobody else gets an answer. It writes only temporary files. Both sides prove \
    that they know the token without sending it, and all traffic is encrypted. Without --token-file, workers and clients of one user on \
    one machine share a token, created by the first of them. See docs/workers.md.")]
pub(crate) struct Arguments {
    /// Address to listen at; port 0 selects a free port
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    /// Allow reading arrays and files below this place [default: the current folder]
    #[arg(long, value_name = "PATH|URI")]
    allow: Vec<String>,
    /// Maximum size of temporary files, such as 50GB or 1TiB [default: 64 GiB]
    #[arg(long, value_name = "SIZE", value_parser = crate::parse::size)]
    temp_space: Option<Size>,
    #[command(flatten)]
    token: TokenFile,
    /// PEM file with the certificate chain to show instead of the token's key
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

/// The options that say how workers and clients know each other.
#[derive(Debug, Args)]
pub(crate) struct TokenFile {
    /// File with the token of workers and clients [default: one per user, created if necessary]
    #[arg(long, value_name = "FILE", env = "TDB_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// PEM file with the authorities of the workers' certificates
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

#[cfg(feature = "distributed")]
pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    use std::io::Write;

    let token = arguments.token.read()?;
    let allowed = arguments.allowed()?;
    let certificates = arguments.certificates()?;
    let context = crate::context::context(global)?;
    let mut limits = tdb::WorkerLimits::default();
    if let Some(Size(bytes)) = arguments.temp_space {
        limits.temporary = bytes;
    }
    let messages = out.messages();
    let worker = context
        .worker(&arguments.listen, token, allowed)?
        .limits(limits)
        .certificates(certificates)
        .listener(move |what| messages.note(what));
    crate::panics::tell_at_once();
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
    let what = "this build of tdb does not support workers";
    let failure = Failure::new(tdb::ErrorKind::Unsupported, what);
    failure.hint(
        "run `cargo install --path crates/tdb-cli --features distributed` in the source of tdb",
    )
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
