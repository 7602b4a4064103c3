//! Warnings about arrays in statements: lost history, and oddities of stored data.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tdb_open::{Array, Result};

type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// Warnings of statements, each reported once.
#[derive(Default)]
pub struct Warnings {
    listener: OnceLock<Listener>,
    told: Mutex<BTreeSet<String>>,
    refuses_gaps: AtomicBool,
}

impl Warnings {
    /// Sets the listener, unless there is one already.
    pub fn tell_to(&self, listener: impl Fn(&str) + Send + Sync + 'static) {
        // The first listener stays.
        let _ = self.listener.set(Box::new(listener));
    }

    /// Sets whether opening an array fails if a part of the requested time can no longer be read.
    pub fn refuse_gaps(&self, refuse: bool) {
        self.refuses_gaps.store(refuse, Ordering::Relaxed);
    }

    pub(crate) fn refuses_gaps(&self) -> bool {
        self.refuses_gaps.load(Ordering::Relaxed)
    }

    /// Reports oddities of an array and, with `is_past`, what can no longer be read as of that time.
    pub(crate) fn of(&self, array: &Array, is_past: bool) -> Result<()> {
        if self.listener.get().is_none() {
            return Ok(());
        }
        let odd = array.warnings().iter().map(ToString::to_string);
        let gaps = if is_past && !self.refuses_gaps() {
            array.gaps()?
        } else {
            Vec::new()
        };
        for warning in odd.chain(gaps.iter().map(ToString::to_string)) {
            self.tell(format!("{}: {warning}", array.uri()));
        }
        Ok(())
    }

    /// Reports a warning, unless it was reported before.
    pub(crate) fn tell(&self, warning: String) {
        let Some(listener) = self.listener.get() else {
            return;
        };
        // Inserting into a set cannot leave it half done, so a poisoned lock is harmless.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(&warning) {
            listener(&warning);
            told.insert(warning);
        }
    }
}

impl fmt::Debug for Warnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Warnings").finish_non_exhaustive()
    }
}
