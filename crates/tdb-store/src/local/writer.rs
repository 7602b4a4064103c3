//! Writer of a new file.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use super::tree::{Draft, Tree};
use crate::{ObjectWriter, StoreError};

/// A file that is being written: a draft until it is published under its key.
#[derive(Debug)]
pub(super) struct LocalWriter {
    tree: Arc<dyn Tree>,
    key: String,
    /// `None` after publication.
    draft: Option<Draft>,
}

impl ObjectWriter for LocalWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(draft) = &mut self.draft else {
            return Ok(());
        };
        let written = draft.file.write_all(bytes);
        written.map_err(|error| StoreError::from_io(&self.key, error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), StoreError> {
        let Some(folder) = self.publish()? else {
            return Ok(());
        };
        let synced = self.tree.syncs().folder(&folder);
        synced.map_err(|error| StoreError::from_io(&self.key, error))
    }

    fn place(mut self: Box<Self>) -> Result<(), StoreError> {
        self.publish().map(drop)
    }
}

impl LocalWriter {
    pub(super) fn new(tree: &Arc<dyn Tree>, key: &str, draft: Draft) -> Self {
        Self {
            tree: Arc::clone(tree),
            key: key.to_owned(),
            draft: Some(draft),
        }
    }

    /// Syncs the bytes to disk and gives the file its name. Returns the folder, to be synced; `None` where folders
    /// cannot be synced.
    fn publish(&mut self) -> Result<Option<File>, StoreError> {
        let Some(draft) = &self.draft else {
            return Ok(None);
        };
        let synced = self.tree.syncs().file(&draft.file);
        synced.map_err(|error| StoreError::from_io(&self.key, error))?;
        let folder = self.tree.publish(draft, &self.key)?;
        self.draft = None;
        Ok(folder)
    }
}

impl Drop for LocalWriter {
    fn drop(&mut self) {
        if let Some(draft) = self.draft.take() {
            self.tree.discard(draft);
        }
    }
}
