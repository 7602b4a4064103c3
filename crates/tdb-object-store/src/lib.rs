#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answer_check;
mod client;
mod connect;
mod connection;
mod endpoint;
mod error;
mod listing;
mod lookup;
mod markers;
mod messages;
mod network;
mod profile;
mod put;
mod ranges;
mod rejected_answer;
mod remote;
mod removal;
mod runtime;
mod s3;
mod server_message;
mod service;
mod settings;
mod store;
#[cfg(test)]
mod tests;
mod under_way;
mod uri;
mod variables;
mod writer;

pub use connect::{objects, open};
pub use connection::Connection;
pub use error::OpenError;
pub use runtime::Runtime;
pub use service::Service;
pub use settings::Settings;
pub use store::RemoteStore;
pub use uri::RemoteUri;
