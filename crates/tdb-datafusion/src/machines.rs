//! How many machines answer a query together.

use std::num::NonZeroUsize;

/// An extension of DataFusion's `SessionConfig`: arrays are cut into partitions for so many machines, each of which reads as many
/// side by side as the configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machines {
    /// How many there are.
    pub count: NonZeroUsize,
}
