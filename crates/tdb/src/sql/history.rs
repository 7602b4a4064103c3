//! What statements say of arrays whose past is not all there, and of what else is odd about them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::{Array, Result};

type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// Warnings of statements, each told once.
#[derive(Default)]
pub(super) struct Warnings {
    listener: OnceLock<Listener>,
    told: Mutex<BTreeSet<String>>,
    pub(super) whole_history: AtomicBool,
}

impl Warnings {
    /// Tells them to this listener, unless there is one already.
    pub(super) fn tell_to(&self, listener: impl Fn(&str) + Send + Sync + 'static) {
        // The first one stays.
        let _ = self.listener.set(Box::new(listener));
    }

    /// Tells what is odd about an array, and, of one that is seen in the past, what can no longer be read of that time.
    pub(super) fn of(&self, array: &Array, is_past: bool) -> Result<()> {
        if self.listener.get().is_none() {
            return Ok(());
        }
        let odd = array.warnings().iter().map(ToString::to_string);
        let gaps = if is_past && !self.whole_history.load(Ordering::Relaxed) {
            array.gaps()?
        } else {
            Vec::new()
        };
        let gaps = gaps.iter().map(ToString::to_string);
        for warning in odd.chain(gaps) {
            self.tell(format!("{}: {warning}", array.uri()));
        }
        Ok(())
    }

    /// Tells something, unless it was told before.
    pub(super) fn tell(&self, warning: String) {
        let Some(listener) = self.listener.get() else {
            return;
        };
        // A set of texts has no state that could be half done.
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
