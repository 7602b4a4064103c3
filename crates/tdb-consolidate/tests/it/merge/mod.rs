//! Merging of fragments: all reads return the same as before.

#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

mod arrays;
mod changing;
mod copies;
mod far;
mod moments;
mod plans;
mod properties;
mod results;
mod rivals;
mod vanishing;
