//! The functions of the interface, called as C programs call them.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

mod attributes;
mod dimensions;
mod enumerations;
mod evolution;
mod filters;
mod forks;
mod labels;
mod program;
mod queries;
mod random_finds;
mod schemas;
mod shapes;
mod texts;
