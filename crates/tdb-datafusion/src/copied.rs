//! `COPY` into files: local files appear complete or not at all, and never within an array.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::common::{Result, plan_err};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::dml::CopyTo;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::SessionContext;
use futures_util::stream;
use url::Url;

use crate::arrays::Arrays;
use crate::copy_output::CopyOutput;
use crate::error::external;
use crate::given_up::unless_cancelled;

/// Writes the rows into the files that the statement names, and returns their number as a row.
pub(crate) async fn copy_to_files(
    context: &SessionContext,
    arrays: &Arc<Arrays>,
    mut copy: CopyTo,
) -> Result<SendableRecordBatchStream> {
    let Some(name) = local(&copy.output_url)? else {
        let frame = context
            .execute_logical_plan(LogicalPlan::Copy(copy))
            .await?;
        return frame.execute_stream().await;
    };
    let made = if is_file(&name, &copy) {
        CopyOutput::file(&name)
    } else {
        CopyOutput::folder(&name)
    };
    let made = made.map_err(external)?;
    let mut path = made.path().display().to_string();
    if matches!(made, CopyOutput::Folder(_)) {
        path.push('/');
    }
    copy.output_url = path;
    let frame = context
        .execute_logical_plan(LogicalPlan::Copy(copy))
        .await?;
    let schema = Arc::clone(frame.schema().inner());
    // If dropped midway, the unfinished output is removed.
    let counts = unless_cancelled(arrays.session(), frame.collect()).await??;
    made.finish().map_err(external)?;
    let counts = stream::iter(counts.into_iter().map(Ok));
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, counts)))
}

/// Returns the path of a local file; `None` for other URLs.
fn local(url: &str) -> Result<Option<PathBuf>> {
    if !url.contains("://") {
        return Ok(Some(PathBuf::from(url)));
    }
    let parsed = Url::parse(url).map_err(external)?;
    if parsed.scheme() != "file" {
        return Ok(None);
    }
    match parsed.to_file_path() {
        Ok(path) => Ok(Some(path)),
        Err(()) => plan_err!("{url} is no path of this machine"),
    }
}

/// Decides between file and folder like DataFusion: a name with an extension is one file, unless the statement says
/// otherwise.
fn is_file(name: &Path, copy: &CopyTo) -> bool {
    let said = copy
        .options
        .iter()
        .find(|(option, _)| option.ends_with("single_file_output"));
    let is_single = match said {
        Some((_, said)) => said.trim() == "true",
        None => !copy.output_url.ends_with('/') && name.extension().is_some(),
    };
    is_single && copy.partition_by.is_empty()
}
