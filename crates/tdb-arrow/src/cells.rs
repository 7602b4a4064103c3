//! Cells of a result, on their way to an Arrow array.

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::DataType;
use tdb_cells::Column;
use tdb_cells::files::ConversionError;

/// Some cells of a column of the result.
pub(crate) struct ColumnCells<'a> {
    pub(crate) column: &'a Column,
    /// How many.
    pub(crate) count: usize,
    /// The number of the first one in the result.
    pub(crate) first: u64,
}

impl ColumnCells<'_> {
    pub(crate) fn number(&self, index: usize) -> u64 {
        self.first.saturating_add(index as u64)
    }

    pub(crate) fn fail(&self, what: &'static str) -> ConversionError {
        ConversionError::column(&self.column.name, what)
    }

    /// The validity bits, unless all cells are valid.
    pub(crate) fn validity(&self) -> Option<Buffer> {
        self.column.validity.clone().map(Buffer::from)
    }

    /// Checks and joins the parts of an array.
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
