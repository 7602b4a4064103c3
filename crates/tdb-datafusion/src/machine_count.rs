//! Number of machines that answer a query together.

use std::num::NonZeroUsize;

/// Extension of DataFusion's `SessionConfig`: arrays are split into partitions for this number of machines, each of
/// which runs as many at once as the configuration says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machines {
    /// Number of machines.
    pub count: NonZeroUsize,
}
