use tdb_tile::{Datatype, Limits, Scalar, with_scalar};

use crate::coordinate::{extent_bytes, extent_value, whole, whole_bytes};
use crate::dimension::width;
use crate::{
    ArraySchema, Attribute, COORDS, CellValNum, DELETE_CONDITION_INDEX, DELETE_TIMESTAMPS,
    DataOrder, Dimension, DimensionLabel, Enumeration, Problem, SchemaError, TIMESTAMPS,
};

/// Prefix of the label names that TileDB reserves.
const RESERVED: &str = "__";
/// Names of the fields that TileDB itself adds to a sparse array.
const SPECIAL: [&str; 4] = [
    COORDS,
    TIMESTAMPS,
    DELETE_TIMESTAMPS,
    DELETE_CONDITION_INDEX,
];

impl ArraySchema {
    /// Checks the rules for new arrays: TileDB refuses to create an array that breaks them, even if
    /// [`ArraySchema::check`] accepts the schema for reading.
    ///
    /// # Errors
    /// The first rule that the schema breaks.
    pub fn check_new(&self) -> Result<(), SchemaError> {
        self.check()?;
        self.check_capacity(&Limits::default())?;
        if self.is_dense() && self.attributes.is_empty() {
            return Err(SchemaError::invalid("attributes", Problem::Missing));
        }
        if self.is_dense() && self.allows_duplicates {
            let problem = Problem::NotAllowed("each cell of a dense array is there once");
            return Err(SchemaError::invalid("allows_duplicates", problem));
        }
        for dimension in &self.dimensions {
            self.check_dimension_name(&dimension.name)?;
            check_last_tile(dimension)?;
        }
        self.check_new_attributes()?;
        for label in &self.labels {
            if label.name.starts_with(RESERVED) {
                let problem = Problem::Name("names that start with __ are reserved");
                return Err(SchemaError::invalid(
                    format!("label {:?}", label.name),
                    problem,
                ));
            }
            self.check_new_label(label)?;
        }
        self.check_new_filters()
    }

    /// Checks the names of sparse arrays only. The name `__dim_0` is allowed: TileDB itself gives
    /// it to a dimension without a name.
    fn check_dimension_name(&self, name: &str) -> Result<(), SchemaError> {
        if self.is_dense() {
            Ok(())
        } else {
            check_name("dimension", name)
        }
    }

    /// Checks a label whose array is created with this one: its values are sorted, over a dimension
    /// of whole numbers.
    fn check_new_label(&self, label: &DimensionLabel) -> Result<(), SchemaError> {
        let fail = |what: &str, problem| {
            let field = format!("{what} of label {:?}", label.name);
            Err(SchemaError::invalid(field, problem))
        };
        if label.is_external || !label.relative {
            return fail(
                "uri",
                Problem::NotAllowed("a new label is kept in the array"),
            );
        }
        let dimension = self.dimensions.get(label.dimension as usize);
        if !dimension.is_some_and(Dimension::is_integral) {
            let why = "only dimensions of whole numbers have labels";
            return fail("dimension", Problem::NotAllowed(why));
        }
        if label.order == DataOrder::Unordered {
            return fail("order", Problem::NotAllowed("labels are sorted"));
        }
        let found = label.datatype;
        let is_text = found == Datatype::StringAscii;
        let is_number =
            found.is_integer() || found.is_datetime() || found.is_time() || found.is_real();
        if found == Datatype::Bool || !(is_number || is_text) {
            let why = "labels are numbers, dates, times or string_ascii";
            return fail("datatype", Problem::Datatype { found, why });
        }
        let wanted = if is_text {
            CellValNum::Var
        } else {
            CellValNum::Fixed(1)
        };
        if label.cell_val_num != wanted {
            let why = "a label is one number, or one string_ascii of any length";
            return fail("cell_val_num", Problem::CellValNum(why));
        }
        Ok(())
    }

    /// Checks the attributes; part of [`ArraySchema::check_new`].
    pub(crate) fn check_new_attributes(&self) -> Result<(), SchemaError> {
        for attribute in &self.attributes {
            check_name("attribute", &attribute.name)?;
            check_order(attribute)?;
            check_fill(attribute)?;
        }
        Ok(())
    }

    /// Fails if the datatype of an attribute cannot count the values of its enumeration.
    ///
    /// # Errors
    /// [`Problem::TooFewIndices`] for the first such attribute.
    pub fn check_indices(&self, enumeration: &Enumeration) -> Result<(), SchemaError> {
        // TileDB never uses the largest number as an index.
        self.check_counts_to(enumeration, Some(enumeration.len()))
    }

    /// As [`check_indices`](Self::check_indices), for an attribute that TileDB makes: it wants a number more then, though it
    /// lets an enumeration grow to as many values as others allow, and reads them.
    ///
    /// # Errors
    /// [`Problem::TooFewIndices`] for the first such attribute.
    pub fn check_new_indices(&self, enumeration: &Enumeration) -> Result<(), SchemaError> {
        self.check_counts_to(enumeration, enumeration.len().checked_add(1))
    }

    fn check_counts_to(
        &self,
        enumeration: &Enumeration,
        count: Option<usize>,
    ) -> Result<(), SchemaError> {
        let count = count.and_then(|count| i128::try_from(count).ok());
        for attribute in &self.attributes {
            let refers = attribute.enumeration.as_deref() == Some(enumeration.name());
            let largest = count.and_then(|count| whole_bytes(attribute.datatype, count));
            if refers && largest.is_none() {
                let problem = Problem::TooFewIndices {
                    datatype: attribute.datatype,
                    enumeration: enumeration.name().to_owned(),
                    values: enumeration.len(),
                };
                let field = format!("datatype of attribute {:?}", attribute.name);
                return Err(SchemaError::invalid(field, problem));
            }
        }
        Ok(())
    }

    /// Sets the tile extent of every dimension with a domain but no extent to the width of the
    /// domain, as TileDB stores it.
    #[must_use]
    pub fn with_extents(mut self) -> Self {
        for dimension in &mut self.dimensions {
            if dimension.extent.is_none() {
                dimension.extent = domain_width(dimension).map(Into::into);
            }
        }
        self
    }
}

fn domain_width(dimension: &Dimension) -> Option<Vec<u8>> {
    let (datatype, domain) = (dimension.datatype, dimension.domain.as_ref()?);
    if let (Some(lo), Some(hi)) = (whole(datatype, &domain.lo), whole(datatype, &domain.hi)) {
        let width = hi.checked_sub(lo)?.checked_add(1)?;
        return extent_bytes(datatype, u128::try_from(width).ok()?);
    }
    with_scalar!(datatype, T => {
        let (lo, hi) = domain.ends::<T>()?;
        let mut out = Vec::with_capacity(T::SIZE);
        width(lo, hi).write(&mut out);
        Some(out)
    })
}

fn check_name(what: &str, name: &str) -> Result<(), SchemaError> {
    if SPECIAL.contains(&name) {
        let problem = Problem::Name("TileDB keeps a field of its own under this name");
        return Err(SchemaError::invalid(format!("{what} {name:?}"), problem));
    }
    Ok(())
}

/// Fails if the domain holds every value of its type, or if the last space tile ends beyond the
/// largest value of a 64-bit type. TileDB does not check the last tile of narrower types.
fn check_last_tile(dimension: &Dimension) -> Result<(), SchemaError> {
    let datatype = dimension.datatype;
    let fail = |what: &str, problem| {
        let field = format!("{what} of dimension {:?}", dimension.name);
        Err(SchemaError::invalid(field, problem))
    };
    let Some(domain) = &dimension.domain else {
        return Ok(());
    };
    let (Some(lo), Some(hi)) = (whole(datatype, &domain.lo), whole(datatype, &domain.hi)) else {
        return Ok(());
    };
    let is_value =
        |value: Option<i128>| value.is_some_and(|value| whole_bytes(datatype, value).is_some());
    if !is_value(lo.checked_sub(1)) && !is_value(hi.checked_add(1)) {
        return fail("domain", Problem::HoldsEveryValue(datatype));
    }
    if datatype.size() < u64::SIZE {
        return Ok(());
    }
    let extent = dimension.extent.as_ref();
    let Some(extent) = extent.and_then(|e| extent_value(datatype, e)) else {
        return Ok(());
    };
    if is_value(end_of_tiles(lo, hi, extent.into())) {
        return Ok(());
    }
    fail("extent", Problem::LastTileOverflows(datatype))
}

/// Returns the last cell of the last space tile of a domain; `None` if it is beyond all numbers.
fn end_of_tiles(lo: i128, hi: i128, extent: i128) -> Option<i128> {
    let before_last = hi
        .checked_sub(lo)?
        .checked_div(extent)?
        .checked_mul(extent)?;
    lo.checked_add(before_last)?
        .checked_add(extent)?
        .checked_sub(1)
}

fn check_fill(attribute: &Attribute) -> Result<(), SchemaError> {
    let field = |what: &str| format!("{what} of attribute {:?}", attribute.name);
    if attribute.fill.is_empty() {
        return Err(SchemaError::invalid(field("fill"), Problem::NotPositive));
    }
    if attribute.fill_valid && !attribute.nullable {
        let problem = Problem::NotAllowed("means something where cells can be null, only");
        return Err(SchemaError::invalid(field("fill_valid"), problem));
    }
    Ok(())
}

fn check_order(attribute: &Attribute) -> Result<(), SchemaError> {
    if attribute.order == DataOrder::Unordered {
        return Ok(());
    }
    let fail = |problem| {
        let field = format!("order of attribute {:?}", attribute.name);
        Err(SchemaError::invalid(field, problem))
    };
    if attribute.nullable {
        return fail(Problem::NotAllowed("sorted values cannot be null"));
    }
    let is_string = attribute.datatype == tdb_tile::Datatype::StringAscii;
    match attribute.cell_val_num {
        CellValNum::Var if is_string => Ok(()),
        CellValNum::Fixed(1) if !is_string => Ok(()),
        _ => fail(Problem::CellValNum(
            "sorted cells hold one number, or one string_ascii of any length",
        )),
    }
}
