//! Cells that no field can store.

/// Number of a row with an invalid cell, and the problem.
pub(super) type RowProblem = (usize, String);
