//! Tables that a query names by path or URI: arrays, and files of Parquet, CSV, JSON and Arrow.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::{TableProvider, UrlTableFactory};
use datafusion::common::Result;
use datafusion::datasource::dynamic_file::DynamicListTableFactory;

use crate::Arrays;
use crate::factory::{TableLookup, TableOptions, open};
use tdb_open::Error;

/// Extensions of files that DataFusion can read itself.
const FILES: [&str; 4] = ["parquet", "csv", "json", "arrow"];

/// Resolves names that no table has.
#[derive(Debug)]
pub(crate) struct NamedByUri {
    pub(crate) arrays: Arc<Arrays>,
    pub(crate) files: Arc<DynamicListTableFactory>,
    pub(crate) missing: Arc<Missing>,
}

/// Error of the last array that was looked up and is missing, which DataFusion cannot pass on.
#[derive(Debug, Default)]
pub(crate) struct Missing(Mutex<Option<Error>>);

impl Missing {
    /// Takes the error recorded since the last call.
    pub(crate) fn take(&self) -> Option<Error> {
        self.place().take()
    }

    fn note(&self, error: Error) {
        *self.place() = Some(error);
    }

    fn place(&self) -> MutexGuard<'_, Option<Error>> {
        // The value is set or not, and never half updated.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl UrlTableFactory for NamedByUri {
    async fn try_new(&self, uri: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let ending = Path::new(uri)
            .extension()
            .and_then(|ending| ending.to_str())
            .map(str::to_lowercase);
        let is_known = ending.is_some_and(|ending| FILES.contains(&&*ending));
        let is_remote = uri.contains("://") && !uri.starts_with("file://");
        if is_known
            && (is_remote || Path::new(uri.trim_start_matches("file://")).is_file())
            && let Some(file) = self.files.try_new(uri).await?
        {
            return Ok(Some(file));
        }
        match open(&self.arrays, uri, TableOptions::of(&self.arrays)).await? {
            TableLookup::Table(table) => Ok(Some(Arc::new(table))),
            TableLookup::Missing(missing) => {
                self.missing.note(missing);
                Ok(None)
            }
        }
    }
}
