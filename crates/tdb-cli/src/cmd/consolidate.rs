//! `tdb consolidate`: what an array or group is stored in, merged.

use clap::{Args, ValueEnum};
use tdb_consolidate::{
    consolidate_array_metadata, consolidate_commits, consolidate_fragment_metadata,
    consolidate_group_metadata,
};

use super::{change, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::location;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb consolidate target/weather --mode commits\n\n\
    What was merged stays until `tdb vacuum` removes it."
)]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
    /// What is merged
    #[arg(long, value_enum)]
    mode: Mode,
}

/// What of an array or group is merged, or removed when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// The footers of the fragments
    FragmentMeta,
    /// The commits
    Commits,
    /// The metadata of an array
    ArrayMeta,
    /// The metadata of a group
    GroupMeta,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &Output) -> Result<(), Failure> {
    let options = change::options(global, &session(global))?;
    let uri = &arguments.uri;
    let plan = if arguments.mode == Mode::GroupMeta {
        let location = location::group(uri, global)?;
        let group = change::open_group_at(&location, &options)?;
        consolidate_group_metadata(&group, &options).map_err(|error| location.failed(error))?
    } else {
        let location = location::array(uri, global)?;
        let array = change::open_array(&location, &options)?;
        let plan = match arguments.mode {
            Mode::FragmentMeta => consolidate_fragment_metadata(&array, &options),
            Mode::Commits => consolidate_commits(&array, &options),
            Mode::ArrayMeta | Mode::GroupMeta => consolidate_array_metadata(&array, &options),
        };
        plan.map_err(|error| location.failed(error))?
    };
    if plan.is_empty() {
        out.note("there is nothing to merge");
    }
    Ok(())
}
