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
    let inside = match below(&group, &location, &member) {
        Err(failure) if arguments.relative => return Err(failure),
        inside => inside.ok(),
    };
    let usual_name = inside.as_deref().map(tdb_store::name);
    if let (Some(name), None) = (usual_name, &arguments.name) {
        check_name_is_free(&group, name, &member)?;
    }
    let relative = inside.clone().filter(|_| !arguments.absolute);
    let added = MemberChange::Add {
        relative: relative.is_some(),
        uri: relative.unwrap_or_else(|| member.store_uri.clone()),
        name: arguments
            .name
            .clone()
            .or_else(|| usual_name.map(str::to_owned)),
        object_type,
    };
    group
        .change_members(&[added], &change.options)
        .map_err(|error| Failure::in_place(error, &location))
}

/// Fails where a name that nobody gave is that of another member, which would be replaced.
fn check_name_is_free(group: &Group, name: &str, member: &Place) -> Result<(), Failure> {
    let Ok(other) = group.member_called(name) else {
        return Ok(());
    };
    let is_same = match group.target(other) {
        Target::Inside(prefix) => prefix == member.prefix(),
        Target::Outside(uri) => uri == member.store_uri,
    };
    if is_same {
        return Ok(());
    }
    let uri = group.member_uri(other);
    let what = format!("there is a member {name:?} already: {uri}");
    Err(Failure::invalid(what).hint("--name gives another name, or replaces it with the same"))
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
