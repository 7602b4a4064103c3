#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod clean;
mod commit_objects;
mod commits;
mod commits_verified;

mod fragment_metadata;
mod fragment_removal;
mod later_removal;
mod left_alone;
mod merge;
mod merge_error;
mod merge_options;
mod merge_plan;
mod merge_progress;
mod merge_step;
mod metadata;
mod objects;
mod order_kept;
mod plan;
mod purge;
mod rewrite;
mod suggestion;
mod vacuum;
mod vacuum_commits;
mod vacuum_fragments;
mod vacuum_options;

pub use clean::debris;
pub use commits::{consolidate_commits, plan_merged_commits};
pub use commits_verified::{CommitFindings, verify_commits};

pub use fragment_metadata::{consolidate_fragment_metadata, plan_merged_footers};
pub use fragment_removal::{
    plan_contained_fragment_removal, plan_fragment_removal, plan_named_fragment_removal,
};
pub use later_removal::plan_later_removal;
pub use merge::MergeOutcome;
pub use merge_error::MergeError;
pub use merge_options::{History, MergeOptions, StepPolicy};
pub use merge_plan::{MergePlan, plan_merge};
pub use merge_step::{MergeStep, Source};
pub use metadata::{
    consolidate_array_metadata, consolidate_group_metadata, plan_merged_array_metadata,
    plan_merged_group_metadata,
};
pub use plan::{Plan, Step};
pub use suggestion::suggest_merges;
pub use vacuum::{Mode, plan_vacuum};
pub use vacuum_options::VacuumOptions;
