//! The border between C and Rust: handles, pointers, return codes, and panics, which never cross it.

pub(crate) mod call;
pub mod codes;
pub mod context;
pub(crate) mod error;
pub(crate) mod handles;
pub(crate) mod lent_values;
pub(crate) mod pointers;

pub(crate) use call::{call, not_offered};
pub(crate) use error::{Error, Result};
pub(crate) use handles::{Handle, free, get, give, handle};
pub(crate) use lent_values::LentValues;
