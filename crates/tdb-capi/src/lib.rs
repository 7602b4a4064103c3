#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
// Every function that C calls is unsafe, and gives its pointers to functions that check what can be checked. A block
// around each of these calls would say the same a thousand times.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "the functions of the interface are thin: see above"
)]

pub mod aggregate;
pub mod array;
pub mod array_schema;
pub mod attribute;
pub mod border;
pub mod buffer;
pub mod config;
pub mod consolidation;
pub mod constants;
pub mod context;
pub mod current_domain;
pub mod datatypes;
pub mod dimension;
pub mod dimension_label;
pub mod domain;
mod dump;
pub mod enumeration;
pub mod error;
pub mod evolution;
pub mod filestore;
pub mod filter;
pub mod filter_list;
pub mod fragment_info;
pub mod group;
pub mod metadata;
pub mod names;
pub mod object;
pub mod profile;
pub mod query;
pub mod query_condition;
pub mod rest;
mod schema_object;
mod shapes;
pub mod statistics;
pub mod string;
pub mod subarray;
pub mod subarray_labels;
pub mod vfs;
