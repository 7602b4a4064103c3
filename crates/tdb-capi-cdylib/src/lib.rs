//! The functions of [`tdb_capi`] as a library that C programs load.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub use tdb_capi::*;
