//! Tests on stub servers, with and without faults.
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
