use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tdb_fragment::{MetadataPart, OpenedPart};
use tdb_tile::Grant;

/// Opened parts of a fragment's metadata.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptParts {
    parts: Arc<Mutex<HashMap<MetadataPart, KeptPart>>>,
}

#[derive(Debug)]
struct KeptPart {
    opened: OpenedPart,
    _held: Grant,
}

impl KeptParts {
    pub(crate) fn get(&self, part: MetadataPart) -> Option<OpenedPart> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        parts.get(&part).map(|kept| kept.opened.clone())
    }

    pub(crate) fn keep(&self, part: MetadataPart, opened: &OpenedPart, held: Grant) {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = KeptPart {
            opened: opened.clone(),
            _held: held,
        };
        parts.insert(part, kept);
    }
}
