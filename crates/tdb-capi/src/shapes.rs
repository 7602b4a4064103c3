//! Rectangles and current domains: which part of a domain may have cells. Schemas and handles share them, since a
//! program may give a rectangle to a schema first and set its ranges then.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb::engine::schema::Dimension;
use tdb::engine::tile::Range;

use crate::border::{Error, LentValues, Result};
use crate::dump;

/// One range per dimension, as far as they are set.
#[derive(Debug)]
pub(crate) struct Rectangle {
    dimensions: Vec<Dimension>,
    ranges: Mutex<Vec<Option<Range>>>,
    /// Bounds that programs were given pointers to.
    pub(crate) lent: LentValues,
}

impl Rectangle {
    /// Creates a rectangle over dimensions, of which no range is set.
    pub(crate) fn new(dimensions: Vec<Dimension>) -> Result<Self> {
        if dimensions.is_empty() {
            return Err(failed(
                "The TileDB domain used to create the NDRectangle has no dimensions.",
            ));
        }
        let ranges = vec![None; dimensions.len()];
        Ok(Self::with(dimensions, ranges))
    }

    fn with(dimensions: Vec<Dimension>, ranges: Vec<Option<Range>>) -> Self {
        Self {
            dimensions,
            ranges: Mutex::new(ranges),
            lent: LentValues::default(),
        }
    }

    /// Returns the dimensions.
    pub(crate) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// Returns the index of the dimension with a name.
    pub(crate) fn index_of(&self, name: &str) -> Result<usize> {
        let index = self.dimensions.iter().position(|d| d.name == name);
        index.ok_or_else(|| failed(format!("there is no dimension '{name}'")))
    }

    /// Returns a dimension.
    pub(crate) fn dimension(&self, index: usize) -> Result<&Dimension> {
        let dimension = self.dimensions.get(index);
        dimension.ok_or_else(|| failed("Trying to use an index out of bounds is not possible."))
    }

    /// Returns the range of a dimension, if it is set.
    pub(crate) fn range(&self, index: usize) -> Result<Option<Range>> {
        self.dimension(index)?;
        Ok(self.lock().get(index).cloned().flatten())
    }

    /// Sets the range of a dimension.
    pub(crate) fn set(&self, index: usize, range: Range) -> Result<()> {
        let dimension = self.dimension(index)?;
        let size = dimension.datatype.size();
        if !dimension.is_var() && (range.lo.len() != size || range.hi.len() != size) {
            let (lo, hi) = (range.lo.len(), range.hi.len());
            return Err(failed(format!(
                "Range sizes {lo} and {hi}: one does not match the expected size {size}"
            )));
        }
        if !range.is_ordered(dimension.datatype) {
            let text =
                "Lower range bound cannot be larger than the higher bound, and neither can be NaN";
            return Err(failed(text));
        }
        if let Some(place) = self.lock().get_mut(index) {
            *place = Some(range);
        }
        Ok(())
    }

    /// Describes the ranges.
    pub(crate) fn describe(&self) -> String {
        let ranges = self.lock();
        let datatypes = self.dimensions.iter().map(|d| d.datatype);
        dump::ranges(datatypes.zip(ranges.iter().map(Option::as_ref)))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Range>>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of a domain that may have cells: a rectangle, or nothing, which stands for the whole domain.
#[derive(Debug, Default)]
pub(crate) struct CurrentDomain(Mutex<Option<Arc<Rectangle>>>);

impl CurrentDomain {
    /// Wraps the ranges of a schema.
    pub(crate) fn of(dimensions: &[Dimension], ranges: Option<&[Range]>) -> Self {
        let rectangle = ranges.map(|ranges| {
            let ranges = ranges.iter().cloned().map(Some).collect();
            Arc::new(Rectangle::with(dimensions.to_vec(), ranges))
        });
        Self(Mutex::new(rectangle))
    }

    /// Returns the rectangle.
    pub(crate) fn rectangle(&self) -> Option<Arc<Rectangle>> {
        self.lock().clone()
    }

    /// Sets the rectangle, which can be done once.
    pub(crate) fn set(&self, rectangle: Arc<Rectangle>) -> Result<()> {
        let mut place = self.lock();
        if place.is_some() {
            return Err(failed(
                "Setting a rectangle on a non-empty CurrentDomain object is not allowed.",
            ));
        }
        *place = Some(rectangle);
        Ok(())
    }

    /// Returns the ranges for a schema with these dimensions; `None` if the current domain is empty.
    ///
    /// # Errors
    /// Fails if a range is missing, or goes beyond the domain.
    pub(crate) fn ranges(&self, dimensions: &[Dimension]) -> Result<Option<Vec<Range>>> {
        let Some(rectangle) = self.rectangle() else {
            return Ok(None);
        };
        let ranges = rectangle.lock().clone();
        if ranges.len() != dimensions.len() {
            return Err(failed(
                "The array current domain and the array schema have a non-equal number of dimensions",
            ));
        }
        let mut checked = Vec::new();
        for (index, (range, dimension)) in ranges.into_iter().zip(dimensions).enumerate() {
            let range = range.ok_or_else(|| {
                let text = "This current domain has no range specified for dimension idx";
                failed(format!("{text}: {index}"))
            })?;
            let domain = dimension.domain.as_ref();
            if domain.is_some_and(|domain| !domain.covers(dimension.datatype, &range)) {
                return Err(failed(
                    "This array current domain has ranges past the boundaries of the array schema domain",
                ));
            }
            checked.push(range);
        }
        Ok(Some(checked))
    }

    /// Describes the current domain.
    pub(crate) fn describe(&self) -> String {
        dump::current_domain(self.rectangle().map(|rectangle| rectangle.describe()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Rectangle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(text: impl Into<String>) -> Error {
    Error::short("CurrentDomain", text)
}
