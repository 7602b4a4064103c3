//! Sizes of files without statistics, by which a join chooses the input that it has in memory.
//!
//! DataFusion 55.2 knows nothing of files of text (CSV, JSON): a join of a large array with a small file had the array
//! in memory, where it was named first.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, Statistics};
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::ExecutionPlan;

/// Name of the rule of DataFusion that chooses.
const CHOOSES: &str = "join_selection";

/// Estimated length of a value in a file of text, with what is around it.
const VALUE: u64 = 8;

/// Estimated number of bytes for each one of a compressed file.
const UNPACKED: u64 = 5;

/// Extensions of compressed files.
const PACKED: [&str; 2] = ["gz", "zst"];

/// Optimizer rule that estimates the rows of files by their sizes.
#[derive(Debug)]
struct FileSizes;

/// Returns the rules of DataFusion, with this one before the one that chooses.
pub(crate) fn physical_rules() -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> = Vec::new();
    for rule in PhysicalOptimizer::new().rules {
        if rule.name() == CHOOSES {
            rules.push(Arc::new(FileSizes));
        }
        rules.push(rule);
    }
    rules
}

impl PhysicalOptimizerRule for FileSizes {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let estimated = plan.transform_up(|node| {
            let source = node.downcast_ref::<DataSourceExec>();
            let files = source.and_then(|s| s.data_source().downcast_ref::<FileScanConfig>());
            let Some((files, statistics)) = files.and_then(|f| Some((f, estimate(f)?))) else {
                return Ok(Transformed::no(node));
            };
            let files = FileScanConfigBuilder::from(files.clone()).with_statistics(statistics);
            let node = DataSourceExec::from_data_source(files.build());
            Ok(Transformed::yes(node as _))
        });
        Ok(estimated?.data)
    }

    fn name(&self) -> &'static str {
        "file_sizes"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the estimated statistics of files; `None` if better ones are known.
fn estimate(files: &FileScanConfig) -> Option<Statistics> {
    let mut statistics = files.statistics();
    if statistics.num_rows.get_value().is_some() || statistics.total_byte_size.get_value().is_some()
    {
        return None;
    }
    let all = files.file_groups.iter().flat_map(|group| group.files());
    let mut sizes = all.map(|file| {
        let packed = file.object_meta.location.extension();
        let is_packed = packed.is_some_and(|packed| PACKED.contains(&packed));
        let factor = if is_packed { UNPACKED } else { 1 };
        file.object_meta.size.checked_mul(factor)
    });
    let bytes = sizes.try_fold(0_u64, |all, size| all.checked_add(size?))?;
    let columns = u64::try_from(files.file_schema().fields().len()).ok()?;
    let rows = bytes / VALUE / columns.max(1);
    statistics.num_rows = Precision::Inexact(usize::try_from(rows).ok()?);
    Some(statistics)
}
