//! Resolved request: names, ranges and condition of [`ReadOptions`], resolved against the array.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{Batch, Column, FieldInfo, Gathered};
use tdb_condition::{Condition, Points, Predicate, UnknownLabel};
use tdb_schema::{ArraySchema, Enumeration, FieldKind, Subarray};
use tdb_tile::Limits;

use crate::QueryError;
use crate::field::chosen;
use crate::options::{Failing, ReadOptions, ResultOrder, Versions};

/// Default batch size in bytes: large enough to work on efficiently, small enough for the first batch to come early.
const BATCH: u64 = 32 << 20;

/// Default batch size if a condition tests every cell of a dense array: the tested fields and the outcome are in
/// memory beside the result.
const ASKED_BATCH: u64 = 8 << 20;

/// Resolved [`ReadOptions`]: what is read of an array.
///
/// Resolving fetches nothing: the enumerations of the attributes are passed in, and label ranges are ranges of
/// dimensions already.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) subarray: Subarray,
    pub(crate) order: ResultOrder,
    pub(crate) versions: Versions,
    /// Selection of cells: the condition and the points.
    pub(crate) condition: Option<Arc<Predicate>>,
    /// Whether tiles are skipped if no cell in their bounds can be selected.
    pub(crate) by_place: bool,
    /// Dense arrays: treatment of cells that fail the condition.
    pub(crate) failing: Failing,
    pub(crate) fields: Vec<FieldInfo>,
    /// Maximum number of bytes of a batch.
    pub(crate) batch_bytes: u64,
    /// Maximum number of cells to return.
    pub(crate) limit: u64,
    /// Labels that the condition names and that no cell can have.
    pub(crate) unknown_labels: Vec<UnknownLabel>,
}

impl Request {
    /// Resolves the options. `enumerations` has one entry per attribute of the schema; `None` for attributes without
    /// a (needed) enumeration.
    ///
    /// # Errors
    /// An error of kind [`Invalid`](tdb_tile::ErrorKind::Invalid) if the request is not possible for the array.
    pub fn new(
        array: &Snapshot,
        options: &ReadOptions,
        enumerations: &[Option<Arc<Enumeration>>],
        limits: &Limits,
    ) -> Result<Self, QueryError> {
        let schema = array.schema();
        let fields = chosen(
            schema,
            options.dimensions.as_deref(),
            options.attributes.as_deref(),
        )?
        .into_iter()
        .chain(version_fields(array, options)?)
        .filter_map(|field| info(schema, field, enumerations, options.enumeration_codes));
        let known = FieldInfo::of_schema(schema, |index, _| enumerations.get(index)?.clone());
        let condition = options.condition.as_ref().map(|condition| {
            let resolved = condition.resolve_by(&known, limits, options.rules)?;
            Ok::<_, QueryError>(Predicate::new(resolved, schema))
        });
        let points = options
            .points
            .as_ref()
            .map(|points| Predicate::at_points(Arc::clone(points), schema))
            .transpose()?;
        let unknown_labels = options
            .condition
            .iter()
            .flat_map(|c| c.unknown_labels(&known));
        let mut subarray = options.subarray(schema)?;
        if options.versions == Versions::Current {
            keep_in_current_domain(array, &mut subarray);
        }
        // If cells that fail stay in the result, the positions of all cells are requested.
        let drops = options.failing == Failing::Drop;
        let placed = points.as_ref().filter(|_| drops);
        if let Some((points, dimensions)) = placed.and_then(Predicate::points) {
            match points.bounds() {
                Some(bounds) => {
                    let bounds = dimensions.iter().copied().zip(bounds);
                    subarray.restrict(schema, &bounds.collect::<Vec<_>>());
                }
                None => subarray.clear(),
            }
        }
        let condition = condition.transpose()?;
        let order = order(schema, options.order, &subarray, placed.is_some());
        let chooses = match (condition, points) {
            (Some(condition), Some(points)) => Some(condition.and_points(points)),
            (condition, points) => condition.or(points),
        };
        let is_asked = chooses.is_some() && schema.is_dense();
        let batch = if is_asked { ASKED_BATCH } else { BATCH };
        Ok(Self {
            subarray,
            order,
            versions: options.versions,
            condition: chooses.map(Arc::new),
            by_place: false,
            unknown_labels: unknown_labels.collect(),
            failing: options.failing,
            fields: fields.collect(),
            batch_bytes: options.batch_bytes.unwrap_or(batch),
            limit: options.limit.unwrap_or(u64::MAX),
        })
    }

    /// Restricts the subarray to where cells can match the tests of the condition on dimensions. If the request was
    /// resolved without its condition, whose labels are not fetched yet, the part of the condition that tests
    /// dimensions is resolved here, since that shows what to fetch.
    ///
    /// # Errors
    /// A condition that cannot be resolved; [`QueryError::Bug`].
    pub fn narrow(
        &mut self,
        array: &Snapshot,
        options: &ReadOptions,
        limits: &Limits,
    ) -> Result<(), QueryError> {
        let schema = array.schema();
        // Not if failing cells stay in the result. Nor with a current domain in a dense array: a range on one
        // dimension makes the others be read beyond the current domain.
        let can_narrow = self.failing == Failing::Drop
            && !(schema.is_dense() && schema.current_domain.is_some());
        let Some(condition) = options.condition.as_ref().filter(|_| can_narrow) else {
            return Ok(());
        };
        let resolved = self.condition.as_deref().filter(|c| c.has_condition());
        let bounds = if let Some(resolved) = resolved {
            resolved.bounds(schema)?
        } else if let Some(of_dimensions) = about_dimensions(condition, schema) {
            let known = FieldInfo::of_schema(schema, |_, _| None);
            let resolved = of_dimensions.resolve_by(&known, limits, options.rules)?;
            Predicate::new(resolved, schema).bounds(schema)?
        } else {
            return Ok(());
        };
        match bounds {
            Some(bounds) => self.subarray.restrict(schema, &bounds),
            None => self.subarray.clear(),
        }
        Ok(())
    }

    /// Returns the same request for a part of its cells: the ranges of `options` in place of those of the same
    /// dimensions. They must lie within these.
    pub(crate) fn part(&self, array: &Snapshot, options: &ReadOptions) -> Result<Self, QueryError> {
        let schema = array.schema();
        let mut subarray = options.subarray(schema)?;
        if self.versions == Versions::Current {
            keep_in_current_domain(array, &mut subarray);
        }
        subarray.restrict_as(&self.subarray);
        if self.subarray.is_empty() {
            subarray.clear();
        }
        let is_placed = self.points_alone().is_some();
        Ok(Self {
            order: order(schema, options.order, &subarray, is_placed),
            subarray,
            ..self.clone()
        })
    }

    /// Returns the columns of the result.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// Makes a batch from the columns that `gathered` returns. A field that is requested twice is gathered once.
    pub(crate) fn batch(
        &self,
        rows: usize,
        mut gathered: impl FnMut(FieldKind) -> Result<Gathered, QueryError>,
    ) -> Result<Batch, QueryError> {
        let mut columns: Vec<Column> = Vec::with_capacity(self.fields.len());
        for info in &self.fields {
            let asked_before = columns.iter().find(|column| column.name == info.name);
            if let Some(column) = asked_before.cloned() {
                columns.push(column);
                continue;
            }
            let gathered = gathered(info.field)?;
            columns.push(gathered.column(info));
        }
        Ok(Batch { rows, columns })
    }

    /// Returns the points, and the positions of their dimensions in the schema, if only cells at points are returned.
    pub(crate) fn points_alone(&self) -> Option<(&Points, &[usize])> {
        let chooses = self
            .condition
            .as_deref()
            .filter(|_| self.failing == Failing::Drop);
        chooses.and_then(Predicate::points)
    }

    /// Returns the order in which the cells of several fragments are merged. If any order will do, this is the stored
    /// order, so that only one batch of cells must be in memory.
    pub(crate) fn merge_order(&self) -> ResultOrder {
        match self.order {
            ResultOrder::Unordered => ResultOrder::Global,
            order => order,
        }
    }

    /// Returns the part of the domain that is read.
    #[must_use]
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }
}

/// Returns the order in which cells are read if `wanted` is asked for.
fn order(
    schema: &ArraySchema,
    wanted: Option<ResultOrder>,
    subarray: &Subarray,
    is_placed: bool,
) -> ResultOrder {
    match wanted {
        None | Some(ResultOrder::Unordered) if schema.is_dense() => {
            if is_placed && subarray.is_one_box() {
                ResultOrder::Global
            } else {
                ResultOrder::RowMajor
            }
        }
        None => ResultOrder::Global,
        // A read in the stored order can end early, and needs less memory.
        Some(order)
            if !schema.is_dense()
                && order != ResultOrder::Unordered
                && subarray.is_one_box()
                && schema.stores_in(order.sort_order()) =>
        {
            ResultOrder::Global
        }
        Some(order) => order,
    }
}

/// Returns the part of a condition that tests dimensions only: it shows where to look before anything is fetched.
fn about_dimensions(condition: &Condition, schema: &ArraySchema) -> Option<Condition> {
    condition.about(|field| schema.dimension_index(field).is_some())
}

/// Excludes cells of a sparse array outside its current domain, which were written before the current domain was set.
/// If no fragment has any, no cell needs to be tested. Dense arrays show fill values there.
fn keep_in_current_domain(array: &Snapshot, subarray: &mut Subarray) {
    let schema = array.schema();
    let Some(bounds) = schema
        .current_domain
        .as_ref()
        .filter(|_| !schema.is_dense())
    else {
        return;
    };
    subarray.cut_to(schema, bounds);
    if !array.is_within_current_domain() {
        let bounds = bounds.iter().cloned().enumerate();
        subarray.restrict(schema, &bounds.collect::<Vec<_>>());
    }
}

/// Returns the additional columns that distinguish the versions of a cell.
fn version_fields(array: &Snapshot, options: &ReadOptions) -> Result<Vec<FieldKind>, QueryError> {
    if options.versions == Versions::Current {
        return Ok(Vec::new());
    }
    if array.schema().is_dense() || options.looks_at_cells() {
        return Err(QueryError::OlderVersions);
    }
    let mut fields = vec![FieldKind::Timestamps];
    if options.versions == Versions::All && has_deletes(array) {
        fields.extend([FieldKind::DeleteTimestamps, FieldKind::DeleteConditionIndex]);
    }
    Ok(fields)
}

/// True if any cell of an array can have been deleted.
fn has_deletes(array: &Snapshot) -> bool {
    let fragments = array.fragments();
    let first = fragments.iter().map(|fragment| fragment.timestamps().0);
    let Some(first) = first.min() else {
        return false;
    };
    array
        .deletes()
        .iter()
        .any(|delete| delete.timestamp >= first)
        || fragments.iter().any(|f| f.metadata.extra_fields.deletes)
}

fn info(
    schema: &ArraySchema,
    kind: FieldKind,
    enumerations: &[Option<Arc<Enumeration>>],
    codes: bool,
) -> Option<FieldInfo> {
    let field = schema.field_of(kind)?;
    let enumeration = match kind {
        FieldKind::Attribute(index) if !codes => enumerations.get(index).cloned().flatten(),
        _ => None,
    };
    Some(FieldInfo::of(&field, enumeration))
}
