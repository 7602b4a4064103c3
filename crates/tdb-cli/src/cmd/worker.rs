//! `tdb worker`: does parts of queries that are asked on other machines.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb worker --listen 127.0.0.1:7070\n  tdb worker --listen 0.0.0.0:7070 --token-file token\n\n\
    A worker answers `tdb sql --cluster` of the same version of tdb. It opens arrays by itself, with its own key and credentials: who \
    has the token can read what it can read. The token and the rows are sent as they are, so that a network which others listen to \
    needs a tunnel."
)]
pub(crate) struct Arguments {
    /// Where to listen; with port 0 where it is free
    #[arg(long, value_name = "HOST:PORT")]
    listen: String,
    #[command(flatten)]
    token: TokenFile,
}

/// The option that names a token.
#[derive(Debug, Args)]
pub(crate) struct TokenFile {
    /// What workers and clients share; needed on any address but this machine's own
    #[arg(long, value_name = "FILE", env = "TDB_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

#[cfg(feature = "distributed")]
pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    use std::io::Write;

    let context = crate::access::context(global)?;
    let worker = context.worker(&arguments.listen, arguments.token.read()?)?;
    writeln!(out, "listening on {}", worker.address())?;
    out.flush()?;
    Ok(worker.serve()?)
}

#[cfg(not(feature = "distributed"))]
pub(crate) fn run(arguments: &Arguments, _: &Global, _: &mut Output) -> Result<(), Failure> {
    let Arguments {
        listen: _,
        token: TokenFile { token_file: _ },
    } = arguments;
    Err(not_built())
}

/// The error of a build without workers.
#[cfg(not(feature = "distributed"))]
pub(crate) fn not_built() -> Failure {
    let what = "this build of tdb asks no other machines";
    let failure = Failure::new(tdb::ErrorKind::Unsupported, what);
    failure.hint("cargo install --path crates/tdb-cli --features distributed, in the source of tdb")
}

#[cfg(feature = "distributed")]
impl TokenFile {
    /// The token, if there is one.
    pub(crate) fn read(&self) -> Result<Option<tdb::Token>, Failure> {
        /// Bytes that a token has at most.
        const MOST: u64 = 4096;

        let Some(path) = &self.token_file else {
            return Ok(None);
        };
        let name = format!("token file {}", path.display());
        let bytes = crate::request_file::read(path, &name, MOST)?;
        let text = String::from_utf8(bytes);
        let text = text.map_err(|error| Failure::invalid(format!("{name}: {error}")))?;
        Ok(Some(tdb::Token::new(&text).map_err(tdb::Error::from)?))
    }
}
