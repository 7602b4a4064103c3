//! `DROP TABLE`; DataFusion 55.2 silently does nothing for a table that is named by its URI.

use datafusion::logical_expr::{DropTable, TableType};
use datafusion::prelude::SessionContext;

use crate::error::SqlError;

/// Removes a table that was created or registered; arrays named by their URIs are not among these.
pub(crate) async fn drop_table(context: &SessionContext, drop: &DropTable) -> Result<(), SqlError> {
    let name = &drop.name;
    let table = if context.table_exist(name.clone())? {
        Some(context.table_provider(name.clone()).await?)
    } else {
        None
    };
    if table.is_some_and(|table| table.table_type() == TableType::View) {
        let what = format!("{name} is a view: drop view {name}");
        return Err(SqlError::statement(what));
    }
    if context.deregister_table(name.clone())?.is_none() && !drop.if_exists {
        let what = format!(
            "no table {name} was created here: DROP TABLE forgets what CREATE EXTERNAL TABLE named, and removes no array (`tdb rm` does)"
        );
        return Err(SqlError::statement(what));
    }
    Ok(())
}
