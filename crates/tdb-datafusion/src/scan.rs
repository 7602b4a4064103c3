//! Plan node that reads an array.

use std::fmt;
use std::sync::Arc;

use arrow_schema::{SchemaRef, SortOptions};
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ColumnStatistics, Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::{Column, DynamicFilterTracking};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::sort_pushdown::SortOrderPushdownResult;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, EmptyRecordBatchStream, ExecutionPlan, Partitioning,
    PlanProperties,
};
use tdb_condition::Condition;
use tdb_query::{ResultOrder, SharedPlan};

use crate::part_reads::{PartReads, PlanInCommon, ScanRead, natural_order};
use crate::parts::{self, Part};
use crate::source::Source;
use crate::stream::Batches;

/// Reads some columns of the cells of an array that match a condition, in partitions that are read side by side.
///
/// A [`ScanTask`](crate::ScanTask) describes the read so that another process can perform it.
#[derive(Clone, Debug)]
pub struct ArrayScan {
    pub(crate) source: Arc<Source>,
    /// Columns, as indices among those of the table.
    pub(crate) columns: Vec<usize>,
    pub(crate) condition: Option<Condition>,
    pub(crate) limit: Option<usize>,
    /// Parts that are read, one per partition.
    pub(crate) parts: Arc<Vec<Part>>,
    /// Number of partitions: that of the parts, or more; the partitions beyond the parts are empty.
    pub(crate) partitions: usize,
    pub(crate) order: ResultOrder,
    pub(crate) statistics: Arc<Statistics>,
    /// Filters that become known while the query runs.
    dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// Plan that the partitions share.
    plan: Arc<PlanInCommon>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ArrayScan {
    pub(crate) fn new(
        source: &Arc<Source>,
        columns: Vec<usize>,
        condition: Option<Condition>,
        limit: Option<usize>,
        parts: Vec<Part>,
        statistics: Statistics,
    ) -> Result<Self> {
        let order = natural_order(source);
        Ok(Self {
            properties: properties(source, &columns, order, parts.len())?,
            source: Arc::clone(source),
            columns,
            condition,
            limit,
            partitions: parts.len(),
            parts: Arc::new(parts),
            order,
            statistics: Arc::new(statistics),
            dynamic: Vec::new(),
            plan: Arc::default(),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// Returns the same scan with the plan of its whole read, if there is one.
    pub(crate) fn with_plan(self, plan: Option<SharedPlan>) -> Self {
        let plan = plan.map_or_else(Arc::default, |plan| Arc::new(PlanInCommon::of(plan)));
        Self { plan, ..self }
    }

    /// Returns the same scan with another order of the cells and another number of partitions.
    pub(crate) fn with_partitions(self, order: ResultOrder, partitions: usize) -> Result<Self> {
        Ok(Self {
            properties: properties(&self.source, &self.columns, order, partitions)?,
            order,
            partitions,
            ..self.unplanned()
        })
    }

    fn columns_schema(&self) -> &SchemaRef {
        self.properties.eq_properties.schema()
    }

    /// Returns a copy whose parts are not planned yet, to be changed.
    fn unplanned(&self) -> Self {
        Self {
            plan: Arc::default(),
            ..self.clone()
        }
    }

    /// Returns the read that the partitions share.
    fn read(&self) -> ScanRead {
        let schema = self.source.array.schema();
        ScanRead {
            source: Arc::clone(&self.source),
            columns: self.columns.clone(),
            condition: self.condition.clone(),
            limit: self.limit,
            order: self.order,
            dynamic: self.dynamic.clone(),
            all: (self.parts.len() > 1).then(|| parts::around(schema, &self.parts)),
            plan: Arc::clone(&self.plan),
        }
    }
}

/// Returns the statistics of the first `limit` rows; nothing is known of their columns.
fn limited(statistics: &Statistics, limit: usize) -> Statistics {
    let column_statistics =
        vec![ColumnStatistics::new_unknown(); statistics.column_statistics.len()];
    Statistics {
        num_rows: statistics.num_rows.map(|rows| rows.min(limit)),
        total_byte_size: Precision::Absent,
        column_statistics,
    }
}

/// Returns the properties of the rows for DataFusion.
fn properties(
    source: &Source,
    columns: &[usize],
    order: ResultOrder,
    partitions: usize,
) -> Result<Arc<PlanProperties>> {
    let schema = Arc::new(source.schema.project(columns)?);
    let ordering = (order == ResultOrder::RowMajor)
        .then(|| row_major(source, columns))
        .filter(|ordering| !ordering.is_empty());
    let equivalence =
        EquivalenceProperties::new_with_orderings(schema, ordering.into_iter().collect::<Vec<_>>());
    Ok(Arc::new(PlanProperties::new(
        equivalence,
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    )))
}

/// Returns the order of the rows: by the dimensions, as far as the first ones are columns. It stops at floats, whose
/// zeros of either sign are equal here but not in SQL.
fn row_major(source: &Source, columns: &[usize]) -> Vec<PhysicalSortExpr> {
    let dimensions = source.array.schema().dimensions.iter().enumerate();
    let places = dimensions.map_while(|(dimension, stored)| {
        if stored.datatype.is_real() {
            return None;
        }
        let place = columns.iter().position(|column| *column == dimension)?;
        Some((source.fields.get(dimension)?.name.as_str(), place))
    });
    let sorted = places.map(|(name, place)| PhysicalSortExpr {
        expr: Arc::new(Column::new(name, place)),
        options: SortOptions::new(false, false),
    });
    sorted.collect()
}

impl DisplayAs for ArrayScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .columns_schema()
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect();
        write!(f, "ArrayScan: columns=[{}]", names.join(", "))?;
        if let Some(condition) = &self.condition {
            write!(f, ", where={condition}")?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        if !self.dynamic.is_empty() {
            let filters: Vec<String> = self.dynamic.iter().map(ToString::to_string).collect();
            write!(f, ", dynamic=[{}]", filters.join(", "))?;
        }
        if self.order == ResultOrder::RowMajor {
            write!(f, ", order=row-major")?;
        }
        write!(f, ", partitions={}", self.partitions)
    }
}

impl ExecutionPlan for ArrayScan {
    fn name(&self) -> &'static str {
        "ArrayScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        datafusion::physical_plan::execution_plan::apply_expression_roots(&self.dynamic, f)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() {
            Ok(self)
        } else {
            internal_err!("a scan of an array has no children")
        }
    }

    fn execute(
        &self,
        partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if partition >= self.partitions {
            return internal_err!("partition {partition} of {}", self.partitions);
        }
        let Some(part) = self.parts.get(partition).cloned() else {
            let schema = Arc::clone(self.columns_schema());
            return Ok(Box::pin(EmptyRecordBatchStream::new(schema)));
        };
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let reads = PartReads::new(self.read(), part);
        let batches = Batches::new(&self.source, self.columns_schema(), reads, metrics);
        Ok(Box::pin(batches))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        if args.partition().is_none() || self.partitions == 1 {
            return Ok(Arc::clone(&self.statistics));
        }
        let mut statistics = Statistics::new_unknown(self.columns_schema());
        let all = self.statistics.num_rows.get_value();
        let rows = all.and_then(|rows| rows.checked_div(self.partitions));
        statistics.num_rows = rows.map_or(Precision::Absent, Precision::Inexact);
        Ok(Arc::new(statistics))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let statistics = match limit {
            None => Arc::clone(&self.statistics),
            Some(limit) => Arc::new(limited(&self.statistics, limit)),
        };
        Some(Arc::new(Self {
            limit,
            statistics,
            ..self.unplanned()
        }))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _config: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let filters: Vec<_> = result
            .parent_filters
            .iter()
            .map(|f| Arc::clone(&f.filter))
            .collect();
        // Filters that are known before the query runs were offered to the table already.
        let answered = vec![PushedDown::No; filters.len()];
        let propagation = FilterPushdownPropagation::with_parent_pushdown_result(answered);
        if phase != FilterPushdownPhase::Post || self.limit.is_some() {
            return Ok(propagation);
        }
        let is_dynamic = |filter: &Arc<dyn PhysicalExpr>| {
            DynamicFilterTracking::classify(filter).contains_dynamic_filter()
        };
        let mut scan = self.unplanned();
        scan.dynamic.extend(filters.into_iter().filter(is_dynamic));
        if scan.dynamic.len() == self.dynamic.len() {
            return Ok(propagation);
        }
        Ok(propagation.with_updated_node(Arc::new(scan)))
    }

    fn try_pushdown_sort(
        &self,
        order: &[PhysicalSortExpr],
    ) -> Result<SortOrderPushdownResult<Arc<dyn ExecutionPlan>>> {
        let known = row_major(&self.source, &self.columns);
        let (Some(first), Some(known_first)) = (order.first(), known.first()) else {
            return Ok(SortOrderPushdownResult::Unsupported);
        };
        let is_row_major = self.order == ResultOrder::RowMajor;
        let is_descending = first.expr.eq(&known_first.expr) && first.options.descending;
        if is_descending && is_row_major && self.limit.is_none() {
            // In another order, the read can begin at the end.
            let scan = self
                .clone()
                .with_partitions(ResultOrder::Unordered, self.partitions)?;
            let inner = Arc::new(scan);
            return Ok(SortOrderPushdownResult::Inexact { inner });
        }
        if order.len() > known.len() {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let mut pairs = order.iter().zip(&known);
        // No coordinate is null.
        let is_same =
            pairs.all(|(wanted, known)| wanted.expr.eq(&known.expr) && !wanted.options.descending);
        // A read that is row-major already or limited cannot change its order.
        if !is_same || is_row_major || self.limit.is_some() {
            return Ok(SortOrderPushdownResult::Unsupported);
        }
        let order = ResultOrder::RowMajor;
        let inner = Arc::new(Self {
            properties: properties(&self.source, &self.columns, order, self.partitions)?,
            order,
            ..self.unplanned()
        });
        Ok(SortOrderPushdownResult::Exact { inner })
    }
}
