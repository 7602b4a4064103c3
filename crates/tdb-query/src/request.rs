//! A resolved request: names, ranges and condition of [`ReadOptions`], resolved against the array.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{Batch, Column, FieldInfo, Gathered};
use tdb_condition::{Condition, Points, Predicate, UnknownLabel};
use tdb_schema::{ArraySchema, Enumeration, FieldKind, Subarray};
use tdb_tile::Limits;

use crate::QueryError;
use crate::field::chosen;
use crate::options::{Failing, ReadOptions, ResultOrder, Versions};

/// Bytes that a batch may have, about, unless another size is asked for: large enough to work on, small enough
/// to come before the whole has been read.
const BATCH: u64 = 32 << 20;

/// The same where a condition is asked about every cell of a dense array: what it tests, and what it finds, is in memory beside
/// the result.
const ASKED_BATCH: u64 = 8 << 20;

/// What is read of an array: [`ReadOptions`], resolved.
///
/// Resolving fetches nothing: the enumerations of the attributes are passed in, and label ranges are ranges of
/// dimensions already.
#[derive(Clone, Debug)]
pub struct Request {
    pub(crate) subarray: Subarray,
    pub(crate) order: ResultOrder,
    pub(crate) versions: Versions,
    /// What chooses cells: the condition, and points.
    pub(crate) condition: Option<Arc<Predicate>>,
    /// Whether tiles are left out whose place has no cell that is chosen.
    pub(crate) by_place: bool,
    /// Dense arrays: what becomes of cells that fail the condition.
    pub(crate) failing: Failing,
    pub(crate) fields: Vec<FieldInfo>,
    /// Bytes that a batch may have.
    pub(crate) batch_bytes: u64,
    /// No more cells are wanted.
    pub(crate) limit: u64,
    /// Labels that the condition names and no cell can have.
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
        )?;
        let fields = fields
            .into_iter()
            .chain(version_fields(array, options)?)
            .filter_map(|field| info(schema, field, enumerations, options.enumeration_codes));
        let known = FieldInfo::of_schema(schema, |index, _| enumerations.get(index)?.clone());
        let condition = options.condition.as_ref().map(|condition| {
            let resolved = condition.resolve_by(&known, limits, options.rules)?;
            Ok::<_, QueryError>(Predicate::new(resolved, schema))
        });
        let points = options.points.as_ref();
        let points = points.map(|points| Predicate::at_points(Arc::clone(points), schema));
        let points = points.transpose()?;
        let unknown_labels = options
            .condition
            .iter()
            .flat_map(|c| c.unknown_labels(&known));
        let mut subarray = options.subarray(schema)?;
        if options.versions == Versions::Current {
            keep_in_current_domain(array, &mut subarray);
        }
        // Where cells that are not chosen stay, the places of all are wanted.
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
        let order = match options.order {
            None | Some(ResultOrder::Unordered) if schema.is_dense() => {
                if placed.is_some() && subarray.is_one_box() {
                    ResultOrder::Global
                } else {
                    ResultOrder::RowMajor
                }
            }
            None => ResultOrder::Global,
            // A read in the order of storage can end early, and takes less memory.
            Some(order)
                if !schema.is_dense()
                    && order != ResultOrder::Unordered
                    && subarray.is_one_box()
                    && schema.stores_in(order.sort_order()) =>
            {
                ResultOrder::Global
            }
            Some(order) => order,
        };
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

    /// Looks only where cells can lie that fit the condition, as far as it is one on dimensions.
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
        // Cells that do not fit stay in the result, or, beside a range, the other dimensions of a dense array would be read
        // beyond the current domain.
        let can_narrow = self.failing == Failing::Drop
            && !(schema.is_dense() && schema.current_domain.is_some());
        let condition = options.condition.as_ref().filter(|_| can_narrow);
        let of_dimensions = condition.and_then(|c| about_dimensions(c, schema));
        let Some(condition) = of_dimensions else {
            return Ok(());
        };
        let known = FieldInfo::of_schema(schema, |_, _| None);
        let resolved = condition.resolve_by(&known, limits, options.rules)?;
        match Predicate::new(resolved, schema).bounds(schema)? {
            Some(bounds) => self.subarray.restrict(schema, &bounds),
            None => self.subarray.clear(),
        }
        Ok(())
    }

    /// The columns of the result.
    #[must_use]
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// A batch of what `gathered` gives of each field; one that is asked for twice is gathered once.
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

    /// Points, and where their dimensions stand in the schema, if only cells at points are returned.
    pub(crate) fn points_alone(&self) -> Option<(&Points, &[usize])> {
        let chooses = self.condition.as_deref();
        let chooses = chooses.filter(|_| self.failing == Failing::Drop);
        chooses.and_then(Predicate::points)
    }

    /// The order in which cells of several fragments are brought together: where any will do, the one in which they are
    /// stored, so that no more of them are in memory than a batch takes.
    pub(crate) fn merge_order(&self) -> ResultOrder {
        match self.order {
            ResultOrder::Unordered => ResultOrder::Global,
            order => order,
        }
    }

    /// The part of the domain that is read.
    #[must_use]
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }
}

/// What a condition says of dimensions alone: it tells where to look, before anything is fetched.
fn about_dimensions(condition: &Condition, schema: &ArraySchema) -> Option<Condition> {
    condition.about(|field| schema.dimension_index(field).is_some())
}

/// Cells of a sparse array that lie outside of its current domain, since they were written before it had that one, are not
/// read. Where no fragment has any, nothing has to be looked at for it. Those of a dense array have fill values there.
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

/// The columns that tell versions of cells apart.
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

/// Whether any cell of an array can have been deleted.
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
