//! Ctrl-C, and the signals by which systems end programs: what is at work fails at the next bytes that it reads or writes, and so
//! takes back what it has begun, as it does after any error.

use std::io::{self, Write};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use tdb::Stores;
use tdb_cells::Session;
use tdb_store::StoreError;

use crate::paint::{Look, Role};

/// The exit status of a program that Ctrl-C ended, as shells have it.
pub(crate) const STATUS: u8 = 130;

/// How long reading or writing is waited for: what waits for a pipe does neither.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether Ctrl-C was pressed.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether reading or writing has failed by it.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Statements that have ended, of those that are typed one by one.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// The sessions of the program.
static SESSIONS: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// The stores of the program that wait for servers.
static STORES: OnceLock<Arc<dyn Stores>> = OnceLock::new();

/// What is said of the verb that is at work.
static WHAT: OnceLock<(Told, Look)> = OnceLock::new();

/// What is said of a verb that was interrupted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// Once it has taken back what it had begun.
    pub(crate) text: &'static str,
    /// Where nothing was read or written for some seconds, so that nothing was taken back.
    pub(crate) unnoticed: &'static str,
}

/// Listens to Ctrl-C while a verb is at work, of which `what` is said then. Pressed again, it ends the program at once.
pub(crate) fn listen(what: Told, messages: Look) {
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
        // The next press must be heard, too.
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
    // Where it cannot be listened to, the system ends the program as it does others.
    let _ = ctrlc::set_handler(pressed);
    let _ = WHAT.set((what, messages));
}

/// Fails after Ctrl-C.
pub(crate) fn check(key: &str) -> Result<(), StoreError> {
    if !ASKED.load(Ordering::Relaxed) {
        return Ok(());
    }
    NOTICED.store(true, Ordering::SeqCst);
    let error = io::Error::new(io::ErrorKind::Interrupted, "interrupted");
    Err(StoreError::from_io(key, error))
}

/// Lets the next statement run, after one that Ctrl-C may have ended.
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

/// Has Ctrl-C end what a session does, too: reading of files, which asks nothing of a store.
pub(crate) fn cancels(session: &Session) {
    sessions().push(session.clone());
    // It may have been pressed before the session was among them.
    if ASKED.load(Ordering::SeqCst) {
        session.cancel();
    }
}

/// Has Ctrl-C end what waits for the answer of a server, too.
#[cfg(feature = "object-store")]
pub(crate) fn cancels_stores(stores: Arc<dyn Stores>) {
    // There is one for the whole program.
    let _ = STORES.set(stores);
}

fn sessions() -> std::sync::MutexGuard<'static, Vec<Session>> {
    // A list of sessions has no state that could be half done.
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether reading or writing has failed by Ctrl-C: what was found so far means nothing.
pub(crate) fn is_noticed() -> bool {
    NOTICED.load(Ordering::SeqCst)
        || sessions().iter().any(Session::has_noticed_cancel)
        || STORES
            .get()
            .is_some_and(|stores| stores.has_noticed_cancel())
}

/// Says that a verb failed by Ctrl-C, if it did.
pub(crate) fn is_told() -> bool {
    let what = WHAT.get().filter(|_| is_noticed());
    what.inspect(|(what, messages)| tell(what.text, *messages))
        .is_some()
}

fn tell(what: &str, messages: Look) {
    // There is nowhere left to tell that standard error is gone.
    let _ = writeln!(io::stderr(), "{}", messages.paint(Role::Warning, what));
}
