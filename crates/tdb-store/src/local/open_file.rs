use std::sync::Arc;

use super::tree::{Opened, Tree};
use crate::{OpenObject, Read, StoreError};

/// A file of a local store, open.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) tree: Arc<dyn Tree>,
    pub(super) key: String,
    pub(super) file: Opened,
}

impl OpenObject for OpenFile {
    fn size(&self) -> u64 {
        self.file.size
    }

    fn read_into(&self, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        let wanted = into.len() as u64;
        Read::bounded(self.key.as_str(), offset, wanted).resolve(self.file.size)?;
        self.tree.read_into(&self.file, &self.key, offset, into)
    }
}
