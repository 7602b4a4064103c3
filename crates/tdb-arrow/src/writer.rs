use tdb_cells::Batch;

use crate::ConversionError;

/// Takes a result batch by batch and writes it in some format.
pub trait BatchWriter {
    /// Writes the next batch.
    ///
    /// # Errors
    /// What does not fit the format, and where the output fails.
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError>;

    /// Writes what stands at the end, and everything still held back.
    ///
    /// # Errors
    /// Where the output fails; where the format needs more than was written.
    fn finish(self: Box<Self>) -> Result<(), ConversionError>;
}
