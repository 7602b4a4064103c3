//! Reads of one part of a scan: of all of it, or of one slice after the other.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::common::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::DynamicFilterTracking;
use datafusion::physical_expr::utils::collect_columns;
use tdb_condition::Condition;
use tdb_query::{ReadOptions, Reader, Request, ResultOrder, SharedPlan};
use tokio::sync::Mutex;

use crate::driver::{off_the_runtime, shared_plan};
use crate::parts::{self, Part};
use crate::pushdown::{self, pushed};
use crate::pushed_condition::Inexactness;
use crate::slices::Slices;
use crate::source::Source;
use crate::stream::Reads;

/// Approximate size of a batch in bytes: small enough to stay in the processor's cache.
const BATCH: u64 = 4 << 20;

/// The read that the partitions of a scan share. Each partition reads its own part of it.
#[derive(Debug)]
pub(crate) struct ScanRead {
    pub(crate) source: Arc<Source>,
    /// Columns, as indices among those of the table.
    pub(crate) columns: Vec<usize>,
    pub(crate) condition: Option<Condition>,
    pub(crate) limit: Option<usize>,
    pub(crate) order: ResultOrder,
    /// Filters that become known while the query runs.
    pub(crate) dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// Ranges that contain all parts; `None` if there is only one part, which needs no plan in common with others.
    pub(crate) all: Option<Part>,
    pub(crate) plan: Arc<PlanInCommon>,
}

/// Plan that all partitions of a scan share: the first one that begins makes it.
#[derive(Debug, Default)]
pub(crate) struct PlanInCommon {
    made: Mutex<Option<MadePlan>>,
}

#[derive(Debug)]
struct MadePlan {
    /// Condition by the filters that were known when the plan was made.
    known: Option<Condition>,
    /// `None` if there is no memory for it.
    plan: Option<Arc<SharedPlan>>,
}

/// Reads of a part.
pub(crate) struct PartReads {
    scan: Arc<ScanRead>,
    part: Part,
    /// Slices that are left; `None` before the first.
    slices: Option<Slices>,
}

impl PartReads {
    pub(crate) fn new(scan: ScanRead, part: Part) -> Self {
        Self {
            scan: Arc::new(scan),
            part,
            slices: None,
        }
    }

    /// Returns the slices of the part; `None` if slicing it is of no use.
    async fn sliced(&self) -> Result<Option<Vec<Part>>> {
        if !self.scan.is_sliced() {
            return Ok(None);
        }
        let (scan, part) = (Arc::clone(&self.scan), self.part.clone());
        // R-trees that there was no memory to keep are read again, and waited for.
        off_the_runtime(move || scan.slices(&part)).await?
    }

    /// Begins the read of the whole part, by the plan that all parts share as long as they know the same filters.
    async fn whole(&self) -> Result<Reader> {
        let scan = &self.scan;
        let known = scan.known();
        if let Some(all) = &scan.all
            && let Some(plan) = scan.plan.by(scan, all, &known).await?
        {
            let (part, of) = (self.part.clone(), Arc::clone(scan));
            let read = off_the_runtime(move || plan.part(part));
            return read.await?.map_err(|error| of.source.failed(error));
        }
        scan.begin(self.part.clone(), known)
    }
}

#[async_trait]
impl Reads for PartReads {
    async fn next(&mut self) -> Result<Option<Reader>> {
        let slices = match &mut self.slices {
            Some(slices) => slices,
            None => {
                let Some(slices) = self.sliced().await? else {
                    self.slices = Some(Slices::new(Vec::new()));
                    return self.whole().await.map(Some);
                };
                self.slices.insert(Slices::new(slices))
            }
        };
        // Each slice is planned when its turn comes, with the filters known by then.
        let slice = slices.next();
        let begin = |slice| self.scan.begin(slice, self.scan.known());
        slice.map(begin).transpose()
    }
}

impl PlanInCommon {
    /// Returns the plan that was made when no filters were known.
    pub(crate) fn of(plan: SharedPlan) -> Self {
        let made = MadePlan {
            known: None,
            plan: Some(Arc::new(plan)),
        };
        Self {
            made: Mutex::new(Some(made)),
        }
    }

    /// Returns the plan; `None` if there is no memory for it, or if it was made when other filters were known.
    async fn by(
        &self,
        scan: &ScanRead,
        all: &Part,
        known: &Option<Condition>,
    ) -> Result<Option<Arc<SharedPlan>>> {
        let mut kept = self.made.lock().await;
        let made = match &mut *kept {
            Some(made) => made,
            place @ None => {
                let options = scan.options(all.clone(), known.clone());
                let plan = shared_plan(&scan.source, options).await?.map(Arc::new);
                let known = known.clone();
                place.insert(MadePlan { known, plan })
            }
        };
        let is_same = made.known == *known;
        Ok(made.plan.clone().filter(|_| is_same))
    }
}

impl ScanRead {
    /// Returns what is read of a table without parts, filters that become known later, and a limit.
    pub(crate) fn whole(
        source: &Arc<Source>,
        columns: Vec<usize>,
        condition: Option<Condition>,
    ) -> Self {
        Self {
            source: Arc::clone(source),
            columns,
            condition,
            limit: None,
            order: natural_order(source),
            dynamic: Vec::new(),
            all: None,
            plan: Arc::default(),
        }
    }

    /// True if filters that become known while the query runs may narrow the first dimension, as those of
    /// `ORDER BY … LIMIT` do. Each slice of a part is then read with the filters known at its turn. The filters of
    /// joins are complete when a read begins.
    fn is_sliced(&self) -> bool {
        let Some(first) = self.source.fields.first() else {
            return false;
        };
        let changing = self.dynamic.iter().filter(|filter| may_change(filter));
        let mut columns = changing.flat_map(collect_columns);
        self.order == ResultOrder::Unordered && columns.any(|column| column.name() == first.name)
    }

    /// Returns the slices of a part along the first dimension; `None` if slicing is of no use.
    fn slices(&self, part: &Part) -> Result<Option<Vec<Part>>> {
        let source = &self.source;
        let (snapshot, limits) = (source.array.snapshot(), source.session.limits());
        let options = self.options(part.clone(), self.known());
        let mut request = Request::new(snapshot, &options, &source.enumerations, limits)
            .map_err(|error| source.failed(error))?;
        let narrowed = request.narrow(snapshot, &options, limits);
        narrowed.map_err(|error| source.failed(error))?;
        let slices = parts::slices(&source.array, request.subarray())
            .map_err(|error| source.failed(error))?;
        // A part may be limited along another dimension.
        let within = |mut slice: Part| {
            let named = |name: &String| slice.iter().any(|(known, _)| known == name);
            let others: Part = part
                .iter()
                .filter(|(name, _)| !named(name))
                .cloned()
                .collect();
            slice.extend(others);
            slice
        };
        Ok(slices.map(|slices| slices.into_iter().map(within).collect()))
    }

    /// Begins a read that is planned by itself.
    fn begin(&self, part: Part, known: Option<Condition>) -> Result<Reader> {
        let source = &self.source;
        let begun = Reader::begin(&source.session, &source.array, &self.options(part, known));
        begun.map_err(|error| source.failed(error))
    }

    /// Returns the condition by the filters that are known by now.
    fn known(&self) -> Option<Condition> {
        let known = self
            .dynamic
            .iter()
            .filter_map(|filter| pushed(filter.as_ref(), &self.source, Inexactness::BeMore));
        known.map(|known| known.condition).reduce(Condition::and)
    }

    /// Returns the read options of a part, with a condition beside that of the scan.
    pub(crate) fn options(&self, part: Part, known: Option<Condition>) -> ReadOptions {
        let source = &self.source;
        let conditions = self.condition.iter().cloned().chain(known);
        ReadOptions::default()
            .dimensions(Some(source.names(&self.columns, true)))
            .attributes(Some(source.names(&self.columns, false)))
            .ranges(part)
            .condition(conditions.reduce(Condition::and))
            .rules(pushdown::rules())
            .order(Some(self.order))
            .limit(self.limit.map(|limit| limit as u64))
            .batch_bytes(Some(BATCH))
    }
}

/// Returns the order in which a table is read if no other is wanted.
pub(crate) fn natural_order(source: &Source) -> ResultOrder {
    if source.array.schema().is_dense() {
        ResultOrder::RowMajor
    } else {
        ResultOrder::Unordered
    }
}

/// True if a filter can still become narrower.
fn may_change(filter: &Arc<dyn PhysicalExpr>) -> bool {
    let tracking = DynamicFilterTracking::classify(filter);
    matches!(tracking, DynamicFilterTracking::Watching(_))
}
