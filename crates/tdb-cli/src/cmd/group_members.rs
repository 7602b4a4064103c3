//! `tdb group add` and `tdb group rm`.

use clap::Args;
use tdb::{AddOptions, Group, MemberPlace};
use tdb_array::{ChangeOptions, OpenOptions, TimeWindow};

use crate::access::{Change, context};
use crate::failure::Failure;
use crate::global::Global;

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// A group
    group: String,
    /// An array or group
    uri: String,
    /// What the group is to call it; if it lies in the group, the last part of its path by default
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Refuse what does not lie in the group; what does is kept relative to it by default
    #[arg(long)]
    relative: bool,
    /// Keep the whole URI, though it lies in the group: it is lost when the group is moved
    #[arg(long, conflicts_with = "relative")]
    absolute: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// A group
    group: String,
    /// The member's name; its URI, if it has none
    #[arg(allow_hyphen_values = true)]
    name: String,
}

pub(crate) fn add(arguments: &Add, global: &Global) -> Result<(), Failure> {
    let (group, change) = open(&arguments.group, global)?;
    let mut options = AddOptions::default();
    options.name.clone_from(&arguments.name);
    options.place = match (arguments.relative, arguments.absolute) {
        (true, _) => MemberPlace::Relative,
        (false, true) => MemberPlace::Absolute,
        (false, false) => MemberPlace::Any,
    };
    options.change = change;
    Ok(group.add_with(&arguments.uri, &options)?)
}

pub(crate) fn remove(arguments: &Rm, global: &Global) -> Result<(), Failure> {
    let (group, change) = open(&arguments.group, global)?;
    Ok(group.remove_with(&arguments.name, &change)?)
}

/// The group as it is at the time of the change.
fn open(uri: &str, global: &Global) -> Result<(Group, ChangeOptions), Failure> {
    let context = context(global)?;
    let change = Change::new(global, context.shared_session())?.options;
    let options = OpenOptions {
        window: change.timestamp.map_or(TimeWindow::ALL, TimeWindow::until),
        ..OpenOptions::default()
    };
    Ok((context.open_group_with(uri, options)?, change))
}
