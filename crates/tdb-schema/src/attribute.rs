use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, FormatVersion};

use crate::{AttributeRecord, CellValNum, DataOrder, Problem, SchemaError};

/// An attribute of an array: a column of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The name; may be empty.
    pub name: String,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Number of values per cell.
    pub cell_val_num: CellValNum,
    /// The filters of the values; offsets and validity have their own.
    pub filters: FilterList,
    /// The fill value: the bytes of a cell that was never written.
    pub fill: Bytes,
    /// The validity of a cell that was never written, if the attribute is nullable.
    pub fill_valid: bool,
    /// True if cells may be null.
    pub nullable: bool,
    /// The order of the values along the array, if they are sorted.
    pub order: DataOrder,
    /// The name of the enumeration whose values the cells refer to by index.
    pub enumeration: Option<String>,
}

/// Returns the default fill value: one value for a var-sized field, otherwise the values of one
/// cell.
#[must_use]
pub(crate) fn default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Bytes {
    let n = cell_val_num.fixed().unwrap_or(1);
    datatype.default_fill().repeat(n as usize).into()
}

/// Like [`default_fill`]; `None` if a cell is larger than 64 MiB.
#[cfg(feature = "serde")]
pub(crate) fn bounded_default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Option<Bytes> {
    const LARGEST: u64 = 64 << 20;
    let is_small = cell_size(datatype, cell_val_num).is_none_or(|size| size <= LARGEST);
    is_small.then(|| default_fill(datatype, cell_val_num))
}

impl Attribute {
    /// Creates an attribute with one value per cell and without filters.
    #[must_use]
    pub fn new(name: impl Into<String>, datatype: Datatype) -> Self {
        let cell_val_num = CellValNum::Fixed(1);
        Self {
            name: name.into(),
            datatype,
            cell_val_num,
            filters: FilterList::default(),
            fill: default_fill(datatype, cell_val_num),
            fill_valid: false,
            nullable: false,
            order: DataOrder::Unordered,
            enumeration: None,
        }
    }

    /// Sets the number of values per cell, and the fill value to its default.
    #[must_use]
    pub fn with_cell_val_num(mut self, cell_val_num: CellValNum) -> Self {
        self.cell_val_num = cell_val_num;
        self.fill = default_fill(self.datatype, cell_val_num);
        self
    }

    /// The size of a cell in bytes; `None` if it varies.
    #[must_use]
    pub fn cell_size(&self) -> Option<u64> {
        cell_size(self.datatype, self.cell_val_num)
    }

    pub(crate) fn check(&self) -> Result<(), SchemaError> {
        let fail = |what: &str, problem| {
            let field = format!("{what} of attribute {:?}", self.name);
            Err(SchemaError::invalid(field, problem))
        };
        match self.cell_val_num {
            CellValNum::Fixed(0) => return fail("cell_val_num", Problem::NotPositive),
            CellValNum::Fixed(_) if self.datatype == Datatype::Any => {
                let problem = Problem::CellValNum("cells of datatype any vary in size");
                return fail("cell_val_num", problem);
            }
            _ => {}
        }
        let (size, found) = (self.datatype.size() as u64, self.fill.len() as u64);
        match self.cell_size() {
            Some(wanted) if wanted != found => {
                return fail("fill", Problem::Length { wanted, found });
            }
            None if !found.is_multiple_of(size) => {
                return fail("fill", Problem::Fraction { found, size });
            }
            _ => {}
        }
        if self.enumeration.is_some() {
            if !self.datatype.is_integer() {
                let (found, why) = (self.datatype, "indices of an enumeration are integers");
                return fail("datatype", Problem::Datatype { found, why });
            }
            if self.cell_val_num != CellValNum::Fixed(1) {
                let problem = Problem::CellValNum("an enumerated cell is one index");
                return fail("cell_val_num", problem);
            }
        }
        Ok(())
    }

    /// Converts a stored attribute of this version, and checks it.
    pub(crate) fn from_record(
        record: AttributeRecord,
        version: FormatVersion,
    ) -> Result<Self, SchemaError> {
        let AttributeRecord {
            name,
            datatype,
            cell_val_num,
            filters,
            fill,
            nullable,
            fill_valid,
            order,
            enumeration,
        } = record;
        let mut attribute = Self {
            name,
            datatype,
            cell_val_num: cell_val_num.into(),
            filters,
            fill,
            fill_valid,
            nullable,
            order,
            enumeration: (!enumeration.is_empty()).then_some(enumeration),
        };
        if version.stores_fill_values() {
            attribute.check()?;
            return Ok(attribute);
        }
        // The default fill value is as large as a cell, so the attribute is checked without its
        // stored cell size first.
        let stored = std::mem::replace(&mut attribute.cell_val_num, CellValNum::Var);
        attribute.fill = default_fill(datatype, CellValNum::Var);
        attribute.check()?;
        Ok(attribute.with_cell_val_num(stored))
    }

    pub(crate) fn to_record(&self, version: FormatVersion) -> AttributeRecord {
        let is_implied = !version.stores_fill_values()
            && self.fill == default_fill(self.datatype, self.cell_val_num);
        AttributeRecord {
            name: self.name.clone(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num.into(),
            filters: self.filters.clone(),
            fill: if is_implied {
                Bytes::new()
            } else {
                self.fill.clone()
            },
            nullable: self.nullable,
            fill_valid: self.fill_valid,
            order: self.order,
            // The empty string is stored for no enumeration.
            enumeration: self.enumeration.as_deref().unwrap_or("").to_owned(),
        }
    }
}

/// Returns the size of a cell in bytes; `None` if it varies.
pub(crate) fn cell_size(datatype: Datatype, cell_val_num: CellValNum) -> Option<u64> {
    let n = u64::from(cell_val_num.fixed()?);
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a number of 32 bits by one of at most 8"
    )]
    let size = n * datatype.size() as u64;
    Some(size)
}
