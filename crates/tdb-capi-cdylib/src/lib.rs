//! The functions of [`tdb_capi`] as a library that C programs load.

pub use tdb_capi::*;
