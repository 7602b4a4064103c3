//! Recently refused plans, so that requests for their rows fail with the reason.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prost::Message;
use tokio::sync::watch;
use tonic::{Code, Status};

use crate::messages::{EngineError, TaskKey};

/// Number of refusals kept.
const KEPT: usize = 256;

/// The most recently refused plans. A client sends a plan and requests its rows concurrently. Without this list, the
/// engine would wait for a plan that never arrives.
pub(crate) struct RefusedPlans {
    recent: Mutex<VecDeque<(TaskKey, String)>>,
    added: watch::Sender<()>,
}

impl Default for RefusedPlans {
    fn default() -> Self {
        Self {
            recent: Mutex::default(),
            added: watch::Sender::new(()),
        }
    }
}

impl RefusedPlans {
    pub(crate) fn add(&self, key: TaskKey, reason: String) {
        let mut recent = self.recent();
        recent.push_back((key, reason));
        while recent.len() > KEPT {
            recent.pop_front();
        }
        drop(recent);
        self.added.send_replace(());
    }

    /// Waits until the plan is refused and returns the reason, in the engine's error encoding, since the caller may
    /// be a worker that forwards it. Never completes for a plan that is not refused.
    pub(crate) async fn of(&self, key: &TaskKey) -> Status {
        let mut added = self.added.subscribe();
        loop {
            let reason = self.reason(key);
            if reason.is_some() {
                let details = EngineError { execution: reason }.encode_to_vec();
                return Status::with_details(Code::Internal, "DataFusionError", details.into());
            }
            // The sender lives as long as `self`.
            let _ = added.changed().await;
        }
    }

    fn reason(&self, key: &TaskKey) -> Option<String> {
        let recent = self.recent();
        let found = recent.iter().find(|(other, _)| other == key);
        found.map(|(_, reason)| reason.clone())
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<(TaskKey, String)>> {
        // A panic cannot leave the list half changed, so a poisoned lock is safe to use.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
