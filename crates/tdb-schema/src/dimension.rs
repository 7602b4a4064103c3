use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, Range, Scalar, with_scalar};

use crate::coordinate::Coordinate;
use crate::{CellValNum, DimensionRecord, Problem, SchemaError};

/// A dimension of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The name; may be empty in old arrays.
    pub name: String,
    /// The datatype of the coordinates.
    pub datatype: Datatype,
    /// One value, or [`CellValNum::Var`] for strings.
    pub cell_val_num: CellValNum,
    /// The filters of the dimension; if empty, see
    /// [`ArraySchema::dimension_filters`](crate::ArraySchema::dimension_filters).
    pub filters: FilterList,
    /// The range of allowed coordinates; `None` for strings.
    pub domain: Option<Range>,
    /// The width of a space tile, as a stored value of the dimension's datatype.
    pub extent: Option<Bytes>,
}

impl Dimension {
    /// Creates a dimension of numbers from `lo` to `hi`, with space tiles of width `extent`.
    #[must_use]
    pub fn numbers<T: Scalar>(
        name: impl Into<String>,
        datatype: Datatype,
        (lo, hi): (T, T),
        extent: T,
    ) -> Self {
        let mut bytes = Vec::with_capacity(T::SIZE);
        extent.write(&mut bytes);
        Self {
            name: name.into(),
            datatype,
            cell_val_num: CellValNum::Fixed(1),
            filters: FilterList::default(),
            domain: Some(Range::of(lo, hi)),
            extent: Some(bytes.into()),
        }
    }

    /// Creates a dimension of strings.
    #[must_use]
    pub fn strings(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            datatype: Datatype::StringAscii,
            cell_val_num: CellValNum::Var,
            filters: FilterList::default(),
            domain: None,
            extent: None,
        }
    }

    /// True if the coordinates are strings.
    #[must_use]
    pub fn is_var(&self) -> bool {
        self.cell_val_num.is_var()
    }

    /// True if the coordinates are whole numbers: integers, dates or times.
    #[must_use]
    pub fn is_integral(&self) -> bool {
        !self.is_var() && !self.datatype.is_real()
    }

    pub(crate) fn check(&self) -> Result<(), SchemaError> {
        let d = self.datatype;
        let fail = |what: &str, problem| Err(self.broken(what, problem));
        self.check_type()?;
        if d == Datatype::StringAscii {
            return if self.domain.is_some() {
                fail("domain", Problem::NotAllowed("strings have no domain"))
            } else if self.extent.is_some() {
                fail("extent", Problem::NotAllowed("strings have no tile extent"))
            } else {
                Ok(())
            };
        }
        let Some(domain) = &self.domain else {
            return fail("domain", Problem::Missing);
        };
        if let Err(problem) = with_scalar!(d, T => check_domain::<T>(domain)) {
            return fail("domain", problem);
        }
        let Some(extent) = &self.extent else {
            return Ok(());
        };
        with_scalar!(d, T => check_extent::<T>(domain, extent)).or_else(|p| fail("extent", p))
    }

    /// Checks the properties that the checks of domain and extent rely on.
    pub(crate) fn check_type(&self) -> Result<(), SchemaError> {
        let found = self.datatype;
        if found == Datatype::StringAscii {
            return if self.is_var() {
                Ok(())
            } else {
                let problem = Problem::CellValNum("strings vary in length");
                Err(self.broken("cell_val_num", problem))
            };
        }
        let is_number =
            found.is_integer() || found.is_datetime() || found.is_time() || found.is_real();
        if !is_number || found == Datatype::Bool {
            let why = "coordinates are numbers, dates, times or string_ascii";
            return Err(self.broken("datatype", Problem::Datatype { found, why }));
        }
        if self.cell_val_num != CellValNum::Fixed(1) {
            let problem = Problem::CellValNum("a coordinate is one number");
            return Err(self.broken("cell_val_num", problem));
        }
        Ok(())
    }

    fn broken(&self, what: &str, problem: Problem) -> SchemaError {
        SchemaError::invalid(format!("{what} of dimension {:?}", self.name), problem)
    }
}

fn check_domain<T: Coordinate>(domain: &Range) -> Result<(), Problem> {
    let (lo, hi) = domain.ends::<T>().ok_or(Problem::Length {
        wanted: T::SIZE as u64,
        found: domain.lo.len().min(domain.hi.len()) as u64,
    })?;
    if !lo.is_finite() || !hi.is_finite() {
        return Err(Problem::NotFinite);
    }
    if hi < lo {
        return Err(Problem::Reversed);
    }
    Ok(())
}

fn check_extent<T: Coordinate>(domain: &Range, extent: &Bytes) -> Result<(), Problem> {
    let Some((lo, hi)) = domain.ends::<T>() else {
        return Err(Problem::Missing);
    };
    let extent = T::read(extent)
        .filter(|_| extent.len() == T::SIZE)
        .ok_or(Problem::Length {
            wanted: T::SIZE as u64,
            found: extent.len() as u64,
        })?;
    if T::IS_REAL && extent.to_f64() == f64::INFINITY && !width(lo, hi).is_finite() {
        // TileDB stores infinity if no extent was given and the width of the domain is infinite in
        // the type.
        return Ok(());
    }
    if !extent.is_finite() {
        return Err(Problem::NotFinite);
    }
    if !T::IS_REAL {
        // Compared as unsigned: the width of a wide signed domain is stored without a sign.
        return match extent.above(T::default()).checked_sub(1) {
            None => Err(Problem::NotPositive),
            Some(last) if last > hi.above(lo) => Err(Problem::BeyondDomain),
            Some(_) => Ok(()),
        };
    }
    // If no extent was given, TileDB stores the width of the domain, which is 0 for a single point.
    if extent < T::default() || (extent == T::default() && lo != hi) {
        Err(Problem::NotPositive)
    } else if extent.to_f64() > hi.to_f64() - lo.to_f64() + 1.0 {
        Err(Problem::BeyondDomain)
    } else {
        Ok(())
    }
}

/// Returns the width of a domain in the type of its coordinates; it may be infinite.
pub(crate) fn width<T: Coordinate>(lo: T, hi: T) -> T {
    T::nearest(hi.to_f64() - lo.to_f64())
}

impl TryFrom<DimensionRecord> for Dimension {
    type Error = SchemaError;

    fn try_from(record: DimensionRecord) -> Result<Self, SchemaError> {
        let DimensionRecord {
            name,
            datatype,
            cell_val_num,
            filters,
            domain,
            null_extent,
            extent,
        } = record;
        let ends = (!domain.is_empty()).then(|| {
            // The check below rejects an odd length.
            let (lo, hi) = domain.split_at(domain.len() / 2);
            Range::new(domain.slice_ref(lo), domain.slice_ref(hi))
        });
        let dimension = Self {
            name,
            datatype,
            cell_val_num: cell_val_num.into(),
            filters,
            domain: ends,
            extent: (!null_extent).then_some(extent),
        };
        dimension.check()?;
        Ok(dimension)
    }
}

impl From<&Dimension> for DimensionRecord {
    fn from(dimension: &Dimension) -> Self {
        let domain = dimension.domain.as_ref().map_or_else(Bytes::new, |range| {
            [&range.lo[..], &range.hi[..]].concat().into()
        });
        Self {
            name: dimension.name.clone(),
            datatype: dimension.datatype,
            cell_val_num: dimension.cell_val_num.into(),
            filters: dimension.filters.clone(),
            domain,
            null_extent: dimension.extent.is_none(),
            // A dimension without an extent stores no bytes for it.
            extent: dimension.extent.as_ref().map_or(Bytes::new(), Bytes::clone),
        }
    }
}
