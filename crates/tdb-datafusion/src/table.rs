//! Array as a table.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{ScanArgs, ScanResult, Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, Result, Statistics, plan_err};
use datafusion::datasource::DefaultTableSource;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableSource, TableType};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::ExecutionPlan;
use tdb_aggregate::known_count;
use tdb_array::Array;
use tdb_cells::Session as TdbSession;
use tdb_condition::Condition;
use tdb_query::{ReadOptions, Request, SharedPlan};

use crate::column_statistics::known_columns;
use crate::driver::shared_plan;
use crate::error::external;
use crate::error_form::ErrorForm;
use crate::insert::insertion;
use crate::machine_count::Machines;
use crate::part_reads::ScanRead;
use crate::parts::{self, Part};
use crate::pushdown::{self, pushed};
use crate::pushed_condition::{Inexactness, PushedCondition};
use crate::scan::ArrayScan;
use crate::source::Source;

/// Array as a table of DataFusion: a column for each dimension and attribute, a row for each cell. A dense array has
/// all cells of its domain or current domain, written or not, like `tdb read`.
///
/// The table shows the array as of its opening, whatever is written meanwhile.
#[derive(Clone, Debug)]
pub struct ArrayTable {
    source: Arc<Source>,
    /// Whether the array was opened for a time window other than everything up to now, so that a change of it would
    /// not be visible in it.
    pub(crate) is_past: bool,
    /// File with the array's key, if it is not the key of all tables.
    pub(crate) key_file: Option<String>,
}

impl ArrayTable {
    /// Creates the table of an open array. Waits for the store if there are enumerations.
    ///
    /// # Errors
    /// Enumerations that cannot be read; a field that Arrow cannot hold.
    pub fn new(array: Arc<Array>, session: TdbSession, uri: &str) -> Result<Self> {
        Ok(Self {
            source: Arc::new(Source::new(array, session, uri)?),
            is_past: false,
            key_file: None,
        })
    }

    /// Converts errors of reading by `form` before they pass through DataFusion.
    #[must_use]
    pub fn with_error_form(self, form: ErrorForm) -> Self {
        let source = Source {
            error_form: Some(form),
            ..Source::clone(&self.source)
        };
        Self {
            source: Arc::new(source),
            ..self
        }
    }

    /// Returns the array.
    #[must_use]
    pub fn array(&self) -> &Arc<Array> {
        &self.source.array
    }

    /// Fails if the table is the array as of another time.
    pub(crate) fn check_is_of_now(&self) -> Result<()> {
        if !self.is_past {
            return Ok(());
        }
        plan_err!(
            "{} is seen as of another time, and a statement changes what is there now\n\
             ask without --at, --since and FOR SYSTEM_TIME AS OF, and of a table without the options 'at' and 'since'",
            self.source.uri
        )
    }

    /// Creates the table of a scan's source.
    pub(crate) fn of_source(source: Arc<Source>) -> Self {
        Self {
            source,
            is_past: false,
            key_file: None,
        }
    }

    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns the table with all writes up to now.
    pub(crate) fn reopened(&self) -> Result<Self> {
        let source = &self.source;
        let newest = Self::new(source.newest()?, source.session.clone(), &source.uri)?;
        Ok(Self {
            key_file: self.key_file.clone(),
            ..newest
        })
    }

    /// Returns the URI of the array, which is also its name in errors.
    pub(crate) fn uri(&self) -> &str {
        &self.source.uri
    }

    /// Returns the condition that the array evaluates for an SQL condition; `None` if there is none.
    pub(crate) fn pushed(&self, filter: &Expr, may: Inexactness) -> Option<PushedCondition> {
        let schema = DFSchema::try_from(self.source.schema.as_ref().clone()).ok()?;
        let bare = self.bare(filter);
        let context = PhysicalPlanningContext::default();
        let physical = create_physical_expr(&bare, &schema, &ExecutionProps::new(), &context);
        pushed(physical.ok()?.as_ref(), &self.source, may)
    }

    /// Returns a condition whose columns have no table qualifier, as an array knows them.
    pub(crate) fn bare(&self, filter: &Expr) -> Expr {
        let bare = filter.clone().transform(|expr| {
            Ok(match expr {
                Expr::Column(column) => {
                    Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
                }
                other => Transformed::no(other),
            })
        });
        bare.map_or_else(|_| filter.clone(), |bare| bare.data)
    }

    /// Makes the plan of a scan of a far sparse array before it is split, since splitting needs the R-trees: one wait
    /// fetches them together with what planning needs, and they are kept with the array, as far as there is memory.
    async fn plan_of(&self, columns: &[usize], filters: &[Expr]) -> Result<Option<SharedPlan>> {
        let source = &self.source;
        if !source.is_far() || source.array.schema().is_dense() {
            return Ok(None);
        }
        let read = ScanRead::whole(source, columns.to_vec(), self.condition(filters));
        shared_plan(source, read.options(Part::new(), None)).await
    }

    /// Returns the condition that the array evaluates for these filters.
    fn condition(&self, filters: &[Expr]) -> Option<Condition> {
        let pushed = filters
            .iter()
            .filter_map(|filter| self.pushed(filter, Inexactness::BeMore));
        pushed.map(|pushed| pushed.condition).reduce(Condition::and)
    }

    /// Returns the scan of some columns, split into about `partitions` partitions.
    fn scan_of(
        &self,
        columns: Vec<usize>,
        filters: &[Expr],
        limit: Option<usize>,
        partitions: usize,
        wants_extremes: bool,
    ) -> Result<ArrayScan> {
        let source = &self.source;
        let condition = self.condition(filters);
        let statistics = self.statistics(&columns, condition.is_some(), limit, wants_extremes)?;
        let partitions = if limit.is_some() { 1 } else { partitions };
        let options = ReadOptions::default()
            .condition(condition.clone())
            .rules(pushdown::rules());
        let limits = source.session.limits();
        let mut request = Request::new(
            source.array.snapshot(),
            &options,
            &source.enumerations,
            limits,
        )
        .map_err(|error| source.failed(error))?;
        let narrowed = request.narrow(source.array.snapshot(), &options, limits);
        narrowed.map_err(|error| source.failed(error))?;
        // The R-trees of a far array were fetched before, as far as there is memory to keep them.
        let parts = parts::cut(&source.array, request.subarray(), partitions)
            .map_err(|error| source.failed(error))?;
        ArrayScan::new(source, columns, condition, limit, parts, statistics)
    }

    fn statistics(
        &self,
        columns: &[usize],
        is_filtered: bool,
        limit: Option<usize>,
        wants_extremes: bool,
    ) -> Result<Statistics> {
        let source = &self.source;
        let mut statistics = Statistics::new_unknown(&source.schema.project(columns)?);
        let stored = source
            .array
            .fragments()
            .iter()
            .map(|fragment| fragment.metadata.cell_count());
        let stored = usize::try_from(stored.fold(0, u64::saturating_add)).ok();
        let known =
            known_count(source.array.snapshot()).and_then(|cells| usize::try_from(cells).ok());
        let most = |cells: usize| limit.map_or(cells, |limit| cells.min(limit));
        statistics.num_rows = match (known, stored) {
            (Some(cells), _) if !is_filtered => Precision::Exact(most(cells)),
            // A cell may have been written several times, or deleted; the number that matches a condition is unknown.
            (cells, stored) => cells
                .or(stored)
                .map_or(Precision::Absent, |cells| Precision::Inexact(most(cells))),
        };
        if wants_extremes && !is_filtered && limit.is_none() && known.is_some() {
            known_columns(source, columns, &mut statistics)?;
        }
        Ok(statistics)
    }
}

#[async_trait]
impl TableProvider for ArrayTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.source.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut args = ScanArgs::default()
            .with_filters(Some(filters))
            .with_limit(limit);
        if let Some(projection) = projection {
            args = args.with_projection(Some(projection));
        }
        Ok(self.scan_with_args(state, args).await?.into_inner())
    }

    async fn scan_with_args<'a>(
        &self,
        state: &dyn Session,
        args: ScanArgs<'a>,
    ) -> Result<ScanResult> {
        let columns = match args.projection() {
            Some(projection) => projection.to_vec(),
            None => (0..self.source.fields.len()).collect(),
        };
        let filters = args.filters().unwrap_or(&[]).to_vec();
        let limit = args.limit();
        let wants_extremes = !args.statistics_requests().is_empty();
        let partitions = state.config().target_partitions();
        let machines = state
            .config()
            .get_extension::<Machines>()
            .map_or(1, |machines| machines.count.get());
        let partitions = partitions.saturating_mul(machines);
        let table = self.clone();
        let plan = if partitions > 1 && limit.is_none() {
            self.plan_of(&columns, &filters).await?
        } else {
            None
        };
        // Statistics may have to be fetched, and are waited for.
        let scan = tokio::task::spawn_blocking(move || {
            table.scan_of(columns, &filters, limit, partitions, wants_extremes)
        });
        let planned = scan.await.map_err(external)??.with_plan(plan);
        let scan: Arc<dyn ExecutionPlan> = Arc::new(planned);
        Ok(scan.into())
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let answers = filters
            .iter()
            .map(|filter| match self.pushed(filter, Inexactness::BeMore) {
                Some(PushedCondition { is_exact: true, .. }) => TableProviderFilterPushDown::Exact,
                Some(_) => TableProviderFilterPushDown::Inexact,
                None => TableProviderFilterPushDown::Unsupported,
            });
        Ok(answers.collect())
    }

    async fn insert_into(
        &self,
        _state: &dyn Session,
        input: Arc<dyn ExecutionPlan>,
        op: InsertOp,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.check_is_of_now()?;
        insertion(&self.source, input, op)
    }

    async fn delete_from(
        &self,
        _state: &dyn Session,
        _filters: Vec<Expr>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // Conditions that DataFusion evaluated itself are gone by now: the remaining ones would delete more cells.
        plan_err!(
            "DELETE runs by tdb_datafusion::Database alone, since here conditions may be missing that the statement has"
        )
    }
}

/// Returns the array that a statement changes; `None` if its target is not an array.
pub(crate) fn array_of(target: &Arc<dyn TableSource>) -> Option<ArrayTable> {
    let source: &dyn TableSource = target.as_ref();
    let provider = &source.downcast_ref::<DefaultTableSource>()?.table_provider;
    of_provider(provider.as_ref())
}

/// Returns the array of a table; `None` if it is not one.
pub(crate) fn of_provider(provider: &dyn TableProvider) -> Option<ArrayTable> {
    provider.downcast_ref::<ArrayTable>().cloned()
}
