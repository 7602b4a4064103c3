use tdb_schema::names::UnknownName;
use tdb_schema::value::{Value, read};
use tdb_schema::{ArraySchema, Dimension};
use tdb_tile::{Bug, Datatype, Range};

use crate::QueryError;

/// The part of the domain to read: the requested ranges of each dimension, clipped to the domain.
#[derive(Clone, Debug, Default)]
pub struct Subarray {
    dimensions: Vec<Option<Vec<Range>>>,
    warnings: Vec<String>,
}

impl Subarray {
    /// The whole domain.
    #[must_use]
    pub fn all(schema: &ArraySchema) -> Self {
        Self {
            dimensions: vec![None; schema.dimensions.len()],
            warnings: Vec::new(),
        }
    }

    /// The cross product of the ranges of each dimension; a dimension without a range is read whole.
    ///
    /// Ranges that extend beyond the domain are clipped to it, ranges outside of it are dropped, both with a warning.
    ///
    /// # Errors
    /// [`QueryError::Unknown`] for a dimension that does not exist; [`QueryError::RangeType`] and
    /// [`QueryError::RangeBackwards`] for bounds of the wrong size or in the wrong order.
    pub fn new(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Self, QueryError> {
        let mut subarray = Self::all(schema);
        for (name, range) in ranges {
            let index = schema
                .dimensions
                .iter()
                .position(|d| d.name == *name)
                .ok_or_else(|| no_dimension(schema, name))?;
            subarray.add(&schema.dimensions, index, range.clone())?;
        }
        Ok(subarray)
    }

    /// Cells along each dimension, where all of them count whole numbers. A dimension without a range is as long as
    /// `whole`.
    #[must_use]
    pub fn shape<'a>(
        &'a self,
        schema: &ArraySchema,
        whole: impl Fn(usize) -> Option<&'a Range>,
    ) -> Option<Vec<u64>> {
        let sides = schema.dimensions.iter().enumerate();
        let sides = sides.map(|(index, dimension)| {
            let cells = |range| cells_of(dimension.datatype, range);
            match self.ranges(index) {
                Some(ranges) => ranges
                    .iter()
                    .try_fold(0_u64, |all, range| all.checked_add(cells(range)?)),
                None => cells(whole(index)?),
            }
        });
        sides.collect()
    }

    /// Cells along each dimension of what a read of a dense array returns.
    #[must_use]
    pub fn result_shape(&self, schema: &ArraySchema) -> Option<Vec<u64>> {
        let asks = (0..schema.dimensions.len()).any(|index| self.ranges(index).is_some());
        // As soon as anything is asked for, a dimension without a range is read as a whole.
        self.shape(schema, |index| {
            if asks {
                schema.dimensions.get(index)?.domain.as_ref()
            } else {
                schema.bounds(index)
            }
        })
    }

    /// Adds an interval along the dimension at `index`.
    pub(crate) fn add(
        &mut self,
        dimensions: &[Dimension],
        index: usize,
        range: Range,
    ) -> Result<(), QueryError> {
        let (Some(dimension), Some(place)) =
            (dimensions.get(index), self.dimensions.get_mut(index))
        else {
            return Err(Bug::new("a range is of a dimension that the array does not have").into());
        };
        let datatype = dimension.datatype;
        let fixed = !dimension.cell_val_num.is_var();
        if fixed && (range.lo.len() != datatype.size() || range.hi.len() != datatype.size()) {
            return Err(QueryError::RangeType {
                dimension: dimension.name.clone(),
                datatype,
            });
        }
        if !range.is_ordered(datatype) {
            return Err(QueryError::RangeBackwards {
                kind: "dimension",
                name: dimension.name.clone(),
            });
        }
        let ranges = place.get_or_insert_default();
        let Some(domain) = dimension.domain.as_ref().filter(|_| fixed) else {
            ranges.push(range);
            return Ok(());
        };
        match cut(datatype, domain, &range) {
            None => self.warnings.push(format!(
                "a range of dimension {:?} lies outside its domain",
                dimension.name
            )),
            Some(inside) => {
                if inside != range {
                    self.warnings.push(format!(
                        "a range of dimension {:?} was cut to its domain",
                        dimension.name
                    ));
                }
                ranges.push(inside);
            }
        }
        Ok(())
    }

    /// The intervals of a dimension in the order given; `None` for all of it.
    #[must_use]
    pub fn ranges(&self, dimension: usize) -> Option<&[Range]> {
        self.dimensions.get(dimension)?.as_deref()
    }

    /// Leaves nothing of it.
    pub(crate) fn clear(&mut self) {
        self.dimensions.fill(Some(Vec::new()));
    }

    /// Whether it contains no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dimensions
            .iter()
            .any(|ranges| ranges.as_ref().is_some_and(Vec::is_empty))
    }

    /// Whether it is the whole domain.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.dimensions.iter().all(Option::is_none)
    }

    /// Warnings about ranges that were clipped or dropped.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The part of `range` within `domain`.
fn cut(datatype: Datatype, domain: &Range, range: &Range) -> Option<Range> {
    if !range.intersects(datatype, domain) {
        return None;
    }
    let lo = if range.contains(datatype, &domain.lo) {
        &domain.lo
    } else {
        &range.lo
    };
    let hi = if range.contains(datatype, &domain.hi) {
        &domain.hi
    } else {
        &range.hi
    };
    Some(Range {
        lo: lo.clone(),
        hi: hi.clone(),
    })
}

fn no_dimension(schema: &ArraySchema, name: &str) -> QueryError {
    let known = schema.dimensions.iter().map(|d| d.name.as_str());
    UnknownName::new("dimension", name, known).into()
}

/// Whole numbers in a range.
fn cells_of(datatype: Datatype, range: &Range) -> Option<u64> {
    let whole = |bytes| match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(i128::from(value)),
        Value::Unsigned(value) => Some(i128::from(value)),
        _ => None,
    };
    let (lo, hi) = (whole(&range.lo)?, whole(&range.hi)?);
    u64::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()
}
