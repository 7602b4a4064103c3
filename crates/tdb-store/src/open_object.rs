use std::fmt::Debug;

use crate::StoreError;

/// An object of which several parts are read, one after the other: [`Store::open_object`](crate::Store::open_object).
pub trait OpenObject: Send + Sync + Debug {
    /// How many bytes it has.
    fn size(&self) -> u64;

    /// Fills `into` with its bytes from `offset` on.
    ///
    /// # Errors
    /// [`StoreError::OutOfRange`] if there are too few bytes, or as the store reports. `into` then holds anything.
    fn read_into(&self, offset: u64, into: &mut [u8]) -> Result<(), StoreError>;
}
