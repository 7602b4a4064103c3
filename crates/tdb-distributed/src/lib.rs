#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod address;
mod allowed;
mod cause;
mod channels;
mod check;
mod cluster;
mod codec;
mod error;
mod gate;
mod guard;
mod journal;
mod limits;
mod messages;
mod planner;
mod refused;
mod rerun;
mod spread;
mod state;
mod tls;
mod token;
mod token_file;
mod wire;
mod worker;
mod worker_error;

pub use allowed::Allowed;
pub use cluster::Cluster;
pub use error::ClusterError;
pub use limits::WorkerLimits;
pub use state::state_of;
pub use tls::Certificates;
pub use token::Token;
pub use wire::{Named, WireError, task_from_json, task_to_json};
pub use worker::Worker;

/// Version that workers and clients must have in common.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
