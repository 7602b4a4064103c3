use bytes::Bytes;
use tdb_filters::FilterList;
use tdb_tile::{Datatype, FormatVersion};

use crate::{AttributeRecord, CellValNum, DataOrder, Problem, SchemaError};

/// A column of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name; may be empty.
    pub name: String,
    /// The datatype of its values.
    pub datatype: Datatype,
    /// Values per cell.
    pub cell_val_num: CellValNum,
    /// Its filters.
    pub filters: FilterList,
    /// The bytes of a cell that was never written.
    pub fill: Bytes,
    /// Whether a cell of a nullable attribute that was never written is valid.
    pub fill_valid: bool,
    /// Whether cells may be null.
    pub nullable: bool,
    /// Whether the values are sorted.
    pub order: DataOrder,
    /// The enumeration that the values are indices into.
    pub enumeration: Option<String>,
}

/// The bytes of a cell that was never written, where nothing else is said: one value
/// of a var-sized field, otherwise as many as a cell holds.
#[must_use]
pub(crate) fn default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Bytes {
    let n = cell_val_num.fixed().unwrap_or(1);
    datatype.default_fill().repeat(n as usize).into()
}

/// The same, where a cell is not larger than 64 MiB.
#[cfg(feature = "serde")]
pub(crate) fn bounded_default_fill(datatype: Datatype, cell_val_num: CellValNum) -> Option<Bytes> {
    const LARGEST: u64 = 64 << 20;
    let is_small = cell_size(datatype, cell_val_num).is_none_or(|size| size <= LARGEST);
    is_small.then(|| default_fill(datatype, cell_val_num))
}

impl Attribute {
    /// An attribute of one value per cell, without filters.
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

    /// The same attribute with another number of values per cell, and the fill value that goes with it.
    #[must_use]
    pub fn with_cell_val_num(mut self, cell_val_num: CellValNum) -> Self {
        self.cell_val_num = cell_val_num;
        self.fill = default_fill(self.datatype, cell_val_num);
        self
    }

    /// Bytes of a cell, unless they vary.
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

    /// What a stored attribute of this version says.
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
        // The default is as large as a cell, whose size has to be believable first.
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
            // No name stands for none.
            enumeration: self.enumeration.as_deref().unwrap_or("").to_owned(),
        }
    }
}

/// Bytes of a cell, unless they vary.
pub(crate) fn cell_size(datatype: Datatype, cell_val_num: CellValNum) -> Option<u64> {
    let n = u64::from(cell_val_num.fixed()?);
    Some(n.saturating_mul(datatype.size() as u64))
}
