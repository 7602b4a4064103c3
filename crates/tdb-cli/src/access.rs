//! What opening and changing arrays needs besides a URI: the time, the key, memory and threads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tdb::Context;
use tdb::engine::array::{ChangeOptions, ErrorKind, OpenOptions, TimeWindow};
use tdb::engine::cells::{Session, SessionOptions, SpillFolder};
use tdb::engine::filters::EncryptionKey;
use tdb::engine::tile::Limits;

use crate::failure::Failure;
use crate::global::Global;
use crate::{interrupt, machine, request_file};
use tdb::place::Place;

/// The user's encryption key, and the limits of the session.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) key: Option<EncryptionKey>,
    pub(crate) limits: Limits,
}

impl Access {
    pub(crate) fn new(global: &Global, session: &Session) -> Result<Self, Failure> {
        Ok(Self {
            key: key(global)?,
            limits: session.limits().clone(),
        })
    }

    /// Adds the key and the limits to a location.
    pub(crate) fn to(&self, location: &Place) -> tdb::engine::array::Location {
        let place = location.location.clone().with_key(self.key.clone());
        place.with_limits(self.limits.clone())
    }

    /// Runs a query on one of several locations, as in a listing: with the key, and if that fails with a crypto
    /// error, without it, since locations that are not encrypted may be among them.
    pub(crate) fn among_others<T>(
        &self,
        location: &Place,
        mut ask: impl FnMut(&tdb::engine::array::Location) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let with_key = ask(&self.to(location));
        let needs_another = |failure: &Failure| failure.kind == ErrorKind::Crypto;
        match with_key {
            Err(failure) if self.key.is_some() && needs_another(&failure) => {
                let plain = location.location.clone();
                let plain = ask(&plain.with_limits(self.limits.clone()));
                // If it fails without a key as well, another key encrypts the location: the first error is the useful
                // one.
                plain.map_err(|other| {
                    if needs_another(&other) {
                        failure
                    } else {
                        other
                    }
                })
            }
            answer => answer,
        }
    }
}

/// Options for opening arrays and groups.
#[derive(Clone, Debug)]
pub(crate) struct OpenSettings {
    pub(crate) access: Access,
    pub(crate) options: OpenOptions,
}

impl OpenSettings {
    pub(crate) fn new(global: &Global, session: &Session) -> Result<Self, Failure> {
        let window = TimeWindow {
            since: global
                .since
                .map_or(TimeWindow::ALL.since, |moment| moment.0),
            // As TileDB does: objects with a timestamp in the future are not visible yet.
            at: global.at().unwrap_or(global.now).0,
        };
        Ok(Self {
            access: Access::new(global, session)?,
            options: OpenOptions::default()
                .window(window)
                .whole_history(global.whole_history),
        })
    }
}

/// Options for changing arrays and groups.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) access: Access,
    pub(crate) options: ChangeOptions,
}

impl Change {
    /// Creates the options, with the timestamp that the user gave.
    pub(crate) fn new(global: &Global, session: &Session) -> Result<Self, Failure> {
        if global.since.is_some() {
            let failure = Failure::invalid("--since cannot be used with a change");
            return Err(failure.hint("use --at to set the time of the change"));
        }
        Ok(Self {
            access: Access::new(global, session)?,
            options: ChangeOptions::default().timestamp(global.at().map(|moment| moment.0)),
        })
    }
}

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
pub(crate) fn session(global: &Global) -> Session {
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

fn key(global: &Global) -> Result<Option<EncryptionKey>, Failure> {
    let Some(file) = key_file(global)? else {
        return Ok(None);
    };
    let key = EncryptionKey::new(&file.bytes).map_err(|error| file.invalid(&error))?;
    Ok(Some(key))
}

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
