//! Arrays of a group as tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::Result;

use crate::arrays::{Arrays, Member};
use crate::factory::{TableOptions, open};

/// Schema of DataFusion with the arrays of a group, and of the groups in it, as tables, by their names with dots
/// between them. An array is opened when a query names it. All other tables are those of another schema.
#[derive(Debug)]
pub struct GroupTables {
    arrays: Arc<Arrays>,
    members: BTreeMap<String, String>,
    others: Arc<dyn SchemaProvider>,
}

impl GroupTables {
    /// Creates a schema from the members of a group and another schema.
    #[must_use]
    pub(crate) fn new(
        arrays: Arc<Arrays>,
        members: Vec<Member>,
        others: Arc<dyn SchemaProvider>,
    ) -> Self {
        let members = members.into_iter();
        Self {
            arrays,
            members: members.map(|member| (member.name, member.uri)).collect(),
            others,
        }
    }
}

#[async_trait]
impl SchemaProvider for GroupTables {
    fn table_names(&self) -> Vec<String> {
        let mut names = self.others.table_names();
        names.extend(self.members.keys().cloned());
        names
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let Some(uri) = self.members.get(name) else {
            return self.others.table(name).await;
        };
        let opened = open(&self.arrays, uri, TableOptions::of(&self.arrays)).await?;
        Ok(Some(Arc::new(opened.table()?)))
    }

    fn register_table(
        &self,
        name: String,
        table: Arc<dyn TableProvider>,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        self.others.register_table(name, table)
    }

    fn deregister_table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        self.others.deregister_table(name)
    }

    fn table_exist(&self, name: &str) -> bool {
        self.members.contains_key(name) || self.others.table_exist(name)
    }
}
