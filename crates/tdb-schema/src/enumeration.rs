use std::num::NonZeroUsize;
use std::sync::OnceLock;

use bytes::Bytes;
use tdb_tile::FormatVersion;
use tdb_tile::{Datatype, Limits, Record, U64Column};

use crate::attribute::cell_size;
use crate::{CellValNum, EnumerationRecord, Problem, SchemaError};

/// An enumeration: the values that the cells of an attribute refer to by index.
///
/// ```
/// use tdb_schema::{CellValNum, Enumeration};
/// use tdb_tile::Datatype;
///
/// let colours = Enumeration::from_values(
///     "colours", "__0123_0", Datatype::StringUtf8, CellValNum::Var, false, ["red", "green"],
/// )?;
/// assert_eq!(colours.value(1), Some(&b"green"[..]));
/// assert_eq!(colours.index_of(b"green"), Some(1));
/// assert_eq!(colours.index_of(b"blue"), None);
/// # Ok::<(), tdb_schema::SchemaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Enumeration {
    name: String,
    file: String,
    datatype: Datatype,
    cell_val_num: CellValNum,
    ordered: bool,
    data: Bytes,
    offsets: U64Column,
    /// Indices in the order of the values' bytes; computed on first use.
    sorted: OnceLock<Vec<u32>>,
}

impl PartialEq for Enumeration {
    fn eq(&self, other: &Self) -> bool {
        EnumerationRecord::from(self) == EnumerationRecord::from(other)
    }
}

impl Enumeration {
    /// Decodes an enumeration file whose generic tile was opened.
    ///
    /// # Errors
    /// Fails if the bytes break the format, or if offsets are out of order or beyond the data.
    pub fn decode(payload: &Bytes, limits: &Limits) -> Result<Self, SchemaError> {
        // The record stores its own version; the walk does not use the one given here.
        EnumerationRecord::decode(payload, FormatVersion::default(), &(), limits)?.try_into()
    }

    /// Encodes the content of an enumeration file.
    ///
    /// # Errors
    /// None in practice: every enumeration can be stored.
    pub fn encode(&self) -> Result<Vec<u8>, SchemaError> {
        Ok(EnumerationRecord::from(self).encode(FormatVersion::default(), &())?)
    }

    /// Creates an enumeration of these values, to be stored as `file`.
    ///
    /// # Errors
    /// Fails if the file name is invalid, if a value has the wrong size, or if a value occurs
    /// twice.
    pub fn from_values<V: AsRef<[u8]>>(
        name: impl Into<String>,
        file: impl Into<String>,
        datatype: Datatype,
        cell_val_num: CellValNum,
        ordered: bool,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, SchemaError> {
        let mut record = EnumerationRecord {
            name: name.into(),
            file: file.into(),
            datatype,
            cell_val_num: cell_val_num.into(),
            ordered,
            ..EnumerationRecord::default()
        };
        let (mut data, mut offsets) = (Vec::new(), Vec::new());
        let field = format!("values of enumeration {:?}", record.name);
        for value in values {
            let value = value.as_ref();
            let found = value.len() as u64;
            match cell_size(datatype, cell_val_num) {
                Some(wanted) if wanted != found => {
                    return Err(SchemaError::invalid(
                        field,
                        Problem::Length { wanted, found },
                    ));
                }
                None => offsets.extend_from_slice(&(data.len() as u64).to_le_bytes()),
                Some(_) => {}
            }
            data.extend_from_slice(value);
        }
        record.data = data.into();
        record.offsets = offsets.into();
        let enumeration = Self::try_from(record)?;
        match enumeration.first_duplicate() {
            Some(index) => Err(SchemaError::invalid(
                field,
                Problem::DuplicateValue { index },
            )),
            None => Ok(enumeration),
        }
    }

    /// Returns the enumeration with `more` values at its end, to be stored as `file`.
    ///
    /// # Errors
    /// As for [`Enumeration::from_values`].
    pub fn extended<V: AsRef<[u8]>>(
        &self,
        file: impl Into<String>,
        more: impl IntoIterator<Item = V>,
    ) -> Result<Self, SchemaError> {
        let more: Vec<V> = more.into_iter().collect();
        let values = self.iter().chain(more.iter().map(AsRef::as_ref));
        Self::from_values(
            self.name.clone(),
            file,
            self.datatype,
            self.cell_val_num,
            self.ordered,
            values,
        )
    }

    /// True if this enumeration contains all values of `old` at the same indices.
    #[must_use]
    pub fn extends(&self, old: &Self) -> bool {
        self.name == old.name
            && self.datatype == old.datatype
            && self.cell_val_num == old.cell_val_num
            && self.ordered == old.ordered
            && self.len() >= old.len()
            && self.iter().zip(old.iter()).all(|(a, b)| a == b)
    }

    /// The name that attributes refer to.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the file in `__schema/__enumerations` that stores the enumeration.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The datatype of the values.
    #[must_use]
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Number of numbers or characters per value.
    #[must_use]
    pub fn cell_val_num(&self) -> CellValNum {
        self.cell_val_num
    }

    /// True if the order of the values is meaningful.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        self.ordered
    }

    /// The bytes of all values, back to back.
    #[must_use]
    pub fn data(&self) -> &Bytes {
        &self.data
    }

    /// The start of each value in [`Enumeration::data`]; empty if all values have the same size.
    #[must_use]
    pub fn offsets(&self) -> &U64Column {
        &self.offsets
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        match cell_size(self.datatype, self.cell_val_num).map(usize::try_from) {
            // No cell has 0 bytes, and there are no cells that are larger than memory.
            Some(size) => size
                .ok()
                .and_then(NonZeroUsize::new)
                .map_or(0, |size| self.data.len() / size),
            None => self.offsets.len(),
        }
    }

    /// True if there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value at `index`; `None` if the index is out of range.
    #[must_use]
    pub fn value(&self, index: usize) -> Option<&[u8]> {
        let (start, end) = match cell_size(self.datatype, self.cell_val_num) {
            Some(size) => {
                let size = usize::try_from(size).ok()?;
                let start = index.checked_mul(size)?;
                (start, start.checked_add(size)?)
            }
            None => {
                let start = self.offsets.get(index)?;
                let next = index.checked_add(1).and_then(|next| self.offsets.get(next));
                let end = match next {
                    Some(next) => usize::try_from(next).ok()?,
                    None => self.data.len(),
                };
                (usize::try_from(start).ok()?, end)
            }
        };
        self.data.get(start..end)
    }

    /// Iterates over the values by index.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> + '_ {
        (0..self.len()).filter_map(|index| self.value(index))
    }

    /// Returns the index of a value; the lowest one if a file contains the value twice.
    #[must_use]
    pub fn index_of(&self, value: &[u8]) -> Option<usize> {
        let sorted = self.sorted();
        let at = sorted.partition_point(|&i| self.value(i as usize) < Some(value));
        let index = *sorted.get(at)? as usize;
        (self.value(index) == Some(value)).then_some(index)
    }

    fn sorted(&self) -> &[u32] {
        self.sorted.get_or_init(|| {
            // The constructors refuse more than 2^32 - 1 values.
            let mut sorted: Vec<u32> = (0..).take(self.len()).collect();
            sorted.sort_by_key(|&i| (self.value(i as usize), i));
            sorted
        })
    }

    fn first_duplicate(&self) -> Option<usize> {
        let value = |i: &u32| self.value(*i as usize);
        self.sorted()
            .array_windows()
            .filter(|[a, b]| value(a) == value(b))
            .map(|[_, b]| *b as usize)
            .min()
    }
}

impl TryFrom<EnumerationRecord> for Enumeration {
    type Error = SchemaError;

    fn try_from(record: EnumerationRecord) -> Result<Self, SchemaError> {
        let EnumerationRecord {
            version: _,
            name,
            file,
            datatype,
            cell_val_num,
            ordered,
            data,
            offsets,
        } = record;
        check_file_name(&name, &file)?;
        let fail = |what, problem| {
            let field = format!("{what} of enumeration {name:?}");
            Err(SchemaError::invalid(field, problem))
        };
        let cell_val_num = CellValNum::from(cell_val_num);
        let found = data.len() as u64;
        match cell_size(datatype, cell_val_num) {
            Some(0) => return fail("cell_val_num", Problem::NotPositive),
            Some(size) if !found.is_multiple_of(size) => {
                return fail("data", Problem::Fraction { found, size });
            }
            _ => {}
        }
        let found = offsets.len() as u64;
        let Some(offsets) = U64Column::new(offsets) else {
            return fail("offsets", Problem::Fraction { found, size: 8 });
        };
        if let Err(problem) = check_offsets(&offsets, data.len() as u64, datatype.size() as u64) {
            return fail("offsets", problem);
        }
        let made = Self {
            name,
            file,
            datatype,
            cell_val_num,
            ordered,
            data,
            offsets,
            sorted: OnceLock::new(),
        };
        let (found, most) = (made.len(), u32::MAX as usize);
        if found > most {
            let field = format!("values of enumeration {:?}", made.name);
            return Err(SchemaError::invalid(
                field,
                Problem::TooMany { found, most },
            ));
        }
        Ok(made)
    }
}

fn check_offsets(offsets: &U64Column, len: u64, size: u64) -> Result<(), Problem> {
    let mut least = 0;
    for (index, offset) in offsets.iter().enumerate() {
        let is_first_elsewhere = index == 0 && offset != 0;
        if offset < least || offset > len || is_first_elsewhere {
            return Err(Problem::Offset { index, offset, len });
        }
        if !offset.is_multiple_of(size) {
            return Err(Problem::Fraction {
                found: offset,
                size,
            });
        }
        least = offset;
    }
    Ok(())
}

impl From<&Enumeration> for EnumerationRecord {
    fn from(enumeration: &Enumeration) -> Self {
        Self {
            version: 0,
            name: enumeration.name.clone(),
            file: enumeration.file.clone(),
            datatype: enumeration.datatype,
            cell_val_num: enumeration.cell_val_num.into(),
            ordered: enumeration.ordered,
            data: enumeration.data.clone(),
            offsets: enumeration.offsets.as_bytes().clone(),
        }
    }
}

/// Checks the name of a file in `__schema/__enumerations`: a single path component that starts with
/// `__`.
pub(crate) fn check_file_name(name: &str, file: &str) -> Result<(), SchemaError> {
    if file.starts_with("__") && !file.contains(['/', '\\', '\0', ':']) {
        return Ok(());
    }
    Err(SchemaError::EscapesRoot {
        field: format!("file of enumeration {name:?}"),
        name: file.to_owned(),
    })
}
