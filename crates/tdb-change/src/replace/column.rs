use tdb_cells::Column;
use tdb_schema::{Attribute, CellValNum};

/// Builder of an attribute's column, cell by cell.
#[derive(Debug)]
pub(super) struct CellsOfColumn {
    empty: Column,
    cell_size: Option<usize>,
    rows: usize,
    values: Vec<u8>,
    offsets: Vec<u8>,
    validity: Vec<u8>,
}

impl CellsOfColumn {
    pub(super) fn new(attribute: &Attribute) -> Self {
        let empty = Column {
            name: attribute.name.clone(),
            datatype: attribute.datatype,
            cell_val_num: attribute.cell_val_num,
            nullable: attribute.nullable,
            values: bytes::Bytes::new(),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        Self {
            cell_size: empty.cell_size(),
            empty,
            rows: 0,
            values: Vec::new(),
            offsets: 0_u64.to_le_bytes().to_vec(),
            validity: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, cell: &[u8], is_valid: bool) {
        self.values.extend_from_slice(cell);
        let end = self.values.len() as u64;
        self.offsets.extend(end.to_le_bytes());
        if self.rows.is_multiple_of(8) {
            self.validity.push(0);
        }
        if let Some(byte) = self.validity.last_mut() {
            *byte |= u8::from(is_valid) << (self.rows % 8);
        }
        self.rows += 1;
    }

    pub(super) fn push_null(&mut self) {
        // A null cell of fixed size still takes its bytes.
        let zeros = vec![0; self.cell_size.unwrap_or(0)];
        self.push(&zeros, false);
    }

    pub(super) fn finish(self) -> Column {
        let is_var = self.empty.cell_val_num == CellValNum::Var;
        Column {
            values: self.values.into(),
            offsets: is_var.then(|| self.offsets.into()),
            validity: self.empty.nullable.then(|| self.validity.into()),
            ..self.empty
        }
    }
}
