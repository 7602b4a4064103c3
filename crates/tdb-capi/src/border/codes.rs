//! Return codes. Programs look at them more than at texts.

/// The call did what it says.
pub const TILEDB_OK: i32 = 0;
/// The call failed.
pub const TILEDB_ERR: i32 = -1;
/// Memory ran out.
pub const TILEDB_OOM: i32 = -2;
/// The context is not one that lives.
pub const TILEDB_INVALID_CONTEXT: i32 = -3;
/// The place for the error is not one that can be written.
pub const TILEDB_INVALID_ERROR: i32 = -4;
