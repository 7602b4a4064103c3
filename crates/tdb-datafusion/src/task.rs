//! Description of a scan for another process.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, Statistics, internal_datafusion_err, plan_err};
use tdb_array::TimeWindow;
use tdb_condition::Condition;
use tdb_query::ResultOrder;
use tdb_tile::Range;

use crate::scan::ArrayScan;
use crate::table::ArrayTable;

/// Description of a scan: enough for another process, on another machine, to read the same cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanTask {
    /// URI of the array, as the user gave it.
    pub uri: String,
    /// Time window that the array was opened for.
    pub window: TimeWindow,
    /// Fields to read, in the order of the columns.
    pub columns: Vec<String>,
    /// Condition that cells must match.
    pub condition: Option<Condition>,
    /// Maximum number of cells of each partition.
    pub limit: Option<usize>,
    /// Whether each partition returns its cells in row-major order.
    pub is_row_major: bool,
    /// Ranges of dimensions for each partition; other dimensions are read whole.
    pub parts: Vec<Vec<(String, Range)>>,
    /// Number of partitions: that of the parts, or more; the partitions beyond the parts are empty.
    pub partitions: usize,
}

impl ArrayScan {
    /// Returns the table that is read.
    #[must_use]
    pub fn table(&self) -> ArrayTable {
        ArrayTable::of_source(Arc::clone(&self.source))
    }

    /// Returns the number of parts that can be read side by side.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    /// Returns the approximate number of cells that are read; `None` if unknown.
    #[must_use]
    pub fn rows(&self) -> Option<usize> {
        self.statistics.num_rows.get_value().copied()
    }

    /// Returns the description of the scan. It omits filters that become known only while a query runs: without them,
    /// more is read.
    ///
    /// # Errors
    /// Only bugs.
    pub fn task(&self) -> Result<ScanTask> {
        let columns = self.columns.iter().map(|column| {
            let field = self
                .source
                .fields
                .get(*column)
                .ok_or_else(|| internal_datafusion_err!("no column {column}"))?;
            Ok(field.name.clone())
        });
        Ok(ScanTask {
            uri: self.source.uri.clone(),
            window: self.source.array.window(),
            columns: columns.collect::<Result<_>>()?,
            condition: self.condition.clone(),
            limit: self.limit,
            is_row_major: self.order == ResultOrder::RowMajor,
            parts: self.parts.to_vec(),
            partitions: self.partitions,
        })
    }

    /// Creates the scan that a task describes, on the table of its array.
    ///
    /// # Errors
    /// A column that the array does not have; more parts than partitions.
    pub fn of_task(table: &ArrayTable, task: ScanTask) -> Result<Self> {
        let source = table.source();
        let columns = task
            .columns
            .iter()
            .map(|name| {
                let place = source.fields.iter().position(|field| field.name == *name);
                place.ok_or_else(|| DataFusionError::Plan(format!("{} has no {name:?}", task.uri)))
            })
            .collect::<Result<Vec<usize>>>()?;
        if task.parts.len() > task.partitions {
            let (parts, partitions) = (task.parts.len(), task.partitions);
            return plan_err!("{parts} parts of {} for {partitions} partitions", task.uri);
        }
        let statistics = Statistics::new_unknown(&source.schema.project(&columns)?);
        let scan = Self::new(
            source,
            columns,
            task.condition,
            task.limit,
            task.parts,
            statistics,
        )?;
        let order = if task.is_row_major {
            ResultOrder::RowMajor
        } else {
            ResultOrder::Unordered
        };
        scan.with_partitions(order, task.partitions)
    }

    /// Splits the scan into `count` scans, each with a contiguous share of the parts along the dimension of the
    /// split. All have the same number of partitions.
    ///
    /// # Errors
    /// Only bugs.
    pub fn shares(&self, count: usize) -> Result<Vec<Self>> {
        let parts = self.parts.len();
        let partitions = parts.div_ceil(count.max(1)).max(1);
        let edge = |share: usize| (share * parts).checked_div(count).unwrap_or(parts);
        let shares = (0..count).map(|share| {
            let own = self.parts.get(edge(share)..edge(share + 1));
            let mut scan = self.clone();
            let own = own.ok_or_else(|| internal_datafusion_err!("a share beyond the parts"))?;
            scan.parts = Arc::new(own.to_vec());
            scan.with_partitions(self.order, partitions)
        });
        shares.collect()
    }
}
