//! Tables that a query names by path or URI: arrays, and files of Parquet, CSV, JSON lines and Arrow.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::{TableProvider, UrlTableFactory};
use datafusion::common::{Result, internal_datafusion_err, plan_err};
use datafusion::datasource::dynamic_file::DynamicListTableFactory;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::execution::SessionState;

use crate::Arrays;
use crate::factory::{TableLookup, TableOptions, open};
use crate::packed::is_packed;
use tdb_open::Error;

/// Extensions of files that DataFusion can read itself.
const FILES: [&str; 6] = ["parquet", "csv", "json", "jsonl", "ndjson", "arrow"];

/// Extensions of files of text, which may be compressed.
const TEXTS: [&str; 4] = ["csv", "json", "jsonl", "ndjson"];

/// Extensions of files that are compressed in a way that is not read.
const NOT_READ: [&str; 2] = ["bz2", "xz"];

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

/// Returns the extension of a name in lower case, and what is before it.
fn ending(name: &str) -> Option<(&str, String)> {
    let (stem, ending) = name.rsplit_once('.')?;
    Some((stem, ending.to_lowercase()))
}

impl NamedByUri {
    /// Returns the table of a file of compressed text; `None` for other files.
    async fn packed(&self, uri: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let Some((stem, packed)) = ending(uri) else {
            return Ok(None);
        };
        let text = ending(stem).map(|(_, text)| text);
        let Some(text) = text.filter(|text| TEXTS.contains(&&**text)) else {
            return Ok(None);
        };
        if NOT_READ.contains(&&*packed) {
            return plan_err!(
                "{uri}: text is read that is compressed with gzip (.gz) or zstd (.zst)"
            );
        }
        if !is_packed(uri) {
            return Ok(None);
        }
        let session = self.files.session_store().get_session().upgrade();
        let no_session = || internal_datafusion_err!("a query without a session");
        let state = session
            .and_then(|session| {
                let session = session.read();
                session.as_any().downcast_ref::<SessionState>().cloned()
            })
            .ok_or_else(no_session)?;
        let no_format = || internal_datafusion_err!("no format of {text}");
        let factory = state.get_file_format_factory(&text).ok_or_else(no_format)?;
        let format = factory.create(&state, &HashMap::new())?;
        let table = ListingTableConfig::new(ListingTableUrl::parse(uri)?)
            .with_listing_options(ListingOptions::new(format).with_file_extension(""))
            .infer_schema(&state)
            .await?;
        Ok(Some(Arc::new(ListingTable::try_new(table)?)))
    }
}

#[async_trait]
impl UrlTableFactory for NamedByUri {
    async fn try_new(&self, uri: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let is_known = ending(uri).is_some_and(|(_, ending)| FILES.contains(&&*ending));
        let is_remote = uri.contains("://") && !uri.starts_with("file://");
        if is_remote || Path::new(uri.trim_start_matches("file://")).is_file() {
            let file = match self.packed(uri).await? {
                None if is_known => self.files.try_new(uri).await?,
                packed => packed,
            };
            if file.is_some() {
                return Ok(file);
            }
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
