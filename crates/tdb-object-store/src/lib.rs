#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod client;
mod connect;
mod connection;
mod elsewhere;
mod endpoint;
mod error;
mod listing;
mod lookup;
mod markers;
mod network;
mod profile;
mod put;
mod ranges;
mod remote;
mod removal;
mod runtime;
mod s3;
mod said;
mod service;
mod settings;
mod store;
mod stranger;
#[cfg(test)]
mod tests;
mod under_way;
mod uri;
mod variables;
mod words;
mod writer;

pub use connect::{objects, open};
pub use connection::Connection;
pub use error::OpenError;
pub use runtime::Runtime;
pub use service::Service;
pub use settings::{Settings, Taken};
pub use store::RemoteStore;
pub use uri::RemoteUri;
