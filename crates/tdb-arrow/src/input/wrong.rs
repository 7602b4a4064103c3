//! Cells that no field takes.

/// A row whose cell is wrong, and why.
pub(super) type Wrong = (usize, String);
