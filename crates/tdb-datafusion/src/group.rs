//! The arrays of a group as tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider, TableProvider};
use datafusion::common::Result;

use crate::factory::open;
use crate::{Arrays, Member};

/// A schema of DataFusion whose tables are the arrays of a group, by their names in it; each is opened when a query names it.
/// Others can be registered besides.
#[derive(Debug)]
pub struct GroupTables {
    arrays: Arc<dyn Arrays>,
    members: BTreeMap<String, String>,
    others: MemorySchemaProvider,
}

impl GroupTables {
    /// The tables of these members.
    #[must_use]
    pub fn new(arrays: Arc<dyn Arrays>, members: Vec<Member>) -> Self {
        let members = members.into_iter();
        Self {
            arrays,
            members: members.map(|member| (member.name, member.uri)).collect(),
            others: MemorySchemaProvider::new(),
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
        if let Some(table) = self.others.table(name).await? {
            return Ok(Some(table));
        }
        let Some(uri) = self.members.get(name) else {
            return Ok(None);
        };
        let window = self.arrays.window();
        Ok(Some(Arc::new(open(&self.arrays, uri, window).await?)))
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
