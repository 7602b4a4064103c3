//! `CREATE EXTERNAL TABLE … STORED AS TILEDB LOCATION '…'`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::CreateExternalTable;
use tdb_array::TimeWindow;

use crate::Arrays;
use crate::arrays::BoxedError;
use crate::error::external;
use crate::table::ArrayTable;

/// Type of tables that are arrays: `STORED AS TILEDB`.
pub const TABLE_TYPE: &str = "TILEDB";

/// Factory of tables that are arrays.
#[derive(Debug)]
pub(crate) struct ArrayTables {
    pub(crate) arrays: Arc<dyn Arrays>,
}

#[async_trait]
impl TableProviderFactory for ArrayTables {
    async fn create(
        &self,
        _state: &dyn Session,
        asked: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        let [uri] = &asked.locations[..] else {
            return plan_err!("a table of an array has one LOCATION");
        };
        if !asked.schema.fields().is_empty() {
            return plan_err!("the columns of {uri} are known: leave them out of the statement");
        }
        let mut opening = TableOptions::of(&self.arrays);
        for (name, value) in &asked.options {
            // The parser adds a prefix to a name without a dot.
            let time = || self.arrays.time(value).map_err(external);
            match name.strip_prefix("format.").unwrap_or(name) {
                "at" => (opening.window.at, opening.is_past) = (time()?, true),
                "since" => (opening.window.since, opening.is_past) = (time()?, true),
                "key-file" => opening.key_file = Some(value.clone()),
                other => {
                    return plan_err!(
                        "there is no option {other:?} of an array: there are 'at', 'since' and 'key-file'"
                    );
                }
            }
        }
        let table = open(&self.arrays, uri, opening).await?.map_err(external)?;
        Ok(Arc::new(table))
    }
}

/// Options for opening an array as a table.
#[derive(Clone, Debug)]
pub(crate) struct TableOptions {
    pub(crate) window: TimeWindow,
    /// Whether the window is not everything up to now.
    pub(crate) is_past: bool,
    /// File with the array's key, if it is not the key of all tables.
    pub(crate) key_file: Option<String>,
}

impl TableOptions {
    /// Returns the default options, for tables without options of their own.
    pub(crate) fn of(arrays: &Arc<dyn Arrays>) -> Self {
        Self {
            window: arrays.window(),
            is_past: arrays.is_past(),
            key_file: None,
        }
    }
}

/// Opens an array as a table, on a thread that may block. The inner error means that there is no array at this place.
pub(crate) async fn open(
    arrays: &Arc<dyn Arrays>,
    uri: &str,
    opening: TableOptions,
) -> Result<Result<ArrayTable, BoxedError>> {
    let (arrays, uri) = (Arc::clone(arrays), uri.to_owned());
    let opened = tokio::task::spawn_blocking(move || {
        let array = match &opening.key_file {
            None => arrays.open(&uri, opening.window),
            Some(file) => arrays.open_with_key(&uri, opening.window, file),
        };
        let array = match array.map_err(external)? {
            Ok(array) => array,
            Err(missing) => return Ok(Err(missing)),
        };
        let mut table = ArrayTable::new(array, arrays.session().clone(), &uri)?;
        table.is_past = opening.is_past;
        table.key_file = opening.key_file;
        Ok(Ok(table))
    });
    opened.await.map_err(external)?
}
