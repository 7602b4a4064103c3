//! The object that a handle of a subarray stands for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::Datatype;
use tdb::engine::schema::ArraySchema;
use tdb::engine::tile::Range;

use crate::array::OpenedArray;
use crate::border::{Error, LentValues, Result};
use crate::datatypes::integer;

/// Ranges in an array. A dimension without a range is meant whole.
#[derive(Debug)]
pub(crate) struct Subarray {
    pub(crate) opened: Arc<OpenedArray>,
    state: Mutex<Ranges>,
    pub(crate) lent: LentValues,
}

/// The ranges of a subarray.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    /// The ranges of each dimension, as they were added.
    pub(crate) dimensions: Vec<Vec<Range>>,
    /// The ranges of labels, with the number of their dimension.
    pub(crate) labels: Vec<LabelRanges>,
    /// Whether ranges that follow each other become one.
    pub(crate) coalesce: bool,
    /// Whether ranges beyond the domain are cut; they are refused otherwise.
    pub(crate) cuts: bool,
}

/// The ranges of a label.
#[derive(Clone, Debug)]
pub(crate) struct LabelRanges {
    pub(crate) label: String,
    pub(crate) dimension: u32,
    pub(crate) ranges: Vec<Range>,
}

impl Ranges {
    /// The whole of an array.
    pub(crate) fn whole(schema: &ArraySchema) -> Self {
        Self {
            dimensions: vec![Vec::new(); schema.dimensions.len()],
            labels: Vec::new(),
            coalesce: true,
            cuts: false,
        }
    }

    /// Returns the ranges with the whole domain for each dimension that has none.
    pub(crate) fn or_whole(mut self, schema: &ArraySchema) -> Self {
        for (ranges, dimension) in self.dimensions.iter_mut().zip(&schema.dimensions) {
            if ranges.is_empty() {
                ranges.extend(dimension.domain.clone());
            }
        }
        self
    }

    /// Returns the ranges within the current domain, which a dimension without a range stands for.
    ///
    /// # Errors
    /// Fails if a range leads out of it.
    pub(crate) fn within(&self, schema: &ArraySchema, bounds: &[Range]) -> Result<Self> {
        let mut found = self.clone();
        let dimensions = found.dimensions.iter_mut().zip(&schema.dimensions);
        for ((ranges, dimension), bounds) in dimensions.zip(bounds) {
            let datatype = dimension.datatype;
            if ranges.iter().any(|range| !bounds.covers(datatype, range)) {
                let text = format!(
                    "A range on dimension '{}' was set outside of the current domain.",
                    dimension.name
                );
                return Err(Error::short("Query", text));
            }
            if ranges.is_empty() && !schema.is_dense() {
                ranges.push(bounds.clone());
            }
        }
        Ok(found)
    }

    /// True if a range was added.
    pub(crate) fn is_set(&self) -> bool {
        self.dimensions.iter().any(|ranges| !ranges.is_empty()) || !self.labels.is_empty()
    }
}

impl Subarray {
    pub(crate) fn new(opened: Arc<OpenedArray>) -> Self {
        let ranges = Ranges::whole(opened.array.schema());
        Self::of(opened, ranges)
    }

    pub(crate) fn of(opened: Arc<OpenedArray>, ranges: Ranges) -> Self {
        Self {
            opened,
            state: Mutex::new(ranges),
            lent: LentValues::default(),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Ranges> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a copy of the ranges.
    pub(crate) fn ranges(&self) -> Ranges {
        self.lock().clone()
    }

    pub(crate) fn schema(&self) -> &ArraySchema {
        self.opened.array.schema()
    }

    /// Returns the number of a dimension.
    pub(super) fn dimension(&self, name: &str) -> Result<u32> {
        let mut names = self.schema().dimensions.iter();
        let at = names.position(|dimension| dimension.name == name);
        at.and_then(|at| u32::try_from(at).ok()).ok_or_else(|| {
            Error::new(
                "Subarray",
                format!("Cannot get dimension index; Invalid dimension name '{name}'"),
            )
        })
    }

    /// Returns the size of a coordinate of a dimension of fixed size.
    pub(super) fn coordinate_size(&self, dimension: u32) -> Result<u64> {
        let found = self.schema().dimensions.get(dimension as usize);
        let dimension = found.ok_or_else(|| {
            Error::new(
                "Subarray",
                format!("Invalid dimension index; there is no dimension {dimension}"),
            )
        })?;
        if dimension.cell_val_num.is_var() {
            let text = "Cannot add range; Range must be fixed-sized";
            return Err(Error::new("Subarray", text));
        }
        Ok(dimension.datatype.size() as u64)
    }

    /// Adds a range of a dimension, cut to its domain as TileDB does.
    pub(super) fn add(&self, dimension: u32, range: Range) -> Result<()> {
        let Some(described) = self.schema().dimensions.get(dimension as usize) else {
            let text = format!("Cannot add range; there is no dimension {dimension}");
            return Err(Error::new("Subarray", text));
        };
        let (name, datatype) = (&described.name, described.datatype);
        let failed = |why: String| {
            Error::new(
                "Subarray",
                format!("Cannot add range to dimension '{name}'; {why}"),
            )
        };
        // A range of texts that goes backwards contains no text.
        if !range.is_ordered(datatype) && !described.cell_val_num.is_var() {
            let why = "Lower range bound cannot be larger than the higher bound";
            return Err(failed(why.to_owned()));
        }
        let range = match &described.domain {
            Some(domain) if !domain.covers(datatype, &range) => {
                let fails =
                    !self.lock().cuts || self.opened.query_type != crate::constants::TILEDB_READ;
                let cut = domain.intersection(datatype, &range);
                cut.filter(|_| !fails)
                    .ok_or_else(|| failed("Range is out of bounds of the domain".to_owned()))?
            }
            _ => range,
        };
        let mut state = self.lock();
        let coalesce = state.coalesce;
        if let Some(ranges) = state.dimensions.get_mut(dimension as usize) {
            match ranges.last_mut() {
                Some(last) if coalesce && follows(datatype, &last.hi, &range.lo) => {
                    last.hi = range.hi;
                }
                _ => ranges.push(range),
            }
        }
        Ok(())
    }

    /// Returns a range of a dimension; that of the whole domain if none was added.
    pub(super) fn range(&self, dimension: u32, number: u64) -> Result<Range> {
        let failed = || {
            Error::new(
                "Subarray",
                "Cannot get range; Invalid dimension index or range index",
            )
        };
        let at = dimension as usize;
        let described = self.schema().dimensions.get(at).ok_or_else(failed)?;
        let state = self.lock();
        let ranges = state.dimensions.get(at).ok_or_else(failed)?;
        if ranges.is_empty() && number == 0 {
            let empty = Range::new(Vec::new(), Vec::new());
            return Ok(described.domain.clone().unwrap_or(empty));
        }
        let number = usize::try_from(number).map_err(|_| failed())?;
        ranges.get(number).cloned().ok_or_else(failed)
    }

    pub(super) fn range_count(&self, dimension: u32) -> Result<u64> {
        let state = self.lock();
        let found = state.dimensions.get(dimension as usize);
        let ranges = found.ok_or_else(|| {
            Error::new(
                "Subarray",
                "Cannot get number of ranges for a dimension; Invalid dimension index",
            )
        })?;
        if state
            .labels
            .iter()
            .any(|label| label.dimension == dimension)
        {
            return Ok(0);
        }
        // The whole dimension is one range.
        Ok(ranges.len().max(1) as u64)
    }
}

/// True if an integer, date or time is the next one after another.
fn follows(datatype: Datatype, before: &[u8], after: &[u8]) -> bool {
    match (integer(datatype, before), integer(datatype, after)) {
        (Some(before), Some(after)) => before.checked_add(1) == Some(after),
        _ => false,
    }
}
