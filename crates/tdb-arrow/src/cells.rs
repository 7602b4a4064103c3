//! Cells of a result that are converted into an Arrow array.

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use tdb_cells::Column;
use tdb_cells::files::ConversionError;

/// Some cells of a column of the result.
pub(crate) struct ColumnCells<'a> {
    pub(crate) column: &'a Column,
    /// Number of cells.
    pub(crate) count: usize,
    /// Number of the first cell in the result, for errors.
    pub(crate) first: u64,
}

impl ColumnCells<'_> {
    pub(crate) fn number(&self, index: usize) -> u64 {
        self.first + index as u64
    }

    pub(crate) fn fail(&self, what: &'static str) -> ConversionError {
        ConversionError::column(&self.column.name, what)
    }

    /// The validity bits; `None` if all cells are valid.
    pub(crate) fn validity(&self) -> Option<Buffer> {
        self.column.validity.clone().map(Buffer::from)
    }

    /// Builds an array from its parts, after validating them.
    pub(crate) fn build(
        &self,
        data_type: &DataType,
        buffers: Vec<Buffer>,
        children: Vec<ArrayData>,
        validity: Option<Buffer>,
    ) -> Result<ArrayData, ConversionError> {
        build(data_type, self.count, buffers, children, validity)
    }
}

pub(crate) fn build(
    data_type: &DataType,
    len: usize,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
    validity: Option<Buffer>,
) -> Result<ArrayData, ConversionError> {
    ArrayData::builder(data_type.clone())
        .len(len)
        .buffers(buffers)
        .child_data(children)
        .null_bit_buffer(validity)
        .align_buffers(true)
        .build()
        .map_err(|error| ConversionError::library("Arrow", error))
}
