//! The program with servers that behave like real ones.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

mod answers;
mod common;
mod environment;
mod groups;
mod markers;
#[path = "../../../tdb-object-store/tests/servers/stub/mod.rs"]
#[expect(
    dead_code,
    unused_imports,
    reason = "the tests of the stores need more of it"
)]
mod stub;
mod waiting;
