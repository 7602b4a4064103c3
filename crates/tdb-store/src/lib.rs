#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answers;
mod coalesce;
pub mod conformance;
mod error;
mod faulty;
mod key;
mod listing;
mod local;
mod memory;
mod objects;
mod read;
mod store;

pub use answers::answers;
pub use coalesce::{JoinedReads, read_coalesced};
pub use error::StoreError;
pub use faulty::{Faults, FaultyStore};
pub use key::{MAX_KEY_LEN, check_key, check_prefix, is_draft, join, name, parent};
pub use listing::{Listing, Object, Page};
pub use local::{LocalStore, SyncCounts, files_allowed};
pub use memory::{Counts, MemoryStore};
pub use objects::{
    copy, copy_sized, copy_tree, exists, read_tail, read_whole, remove_empty_folders,
};
pub use read::{ByteRange, Piece, Read};
pub use store::{
    Distance, ObjectWriter, ReadAndListed, SentReads, Store, list_all, list_by_folder, list_each,
    list_folders, read_one,
};
