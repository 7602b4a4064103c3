//! All tests of tdb-arrow in one program, which is linked once.

mod common;
mod dates;
mod files;
mod input;
mod ipc_damage;
mod labels;
mod mapping;
mod others;
mod parquet_damage;
mod reader;
