//! `tdb group add` and `tdb group rm`.

use clap::Args;
use tdb_array::{ErrorKind, Group, MemberChange, ObjectType, Target};

use super::change;
use crate::access::{Change, session};
use crate::failure::Failure;
use crate::global::Global;
use tdb::place::{self, Place};

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
    let change = Change::new(global, &session(global))?;
    let location = place::group(&arguments.group, &global.counts)?;
    let group = change::open_group_at(&location, &change)?;
    let member = place::folder(&arguments.uri, &global.counts)?;
    let object_type = member.object_type()?;
    if object_type == ObjectType::Invalid {
        return Err(place::nothing(&arguments.uri, "array or group").into());
    }
    if object_type == ObjectType::Group {
        check_no_cycle(arguments, &location, &member, &change)?;
    }
    let uri = match arguments.relative {
        true => below(&group, &location, &member)?,
        false => member.store_uri.clone(),
    };
    let added = MemberChange::Add {
        uri,
        name: arguments.name.clone(),
        relative: arguments.relative,
        object_type,
    };
    group
        .change_members(&[added], &change.options)
        .map_err(|error| Failure::in_place(error, &location))
}

/// Fails where a group would contain itself.
fn check_no_cycle(
    arguments: &Add,
    location: &Place,
    member: &Place,
    change: &Change,
) -> Result<(), Failure> {
    let refused = |what: String| {
        let failure = Failure::invalid(what);
        Err(failure.hint("a group cannot be in itself: what walks through it would not end"))
    };
    let (group, uri) = (&arguments.group, &arguments.uri);
    if location.is_place(&member.store_uri) {
        return refused(format!("{uri} and {group} are the same group"));
    }
    // What lies elsewhere is not walked through, so that groups there may lead back.
    let inner = change::open_group_at(member, change)?;
    let within = inner.walk().unwrap_or_default();
    let mut inside = within
        .iter()
        .filter(|found| matches!(found.target, Target::Inside(_)));
    match inside.any(|found| location.is_place(&found.uri)) {
        true => refused(format!("the group {group} is in {uri}")),
        false => Ok(()),
    }
}

/// Where a member is, told from the group.
fn below(group: &Group, location: &Place, member: &Place) -> Result<String, Failure> {
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
    let change = Change::new(global, &session(global))?;
    let location = place::group(&arguments.group, &global.counts)?;
    let group = change::open_group_at(&location, &change)?;
    let is_known = |name: &str| {
        let mut uris = group.members().iter().map(|member| &member.uri);
        group.member_called(name).is_ok() || uris.any(|uri| uri == name)
    };
    // Also as it was given when it was added.
    let given = place::absolute(&arguments.name);
    let names = [Some(arguments.name.clone()), given];
    let Some(name) = names.into_iter().flatten().find(|name| is_known(name)) else {
        let what = format!("there is no member called {:?}", arguments.name);
        let failure = Failure::new(ErrorKind::NotFound, what).at(&location.uri);
        return Err(failure.hint(format!("tdb group ls {} lists them", location.uri)));
    };
    group
        .change_members(&[MemberChange::Remove(name)], &change.options)
        .map_err(|error| Failure::in_place(error, &location))
}
