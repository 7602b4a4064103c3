//! `tdb group add` and `tdb group rm`.

use clap::Args;
use tdb_array::{ErrorKind, Group, MemberChange, ObjectType, Target};

use super::{change, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::location::{self, Location};

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// A group
    group: String,
    /// An array or group
    uri: String,
    /// What the group is to call it
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Keep where it is relative to the group, which must hold it
    #[arg(long)]
    relative: bool,
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
    let options = change::options(global, &session(global))?;
    let location = location::group(&arguments.group, global)?;
    let group = change::open_group_at(&location, &options)?;
    let member = location::folder(&arguments.uri, global)?;
    let object_type = member.object_type()?;
    if object_type == ObjectType::Invalid {
        return Err(location::nothing(&arguments.uri, "array or group"));
    }
    let uri = match arguments.relative {
        true => below(&group, &location, &member)?,
        false => member.store_uri.clone(),
    };
    let change = MemberChange::Add {
        uri,
        name: arguments.name.clone(),
        relative: arguments.relative,
        object_type,
    };
    group
        .change_members(&[change], &options)
        .map_err(|error| location.failed(error))
}

/// Where a member is, told from the group.
fn below(group: &Group, location: &Location, member: &Location) -> Result<String, Failure> {
    let absolute = tdb_array::GroupMember {
        uri: member.store_uri.clone(),
        ..tdb_array::GroupMember::default()
    };
    match group.target(&absolute) {
        Target::Inside(prefix) if !prefix.is_empty() => Ok(prefix),
        _ => {
            let what = format!("{} does not lie in {}", member.uri, location.uri);
            let failure = Failure::new(ErrorKind::Invalid, what);
            Err(failure.hint("without --relative, a member may lie anywhere"))
        }
    }
}

pub(crate) fn remove(arguments: &Rm, global: &Global) -> Result<(), Failure> {
    let options = change::options(global, &session(global))?;
    let location = location::group(&arguments.group, global)?;
    let group = change::open_group_at(&location, &options)?;
    if group
        .member_called(&arguments.name)
        .is_err_and(|e| e.kind() == ErrorKind::Invalid)
        && !group
            .members()
            .iter()
            .any(|member| member.uri == arguments.name)
    {
        let what = format!("no member is called {:?}", arguments.name);
        let failure = Failure::new(ErrorKind::NotFound, what).at(&location.uri);
        return Err(failure.hint(format!("tdb group ls {} lists them", location.uri)));
    }
    group
        .change_members(&[MemberChange::Remove(arguments.name.clone())], &options)
        .map_err(|error| location.failed(error))
}
