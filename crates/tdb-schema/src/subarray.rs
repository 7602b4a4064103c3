//! Subarrays: the requested ranges of dimensions.

use tdb_tile::{Bug, Datatype, ErrorKind, HasKind, Range};

use crate::names::UnknownName;
use crate::value::{Value, read};
use crate::{ArraySchema, Dimension};

/// The reasons why a range is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The ends of a range do not have the size of the dimension's coordinates.
    #[error("range of dimension {dimension:?} is not of type {datatype}")]
    Type {
        /// Name of the dimension.
        dimension: String,
        /// Datatype of the dimension.
        datatype: Datatype,
    },
    /// The lower end of a range is above its upper end.
    #[error("range of {kind} {name:?} ends before it begins")]
    Backwards {
        /// The kind of axis: `dimension` or `label`.
        kind: &'static str,
        /// Name of the dimension or label.
        name: String,
    },
    /// A range is not within the domain, but must be.
    #[error("range of dimension {dimension:?} reaches out of its domain: {domain}")]
    OutOfDomain {
        /// Name of the dimension.
        dimension: String,
        /// Both ends of the domain as text.
        domain: String,
    },
    /// The array has no dimension of this name.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// An invariant of this library is broken.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl RangeError {
    /// Classifies the error by what the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Type { .. }
            | Self::Backwards { .. }
            | Self::OutOfDomain { .. }
            | Self::Unknown(_) => ErrorKind::Invalid,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// A hint at how to avoid the error, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unknown(error) => Some(error.hint()),
            _ => None,
        }
    }
}

impl HasKind for RangeError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}

/// The part of the domain to read: the requested ranges of each dimension, clipped to the domain.
#[derive(Clone, Debug, Default)]
pub struct Subarray {
    dimensions: Vec<Option<Vec<Range>>>,
    warnings: Vec<String>,
}

impl Subarray {
    /// Creates a subarray of the whole domain.
    #[must_use]
    pub fn all(schema: &ArraySchema) -> Self {
        Self {
            dimensions: vec![None; schema.dimensions.len()],
            warnings: Vec::new(),
        }
    }

    /// Creates the cross product of the ranges of each dimension; a dimension without a range is
    /// read whole.
    ///
    /// Ranges that extend beyond the domain are clipped, ranges outside of it are dropped, both
    /// with a warning.
    ///
    /// # Errors
    /// Fails if a dimension does not exist, or if the ends of a range have the wrong size or order.
    pub fn new(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Self, RangeError> {
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

    /// Like [`Subarray::new`], but refuses ranges that are not within the domain.
    ///
    /// # Errors
    /// As for [`Subarray::new`]; [`RangeError::OutOfDomain`] for a range that would be clipped or
    /// dropped.
    pub fn within(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Self, RangeError> {
        let subarray = Self::new(schema, ranges)?;
        for (name, range) in ranges {
            let mut dimensions = schema.dimensions.iter();
            let Some(dimension) = dimensions.find(|dimension| dimension.name == *name) else {
                continue;
            };
            let domain = dimension
                .domain
                .as_ref()
                .filter(|_| !dimension.cell_val_num.is_var());
            let outside = domain.filter(|domain| {
                range.intersection(dimension.datatype, domain).as_ref() != Some(range)
            });
            if let Some(domain) = outside {
                let end = |bytes: &[u8]| {
                    let end = read(dimension.datatype, bytes).map(|end| end.to_string());
                    end.ok_or_else(|| Bug::new("an end of a domain that is no coordinate"))
                };
                return Err(RangeError::OutOfDomain {
                    dimension: name.clone(),
                    domain: format!("{} .. {}", end(&domain.lo)?, end(&domain.hi)?),
                });
            }
        }
        Ok(subarray)
    }

    /// Returns the number of cells along each dimension; `None` unless all dimensions have whole
    /// numbers. For a dimension without a range, `whole` returns the range to count.
    #[must_use]
    pub fn shape<'a>(
        &'a self,
        schema: &ArraySchema,
        whole: impl Fn(usize) -> Option<&'a Range>,
    ) -> Option<Vec<u64>> {
        let dimensions = schema.dimensions.iter().enumerate();
        let sides = dimensions.map(|(index, dimension)| {
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

    /// Returns the number of cells along each dimension in the result of a read of a dense array.
    #[must_use]
    pub fn result_shape(&self, schema: &ArraySchema) -> Option<Vec<u64>> {
        let asks = (0..schema.dimensions.len()).any(|index| self.ranges(index).is_some());
        // If any dimension has a range, the others are read whole; without any range, a read
        // returns the current domain.
        self.shape(schema, |index| {
            if asks {
                schema.dimensions.get(index)?.domain.as_ref()
            } else {
                schema.bounds(index)
            }
        })
    }

    /// Adds a range along the dimension at `index`.
    pub fn add(
        &mut self,
        dimensions: &[Dimension],
        index: usize,
        range: Range,
    ) -> Result<(), RangeError> {
        let (Some(dimension), Some(place)) =
            (dimensions.get(index), self.dimensions.get_mut(index))
        else {
            return Err(Bug::new("a range is of a dimension that the array does not have").into());
        };
        let datatype = dimension.datatype;
        let fixed = !dimension.cell_val_num.is_var();
        if fixed && (range.lo.len() != datatype.size() || range.hi.len() != datatype.size()) {
            return Err(RangeError::Type {
                dimension: dimension.name.clone(),
                datatype,
            });
        }
        if !range.is_ordered(datatype) {
            return Err(RangeError::Backwards {
                kind: "dimension",
                name: dimension.name.clone(),
            });
        }
        let ranges = place.get_or_insert_default();
        let Some(domain) = dimension.domain.as_ref().filter(|_| fixed) else {
            ranges.push(range);
            return Ok(());
        };
        match range.intersection(datatype, domain) {
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

    /// Returns the ranges of a dimension in the order in which they were added; `None` for all of
    /// it.
    #[must_use]
    pub fn ranges(&self, dimension: usize) -> Option<&[Range]> {
        self.dimensions.get(dimension)?.as_deref()
    }

    /// Restricts dimensions without a range to `bounds`: pairs of a dimension's index and the range
    /// to read.
    pub fn restrict(&mut self, schema: &ArraySchema, bounds: &[(usize, Range)]) {
        for (index, range) in bounds {
            let (Some(dimension), Some(place @ None)) = (
                schema.dimensions.get(*index),
                self.dimensions.get_mut(*index),
            ) else {
                continue;
            };
            let inside = match dimension.domain.as_ref() {
                Some(domain) => range.intersection(dimension.datatype, domain),
                None => Some(range.clone()),
            };
            *place = Some(inside.into_iter().collect());
        }
    }

    /// Restricts dimensions without a range to the ranges of `other`, a subarray of the same schema.
    pub fn restrict_as(&mut self, other: &Self) {
        for (place, other) in self.dimensions.iter_mut().zip(&other.dimensions) {
            if place.is_none() {
                place.clone_from(other);
            }
        }
    }

    /// Clips the ranges of all dimensions to `bounds`, one per dimension, with a warning.
    /// Dimensions without a range stay unchanged.
    pub fn cut_to(&mut self, schema: &ArraySchema, bounds: &[Range]) {
        let dimensions = schema.dimensions.iter().zip(bounds);
        for ((dimension, bounds), place) in dimensions.zip(&mut self.dimensions) {
            let Some(ranges) = place else { continue };
            let before = ranges.clone();
            let inside = |range: &Range| range.intersection(dimension.datatype, bounds);
            *ranges = before.iter().filter_map(inside).collect();
            if *ranges != before {
                self.warnings.push(format!(
                    "ranges of dimension {:?} were cut to the current domain",
                    dimension.name
                ));
            }
        }
    }

    /// True if no dimension has more than one range.
    #[must_use]
    pub fn is_one_box(&self) -> bool {
        let mut ranges = self.dimensions.iter().flatten();
        ranges.all(|ranges| ranges.len() < 2)
    }

    /// Makes the subarray empty.
    pub fn clear(&mut self) {
        self.dimensions.fill(Some(Vec::new()));
    }

    /// True if the subarray contains no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dimensions
            .iter()
            .any(|ranges| ranges.as_ref().is_some_and(Vec::is_empty))
    }

    /// True if the subarray is the whole domain.
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

fn no_dimension(schema: &ArraySchema, name: &str) -> RangeError {
    let known = schema.dimensions.iter().map(|d| d.name.as_str());
    UnknownName::new("dimension", name, known).into()
}

/// Returns the number of whole numbers in a range; `None` for other values.
fn cells_of(datatype: Datatype, range: &Range) -> Option<u64> {
    let whole = |bytes| match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(i128::from(value)),
        Value::Unsigned(value) => Some(i128::from(value)),
        _ => None,
    };
    let (lo, hi) = (whole(&range.lo)?, whole(&range.hi)?);
    u64::try_from(hi.checked_sub(lo)?.checked_add(1)?).ok()
}
