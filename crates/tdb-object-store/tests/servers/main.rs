//! Servers of object stores as they are, and as they fail.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

mod addresses;
mod asking;
mod bounds;
mod conditions;
mod elsewhere;
mod gcs;
mod refusals;
mod s3;
mod silence;
mod strangers;
mod stub;
mod uploads;
