//! Plans that were refused: who asks for their rows is told why.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prost::Message;
use tokio::sync::watch;
use tonic::{Code, Status};

use crate::messages::{EngineError, TaskKey};

/// Refusals that are remembered.
const KEPT: usize = 256;

/// The last plans that were refused. A query sends a plan and asks for its rows at the same time, so that the engine would be asked
/// for rows of a plan that it never gets, and wait.
pub(crate) struct Refused {
    recent: Mutex<VecDeque<(TaskKey, String)>>,
    added: watch::Sender<()>,
}

impl Default for Refused {
    fn default() -> Self {
        Self {
            recent: Mutex::default(),
            added: watch::Sender::new(()),
        }
    }
}

impl Refused {
    pub(crate) fn add(&self, key: TaskKey, reason: String) {
        let mut recent = self.recent();
        recent.push_back((key, reason));
        while recent.len() > KEPT {
            recent.pop_front();
        }
        drop(recent);
        self.added.send_replace(());
    }

    /// Why a plan was refused, as the engine tells its errors: who asks may be a worker, which hands it on. Of a plan that was not
    /// refused, this never ends.
    pub(crate) async fn of(&self, key: &TaskKey) -> Status {
        let mut added = self.added.subscribe();
        loop {
            let reason = self.reason(key);
            if reason.is_some() {
                let details = EngineError { execution: reason }.encode_to_vec();
                return Status::with_details(Code::Internal, "DataFusionError", details.into());
            }
            // The sender lives as long as this does.
            let _ = added.changed().await;
        }
    }

    fn reason(&self, key: &TaskKey) -> Option<String> {
        let recent = self.recent();
        let found = recent.iter().find(|(other, _)| other == key);
        found.map(|(_, reason)| reason.clone())
    }

    fn recent(&self) -> MutexGuard<'_, VecDeque<(TaskKey, String)>> {
        // A list of refusals has no state that could be half done.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
