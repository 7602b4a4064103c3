#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod batches;
pub mod doctor;
pub mod explain;
pub mod layout;
mod map;
mod picture;
mod stored_field;
mod tile_trial;
mod trial;
mod verify;
mod verify_fragments;

pub use map::{Map, MapBox, MappedFragment, map};
pub use picture::{Picture, PictureAxis, PictureOptions, Pixel, read_picture};
pub use stored_field::{StoredField, TileExtents};
pub use tile_trial::{TileTrial, TileTrials, Tiles, try_tiles};
pub use trial::{Trial, Trials, filtered_fields, try_filters};
pub use verify::{Damage, DamagedPlace, Verification, verify, verify_group};
