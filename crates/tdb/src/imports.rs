use tdb_files::{ImportBuilder, InputFile};

use crate::Context;

impl Context {
    /// Begins an import of a file into an array.
    pub fn import(&self, file: impl Into<InputFile>, uri: &str) -> ImportBuilder {
        tdb_files::import(self, file, uri)
    }
}
