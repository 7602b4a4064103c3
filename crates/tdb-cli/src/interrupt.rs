//! Handling of Ctrl-C and termination signals.
//!
//! The verb is not stopped from outside. It fails at its next read or write, and then undoes its unfinished work as
//! after any other error, so that no second way of cleaning up is needed. A verb that waits for a pipe neither reads
//! nor writes a store; if nothing has noticed the signal after a few seconds, a waiting thread ends the program. A
//! second Ctrl-C ends it immediately.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use tdb::Stores;
use tdb::engine::cells::Session;
use tdb::engine::store::StoreError;

use crate::paint::{Look, Role};

/// Exit status after Ctrl-C, as shells define it.
pub(crate) const STATUS: u8 = 130;

/// How long to wait for the next read or write, which never happens while the verb waits for a pipe.
const PATIENCE: Duration = Duration::from_secs(5);

/// True once Ctrl-C was pressed.
static ASKED: AtomicBool = AtomicBool::new(false);

/// True once a read or write has failed because of Ctrl-C.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Number of completed statements at the SQL prompt.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// All sessions of the program.
static SESSIONS: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// Stores that may be waiting for a server.
static STORES: OnceLock<Arc<dyn Stores>> = OnceLock::new();

/// Messages for the running verb.
static WHAT: OnceLock<(InterruptMessages, Look)> = OnceLock::new();

/// Messages about an interrupted verb.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InterruptMessages {
    /// Printed after the verb has undone its unfinished work.
    pub(crate) text: &'static str,
    /// Printed if the verb did not react in time, so that nothing was undone.
    pub(crate) unnoticed: &'static str,
}

/// Installs the handler for Ctrl-C with the messages of the running verb. A second Ctrl-C ends the program
/// immediately.
pub(crate) fn listen(what: InterruptMessages, messages: Look) {
    let pressed = move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            process::exit(STATUS.into());
        }
        for session in &*sessions() {
            session.cancel();
        }
        if let Some(stores) = STORES.get() {
            stores.cancel();
        }
        let ended = ENDED.load(Ordering::SeqCst);
        // A separate thread waits, so that the handler can run again for the next press.
        let waiter = thread::Builder::new().spawn(move || {
            thread::sleep(PATIENCE);
            if ended == ENDED.load(Ordering::SeqCst) && !is_noticed() {
                tell(what.unnoticed, messages);
                process::exit(STATUS.into());
            }
        });
        if waiter.is_err() {
            process::exit(STATUS.into());
        }
    };
    // Without a handler, the system ends the program.
    let _ = ctrlc::set_handler(pressed);
    let _ = WHAT.set((what, messages));
}

/// Fails after Ctrl-C, and records that.
pub(crate) fn check(key: &str) -> Result<(), StoreError> {
    if !ASKED.load(Ordering::Relaxed) {
        return Ok(());
    }
    NOTICED.store(true, Ordering::SeqCst);
    let error = io::Error::new(io::ErrorKind::Interrupted, "interrupted");
    Err(StoreError::from_io(key, error))
}

/// Resets the state for the next statement, after one that Ctrl-C may have ended.
#[cfg(feature = "sql")]
pub(crate) fn renew() {
    ENDED.fetch_add(1, Ordering::SeqCst);
    for session in &*sessions() {
        session.resume();
    }
    if let Some(stores) = STORES.get() {
        stores.resume();
    }
    NOTICED.store(false, Ordering::SeqCst);
    ASKED.store(false, Ordering::SeqCst);
}

/// Registers a session, so that Ctrl-C also cancels work that does not access a store, such as reading files.
pub(crate) fn cancels(session: &Session) {
    sessions().push(session.clone());
    // Ctrl-C may have been pressed before the session was registered.
    if ASKED.load(Ordering::SeqCst) {
        session.cancel();
    }
}

/// Registers the stores, so that Ctrl-C also cancels requests that wait for a server.
#[cfg(feature = "object-store")]
pub(crate) fn cancels_stores(stores: Arc<dyn Stores>) {
    // Set only once per program.
    let _ = STORES.set(stores);
}

fn sessions() -> std::sync::MutexGuard<'static, Vec<Session>> {
    // A panic cannot leave the list half changed, so a poisoned lock is safe to use.
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if a read or write has failed because of Ctrl-C, so that partial results are invalid.
pub(crate) fn is_noticed() -> bool {
    NOTICED.load(Ordering::SeqCst)
        || sessions().iter().any(Session::has_noticed_cancel)
        || STORES
            .get()
            .is_some_and(|stores| stores.has_noticed_cancel())
}

/// Prints the message if the verb failed because of Ctrl-C. Returns whether it did.
pub(crate) fn is_told() -> bool {
    let what = WHAT.get().filter(|_| is_noticed());
    what.inspect(|(what, messages)| tell(what.text, *messages))
        .is_some()
}

fn tell(what: &str, messages: Look) {
    // If standard error is closed, there is nowhere left to report that.
    let _ = writeln!(io::stderr(), "{}", messages.paint(Role::Warning, what));
}
