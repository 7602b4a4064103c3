//! Builds columns cell by cell.

use tdb_cells::{Column, FieldInfo};

/// Maximum number of bytes that are reserved for the next column in advance.
const MOST_RESERVED: usize = 1 << 20;

/// Builds a column of a field, one cell after the other.
#[derive(Clone, Debug)]
pub(crate) struct ColumnBuilder {
    field: FieldInfo,
    /// The values so far; the caller appends a cell and then calls [`ColumnBuilder::end_cell`].
    pub(crate) values: Vec<u8>,
    /// Var-sized fields: start of each cell, and the end of the last.
    offsets: Vec<u8>,
    /// Bytes of a cell of fixed size; `None` if cells are var-sized.
    size: Option<usize>,
    /// One bit per cell; empty as long as no cell is null.
    validity: Vec<u8>,
    rows: usize,
}

impl ColumnBuilder {
    pub(crate) fn new(field: &FieldInfo) -> Self {
        Self {
            field: field.clone(),
            values: Vec::new(),
            offsets: vec![0; 8],
            size: field.cell_size(),
            validity: Vec::new(),
            rows: 0,
        }
    }

    pub(crate) fn field(&self) -> &FieldInfo {
        &self.field
    }

    /// Size of the cells so far, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.values.len() + self.offsets.len()
    }

    /// Ends the cell whose values have been appended.
    #[inline]
    pub(crate) fn end_cell(&mut self) {
        if self.size.is_none() {
            let end = self.values.len() as u64;
            self.offsets.extend_from_slice(&end.to_le_bytes());
        }
        if !self.validity.is_empty() {
            self.set_bit(true);
        }
        self.rows += 1;
    }

    /// Appends a null cell: zeros, or an empty var-sized cell.
    pub(crate) fn null(&mut self) {
        if self.validity.is_empty() {
            self.validity = vec![0xff; self.rows / 8];
            self.validity.push((1_u8 << (self.rows % 8)) - 1);
        } else {
            self.set_bit(false);
        }
        match self.size {
            Some(size) => {
                let len = self.values.len() + size;
                self.values.resize(len, 0);
            }
            None => {
                let end = self.values.len() as u64;
                self.offsets.extend_from_slice(&end.to_le_bytes());
            }
        }
        self.rows += 1;
    }

    fn set_bit(&mut self, valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.validity.push(0);
        }
        if let Some(byte) = self.validity.last_mut() {
            *byte |= u8::from(valid) << (self.rows % 8);
        }
    }

    /// Returns the column so far, and starts another one.
    pub(crate) fn take(&mut self) -> Column {
        // The next column usually has about the same size.
        let like = |memory: &Vec<u8>| Vec::with_capacity(memory.len().min(MOST_RESERVED));
        let (mut next_offsets, next_values) = (like(&self.offsets), like(&self.values));
        next_offsets.extend_from_slice(&0_u64.to_le_bytes());
        let offsets = std::mem::replace(&mut self.offsets, next_offsets);
        let validity = std::mem::take(&mut self.validity);
        self.rows = 0;
        Column {
            name: self.field.name.clone(),
            datatype: self.field.datatype,
            cell_val_num: self.field.cell_val_num,
            nullable: self.field.nullable,
            values: std::mem::replace(&mut self.values, next_values).into(),
            offsets: self.size.is_none().then(|| offsets.into()),
            validity: (!validity.is_empty()).then(|| validity.into()),
            enumeration: None,
        }
    }
}
