//! The border between C and Rust: handles, pointers, return codes, and panics, which never cross it.

pub(crate) mod call;
pub(crate) mod error;
pub(crate) mod handles;
pub(crate) mod kept;
pub(crate) mod pointers;

pub(crate) use call::{call, call_alone, not_offered};
pub(crate) use error::{Error, Result};
pub(crate) use handles::{Handle, free, get, give, handle};
pub(crate) use kept::Kept;
