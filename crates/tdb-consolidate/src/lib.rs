#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod clean;
mod commit_objects;
mod commits;
mod fragment_metadata;
mod fragment_removal;
mod metadata;
mod place;
mod plan;
mod vacuum;
mod vacuum_commits;
mod vacuum_fragments;

pub use clean::debris;
pub use commits::consolidate_commits;
pub use fragment_metadata::consolidate_fragment_metadata;
pub use fragment_removal::plan_fragment_removal;
pub use metadata::{consolidate_array_metadata, consolidate_group_metadata};
pub use place::Place;
pub use plan::{Plan, Step};
pub use vacuum::{Mode, VacuumOptions, plan_vacuum};
