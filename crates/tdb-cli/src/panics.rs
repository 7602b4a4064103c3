//! Reports panics as defects of tdb.

use std::env;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tdb::engine::array::ErrorKind;

use crate::failure::Failure;
use crate::paint::Look;

/// True if panics are reported immediately, because the program continues after them.
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Message and location of the first panic; later panics may be consequences of it.
static SAID: Mutex<Option<String>> = Mutex::new(None);

/// Installs a panic hook that keeps the message for [`noticed`]. Panics that are converted to errors elsewhere are
/// ignored.
pub(crate) fn listen() {
    let shown = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if tdb::engine::arrow::panics_are_errors() {
            return;
        }
        if AT_ONCE.load(Ordering::Relaxed) {
            let what = of(info);
            // If standard error is closed, there is nowhere left to report that.
            let _ = writeln!(
                io::stderr(),
                "a request failed because of a defect of tdb: {what}"
            );
        }
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        said.get_or_insert_with(|| of(info));
        drop(said);
        if env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            shown(info);
        }
    }));
}

/// Reports panics immediately from now on: a worker continues after a request that panicked.
#[cfg(feature = "distributed")]
pub(crate) fn tell_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

fn of(info: &PanicHookInfo<'_>) -> String {
    let what = info.payload_as_str().unwrap_or("a panic without a text");
    info.location()
        .map_or_else(|| what.to_owned(), |place| format!("{what} ({place})"))
}

/// Runs the program and returns its exit status. A panic is reported and results in the status of a defect.
pub(crate) fn noticed(program: impl FnOnce() -> u8, out: &mut dyn Write, look: Look) -> u8 {
    // `AssertUnwindSafe` is sound, since nothing that the program used is accessed after the panic.
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        let said = SAID
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or_else(|| "an unknown panic".to_owned());
        let failure = Failure::new(ErrorKind::Bug, format!("a defect of tdb: {said}"));
        // If standard error is closed, there is nowhere left to report that.
        let _ = failure.write(out, look);
        failure.status()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_as_a_defect_with_its_place_and_gives_70() {
        let before = panic::take_hook();
        listen();
        let most = u8::try_from(env::args().count()).unwrap_or(1).max(1);
        let mut out = Vec::new();
        let status = noticed(|| u8::MAX + most, &mut out, Look::default());
        let fine = noticed(|| 3, &mut Vec::new(), Look::default());
        panic::set_hook(before);
        assert_eq!((status, fine), (70, 3));
        let told = String::from_utf8(out).unwrap();
        let (error, hint) = told.split_once('\n').unwrap();
        let start =
            "error: a defect of tdb: attempt to add with overflow (crates/tdb-cli/src/panics.rs:";
        assert!(error.starts_with(start), "{told}");
        assert!(
            hint.starts_with("hint: please report it") && hint.contains("https://"),
            "{told}"
        );
    }
}
