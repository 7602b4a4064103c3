#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod column;
mod dimension_type;
mod error;
mod level;
mod mbr;
mod rtree;
mod search;

pub use dimension_type::DimensionType;
pub use error::RTreeError;
pub use mbr::Mbr;
pub use rtree::RTree;
pub use search::TileOverlap;
