#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod channels;
mod cluster;
mod codec;
mod error;
mod planner;
mod rerun;
mod spread;
mod state;
mod token;
mod wire;
mod worker;

pub use cluster::Cluster;
pub use error::ClusterError;
pub use state::state_of;
pub use token::Token;
pub use wire::{Named, WireError, task_from_json, task_to_json};
pub use worker::Worker;

/// What workers and clients must have in common: they speak the language of one version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
