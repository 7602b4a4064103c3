//! `CREATE EXTERNAL TABLE … STORED AS TILEDB LOCATION '…'`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::CreateExternalTable;
use tdb_array::TimeWindow;

use crate::Arrays;
use crate::error::external;
use crate::table::ArrayTable;
use tdb_open::{Error, ErrorKind};

/// Type of tables that are arrays: `STORED AS TILEDB`.
pub const TABLE_TYPE: &str = "TILEDB";

/// Factory of tables that are arrays.
#[derive(Debug)]
pub(crate) struct ArrayTables {
    pub(crate) arrays: Arc<Arrays>,
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
        let table = open(&self.arrays, uri, opening).await?.table()?;
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
    pub(crate) fn of(arrays: &Arc<Arrays>) -> Self {
        Self {
            window: arrays.window(),
            is_past: arrays.is_past(),
            key_file: None,
        }
    }
}

/// What a name leads to.
pub(crate) enum TableLookup {
    /// An array.
    Table(ArrayTable),
    /// There is no array at this place.
    Missing(Error),
}

impl TableLookup {
    /// Returns the table; a missing array is an error.
    pub(crate) fn table(self) -> Result<ArrayTable> {
        match self {
            Self::Table(table) => Ok(table),
            Self::Missing(error) => Err(external(error)),
        }
    }
}

/// Opens an array as a table, on a thread that may block.
pub(crate) async fn open(
    arrays: &Arc<Arrays>,
    uri: &str,
    opening: TableOptions,
) -> Result<TableLookup> {
    let (arrays, uri) = (Arc::clone(arrays), uri.to_owned());
    let opened = tokio::task::spawn_blocking(move || {
        let array = match &opening.key_file {
            None => arrays.open(&uri, opening.window),
            Some(file) => arrays.open_with_key(&uri, opening.window, file),
        };
        let array = match array {
            Ok(array) => array,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(TableLookup::Missing(error));
            }
            Err(error) => return Err(external(error)),
        };
        let mut table = ArrayTable::new(array, arrays.session().clone(), &uri)?;
        table.is_past = opening.is_past;
        table.key_file = opening.key_file;
        Ok(TableLookup::Table(table))
    });
    opened.await.map_err(external)?
}
