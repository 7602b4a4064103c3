//! Tables that DataFusion has no syntax for: arrays as of a time, and arrays in nested groups.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::{Result, TableReference, plan_err};
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
use datafusion::sql::planner::object_name_to_table_reference;
use datafusion::sql::sqlparser::ast::{
    Ident, ObjectName, ObjectNamePart, TableAlias, TableFactor, VisitorMut,
};

use crate::Arrays;
use crate::error::external;
use crate::factory::{TableOptions, open};
use crate::statements::{AS_OF, visit};
use crate::table::ArrayTable;

/// Table as of a time.
pub(crate) struct TableAtTime {
    /// Replacement name in the statement.
    name: String,
    /// Name that the user gave, without the time.
    table: ObjectName,
    time: String,
}

/// Renames the tables of a statement to names that DataFusion accepts: arrays in nested groups get the name that
/// `schema` has for them, and tables as of a time get temporary names, which must be [added](OwnTables::add).
pub(crate) fn rename(statement: &mut Statement, schema: &dyn SchemaProvider) -> Vec<TableAtTime> {
    let mut renamer = Renamer {
        schema,
        timed: Vec::new(),
    };
    visit(statement, &mut renamer);
    renamer.timed
}

struct Renamer<'a> {
    schema: &'a dyn SchemaProvider,
    timed: Vec<TableAtTime>,
}

impl Renamer<'_> {
    /// Renames a table if needed, and returns the last part of its old name in that case.
    fn rename(&mut self, name: &mut ObjectName) -> Option<Ident> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let time = take_time(name);
        let called = name.0.last().and_then(|part| part.as_ident()).cloned();
        let member = self.member(name);
        if let Some(member) = &member {
            *name = vec![quoted(member)].into();
        }
        let Some(time) = time else {
            return called.filter(|_| member.is_some());
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = format!("{name} as of {time} ({number})");
        let table = std::mem::replace(name, vec![quoted(&own)].into());
        self.timed.push(TableAtTime {
            name: own,
            table,
            time,
        });
        called
    }

    /// Returns the schema's name for an array in a nested group, such as `ms.RNA.var`; unquoted parts match in lower
    /// case too.
    fn member(&self, name: &ObjectName) -> Option<String> {
        let parts = name
            .0
            .iter()
            .map(|part| part.as_ident())
            .collect::<Option<Vec<&Ident>>>()?;
        if parts.len() < 2 {
            return None;
        }
        let joined = |part: fn(&Ident) -> String| {
            let parts: Vec<String> = parts.iter().map(|ident| part(ident)).collect();
            parts.join(".")
        };
        let typed = joined(|ident| ident.value.clone());
        let lower = joined(|ident| match ident.quote_style {
            None => ident.value.to_lowercase(),
            Some(_) => ident.value.clone(),
        });
        let mut names = [typed, lower].into_iter();
        names.find(|name| self.schema.table_exist(name))
    }
}

/// Returns a quoted identifier, so that its case is kept.
fn quoted(name: impl Into<String>) -> Ident {
    Ident::with_quote('"', name)
}

impl VisitorMut for Renamer<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, alias, .. } = factor else {
            return ControlFlow::Continue(());
        };
        let called = self.rename(name);
        // Columns are qualified by the last part of the name that the user typed.
        if alias.is_none() {
            *alias = called.map(|name| TableAlias {
                explicit: true,
                name,
                columns: Vec::new(),
                at: None,
            });
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &mut ObjectName) -> ControlFlow<()> {
        self.rename(name);
        ControlFlow::Continue(())
    }
}

/// Temporary tables of one statement; removed on drop.
pub(crate) struct OwnTables<'a> {
    context: &'a SessionContext,
    names: Vec<String>,
}

impl<'a> OwnTables<'a> {
    pub(crate) fn new(context: &'a SessionContext) -> Self {
        Self {
            context,
            names: Vec::new(),
        }
    }

    /// Opens an array as of a time.
    ///
    /// # Errors
    /// A table that is not an array or does not exist; text that is not a time.
    pub(crate) async fn add(&mut self, timed: TableAtTime, arrays: &Arc<Arrays>) -> Result<()> {
        let state = self.context.state();
        let name = object_name_to_table_reference(
            timed.table.clone(),
            state.config_options().sql_parser.enable_ident_normalization,
        )?;
        let time = arrays.time(&timed.time).map_err(external)?;
        let shared = self.context.table_provider(name).await?;
        let provider: &dyn TableProvider = shared.as_ref();
        let Some(table) = provider.downcast_ref::<ArrayTable>() else {
            return plan_err!("{} is no array, and has no past", timed.table);
        };
        let mut opening = TableOptions {
            window: table.array().window(),
            is_past: true,
            key_file: table.key_file.clone(),
        };
        opening.window.at = time;
        let table = open(arrays, table.uri(), opening).await?.table()?;
        let name = TableReference::bare(timed.name.clone());
        self.context.register_table(name, Arc::new(table))?;
        self.names.push(timed.name);
        Ok(())
    }
}

impl Drop for OwnTables<'_> {
    fn drop(&mut self) {
        for name in &self.names {
            // The name is unique, so a table left behind would only show up in `show tables`.
            let _ = self.context.deregister_table(TableReference::bare(&**name));
        }
    }
}

/// Removes the time from a name, and returns it.
fn take_time(name: &mut ObjectName) -> Option<String> {
    let Some(ObjectNamePart::Identifier(last)) = name.0.last_mut() else {
        return None;
    };
    let (table, time) = last.value.split_once(AS_OF)?;
    let (table, time) = (table.to_owned(), time.to_owned());
    last.value = table;
    Some(time)
}
