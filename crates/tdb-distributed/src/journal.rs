//! Messages of a worker to its owner.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A callback that receives messages, one sentence each.
pub(crate) type Listener = Arc<dyn Fn(&str) + Send + Sync>;

/// Number of messages allowed per time span; further messages are only counted.
const MOST: u32 = 20;
const SPAN: Duration = Duration::from_secs(10);

/// Reports refusals and failures to the owner. The rate is limited, so that strangers cannot fill the disk with log
/// messages.
#[derive(Clone, Default)]
pub(crate) struct Journal {
    listener: Option<Listener>,
    told: Arc<Mutex<MessageCounts>>,
}

#[derive(Default)]
struct MessageCounts {
    since: Option<Instant>,
    count: u32,
    kept_back: u64,
}

impl Journal {
    pub(crate) fn new(listener: Option<Listener>) -> Self {
        Self {
            listener,
            told: Arc::default(),
        }
    }

    /// Reports a message, or only counts it once the limit of the time span is reached.
    pub(crate) fn tell(&self, what: impl fmt::Display) {
        let Some(listener) = &self.listener else {
            return;
        };
        // A panic cannot leave these numbers half changed, so a poisoned lock is safe to use.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.since.is_none_or(|since| since.elapsed() >= SPAN) {
            let kept_back = std::mem::take(&mut told.kept_back);
            told.since = Some(Instant::now());
            told.count = 0;
            if kept_back > 0 {
                listener(&format!(
                    "{kept_back} more messages of this kind were suppressed"
                ));
            }
        }
        if told.count >= MOST {
            told.kept_back += 1;
            return;
        }
        told.count += 1;
        drop(told);
        listener(&what.to_string());
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_to_read_is_counted() {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let listener = Arc::clone(&said);
        let journal = Journal::new(Some(Arc::new(move |what: &str| {
            listener.lock().unwrap().push(what.to_owned());
        })));
        for number in 0..1000 {
            journal.tell(number);
        }
        assert_eq!(said.lock().unwrap().len(), MOST as usize);
        journal.told.lock().unwrap().since = Instant::now().checked_sub(SPAN);
        journal.tell("again");
        let said = said.lock().unwrap();
        assert_eq!(
            said[MOST as usize..],
            ["980 more messages of this kind were suppressed", "again"]
        );
    }
}
