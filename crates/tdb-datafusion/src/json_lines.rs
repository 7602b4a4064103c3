//! Files with an object of JSON in each line: `.json`, `.jsonl` and `.ndjson`.
//!
//! DataFusion 55.2 knows only `.json`, and has the whole file in memory to look at its columns, unless it is a local
//! one whose lines are not bounded.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use bytes::Bytes;
use datafusion::catalog::Session;
use datafusion::common::{GetExt, Result, Statistics};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::json::{JsonFormat, JsonFormatFactory};
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::object_store::memory::InMemory;
use datafusion::object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::ExecutionPlan;
use futures_util::TryStreamExt;

/// Extensions of these files.
pub(crate) const JSON_LINES: [&str; 3] = ["json", "jsonl", "ndjson"];

/// Bytes of a file that its columns are determined from; a line that begins there is read to its end.
const BEGINNING: usize = 8 << 20;

/// Makes the format of files with one of these extensions.
#[derive(Debug)]
struct JsonLines {
    ending: &'static str,
    json: JsonFormatFactory,
}

/// Returns the formats of files with these extensions, in the place of the one of DataFusion.
pub(crate) fn with_json_lines(
    formats: Vec<Arc<dyn FileFormatFactory>>,
) -> Vec<Arc<dyn FileFormatFactory>> {
    let others = formats
        .into_iter()
        .filter(|format| !JSON_LINES.contains(&&*format.get_ext()));
    let own = JSON_LINES.map(|ending| {
        let json = JsonFormatFactory::new();
        Arc::new(JsonLines { ending, json }) as Arc<dyn FileFormatFactory>
    });
    others.chain(own).collect()
}

impl GetExt for JsonLines {
    fn get_ext(&self) -> String {
        self.ending.to_owned()
    }
}

impl FileFormatFactory for JsonLines {
    fn create(
        &self,
        state: &dyn Session,
        options: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let json = self.json.create(state, options)?;
        Ok(Arc::new(ByBeginning { json }))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        let json = FileFormatFactory::default(&self.json);
        Arc::new(ByBeginning { json })
    }
}

/// JSON whose columns are determined from the beginning of a file.
struct ByBeginning {
    json: Arc<dyn FileFormat>,
}

impl fmt::Debug for ByBeginning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.json.fmt(f)
    }
}

/// Returns the first lines of a file.
async fn beginning(store: &dyn ObjectStore, file: &ObjectMeta) -> Result<Bytes> {
    let mut chunks = store.get(&file.location).await?.into_stream();
    let mut text = Vec::new();
    let mut is_whole = true;
    while let Some(chunk) = chunks.try_next().await? {
        text.extend_from_slice(&chunk);
        if text.len() >= BEGINNING && text.contains(&b'\n') {
            is_whole = false;
            break;
        }
    }
    if !is_whole && let Some(end) = text.iter().rposition(|byte| *byte == b'\n') {
        text.truncate(end);
    }
    Ok(text.into())
}

#[async_trait]
impl FileFormat for ByBeginning {
    fn get_ext(&self) -> String {
        self.json.get_ext()
    }

    fn get_ext_with_compression(&self, compression: &FileCompressionType) -> Result<String> {
        self.json.get_ext_with_compression(compression)
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        self.json.compression_type()
    }

    async fn infer_schema(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        files: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        let format: &dyn Any = &*self.json;
        let json = format.downcast_ref::<JsonFormat>();
        if !json.is_some_and(|json| json.options().newline_delimited) {
            // The beginning of an array of objects is none.
            return self.json.infer_schema(state, store, files).await;
        }
        let beginnings: Arc<dyn ObjectStore> = Arc::new(InMemory::new());
        for file in files {
            let lines = beginning(&**store, file).await?;
            beginnings.put(&file.location, lines.into()).await?;
        }
        self.json.infer_schema(state, &beginnings, files).await
    }

    async fn infer_stats(
        &self,
        state: &dyn Session,
        store: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        file: &ObjectMeta,
    ) -> Result<Statistics> {
        self.json.infer_stats(state, store, schema, file).await
    }

    async fn create_physical_plan(
        &self,
        state: &dyn Session,
        files: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.json.create_physical_plan(state, files).await
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        state: &dyn Session,
        files: FileSinkConfig,
        order: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.json
            .create_writer_physical_plan(input, state, files, order)
            .await
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        self.json.file_source(schema)
    }
}
