//! The context of a command: threads, memory, stores and key.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tdb::Context;
use tdb::engine::array::ErrorKind;
use tdb::engine::cells::{Session, SessionOptions, SpillFolder};

use crate::failure::Failure;
use crate::global::Global;
use crate::{interrupt, machine, request_file};

/// Creates a context with the user's limits, stores and key.
pub(crate) fn context(global: &Global) -> Result<Context, Failure> {
    let context = Context::new()
        .session(session(global))
        .stores(Arc::new(global.counts.clone()));
    match key_file(global)? {
        None => Ok(context),
        Some(file) => with_key(context, &file),
    }
}

fn with_key(context: Context, file: &KeyFile) -> Result<Context, Failure> {
    context
        .key(&file.bytes)
        .map_err(|error| file.invalid(&error))
}

/// The key of a second array: the new one of `rewrite`, and the second one of `compare`.
#[derive(Debug, clap::Args)]
pub(crate) struct NewKey {
    /// Key file of the second array (32 raw bytes), or "none" if not encrypted [default: as --key-file]
    #[arg(long, value_name = "FILE|none")]
    new_key_file: Option<PathBuf>,
}

impl NewKey {
    /// Returns the context for the second array: with `--new-key-file` if given, else a copy of `context`.
    pub(crate) fn context(&self, context: &Context) -> Result<Context, Failure> {
        match &self.new_key_file {
            None => Ok(context.clone()),
            Some(path) if path.as_os_str() == "none" => Ok(context.clone().without_key()),
            Some(path) => with_key(context.clone(), &KeyFile::read(path)?),
        }
    }

    /// Converts a failure to open the second array; adds a hint about `--new-key-file` if its key is wrong.
    pub(crate) fn hint(error: tdb::Error) -> Failure {
        let is_key = error.kind() == ErrorKind::Crypto;
        let failure = Failure::from(error);
        if is_key {
            return failure.hint(
                "use --new-key-file for the key of the second array, or \"none\" if it is not encrypted",
            );
        }
        failure
    }
}

/// Creates a session with the user's threads and memory; by default a quarter of the machine's memory.
fn session(global: &Global) -> Session {
    let memory = global.memory.map(|size| size.0);
    let session = Session::new(
        SessionOptions::default()
            .threads(global.threads)
            .memory(memory.or_else(|| machine::memory().map(|bytes| bytes / 4)))
            .spill(Some(global.temp.as_deref().map_or_else(
                || SpillFolder::local(&std::env::temp_dir()),
                SpillFolder::local,
            ))),
    );
    global.counts.of_session(&session);
    interrupt::cancels(&session);
    session
}

/// Length of an encryption key, in bytes.
const KEY_BYTES: u64 = 32;

fn key_file(global: &Global) -> Result<Option<KeyFile>, Failure> {
    global.key_file.as_deref().map(KeyFile::read).transpose()
}

/// A file with an encryption key.
struct KeyFile {
    /// Its name in errors.
    name: String,
    bytes: Vec<u8>,
}

impl KeyFile {
    fn read(path: &Path) -> Result<Self, Failure> {
        let name = format!("key file {}", path.display());
        // One byte more is read, so that a file that is too long is noticed.
        let bytes = request_file::read(path, &name, KEY_BYTES + 1)?;
        Ok(Self { name, bytes })
    }

    fn invalid(&self, error: &dyn fmt::Display) -> Failure {
        Failure::invalid(format!("{}: {error}", self.name))
    }
}
