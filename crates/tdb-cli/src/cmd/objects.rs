//! `tdb cp`, `tdb mv` and `tdb rm`: arrays and groups as a whole, and nothing outside of them.

use std::io::Write;
use std::path::Path;

use clap::Args;
use tdb_array::{ChangeOptions, Contents, ContentsOutside, ErrorKind, OpenOptions};
use tdb_tile::Code;

use super::change;
use crate::access::{Access, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb cp target/weather target/weather-copy\n\n\
    Of a group, members that lie in its folder are taken along; others are told, and stay where they are."
)]
pub(crate) struct CopyArguments {
    /// An array or group
    from: String,
    /// Where there is nothing yet
    to: String,
    /// Take along members that lie elsewhere, into the folder of the copy
    #[arg(long)]
    follow_external: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb mv target/weather-copy target/weather-moved\n\n\
    Of a group, members that lie in its folder are taken along; others are told, and stay where they are."
)]
pub(crate) struct MoveArguments {
    /// An array or group
    from: String,
    /// Where there is nothing yet
    to: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb rm target/weather --dry-run\n\n\
    Of a group, members that lie in its folder go too; others are told, and stay.")]
pub(crate) struct RemoveArguments {
    /// An array or group
    uri: String,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn copy(
    arguments: &CopyArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (location, contents) = find(&arguments.from, global)?;
    if !arguments.follow_external {
        warn_of(contents.left(), out);
        let to = vacant(&arguments.to, &[&location], global)?;
        if arguments.dry_run {
            return tell("copy", &contents, global, out);
        }
        return contents
            .copy(to.store(), to.prefix(), &ChangeOptions::default())
            .map_err(|error| change::failed(&to, error));
    }
    let to = vacant(&arguments.to, &[&location], global)?;
    let mut originals = Vec::new();
    let all = ContentsOutside::find(contents, |uri| {
        let Some((location, contents)) = there(find(uri, global))? else {
            return Ok::<_, Failure>(None);
        };
        originals.push(location);
        Ok(Some(contents))
    })?;
    warn_of(all.left(), out);
    // What lies outside can hold the place of the copy, too.
    vacant(&arguments.to, &originals.iter().collect::<Vec<_>>(), global)?;
    if arguments.dry_run {
        for (uri, object_type) in all.folders() {
            writeln!(out, "copy {} {uri}", object_type.name())?;
        }
        return Ok(());
    }
    all.copy(
        to.store(),
        to.prefix(),
        &to.store_uri,
        &ChangeOptions::default(),
    )
    .map_err(|error| change::failed(&to, error))
}

pub(crate) fn rename(
    arguments: &MoveArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    place::refuse_link(&arguments.from)?;
    let (location, contents) = find(&arguments.from, global)?;
    warn_of(contents.left(), out);
    let to = vacant(&arguments.to, &[&location], global)?;
    if arguments.dry_run {
        return tell("move", &contents, global, out);
    }
    contents
        .rename(to.store(), to.prefix(), &ChangeOptions::default())
        .map_err(|error| change::failed(&to, error))
}

pub(crate) fn remove(
    arguments: &RemoveArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    place::refuse_link(&arguments.uri)?;
    let (location, contents) = find(&arguments.uri, global)?;
    warn_of(contents.left(), out);
    if arguments.dry_run {
        return tell("remove", &contents, global, out);
    }
    contents
        .remove()
        .map_err(|error| Failure::in_place(error, &location))
}

fn find(uri: &str, global: &Global) -> Result<(Place, Contents), Failure> {
    let location = place::from_above(uri, &global.counts)?;
    let place = Access::new(global, &session(global))?.to(&location);
    let options = OpenOptions::default();
    let contents =
        Contents::find(&place, &location.store_uri, options).map_err(|error| match error {
            tdb_array::ArrayError::NoSuch { .. } => place::nothing(uri, "array or group").into(),
            error => Failure::in_place(error, &location),
        })?;
    Ok((location, contents))
}

/// What was found, unless there is nothing to be found, or this build cannot go there.
fn there<T>(found: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(failure) => match failure.kind {
            ErrorKind::NotFound | ErrorKind::Unsupported => Ok(None),
            _ => Err(failure),
        },
    }
}

fn warn_of(left: &[String], out: &Output) {
    for member in left {
        out.warn(&format!(
            "{member}: a member that lies outside, or is not there; left alone"
        ));
    }
}

/// Where a path leads, which must not lie in what is copied.
fn vacant(to: &str, originals: &[&Place], global: &Global) -> Result<Place, Failure> {
    let copy = place::vacant(to, &global.counts)?;
    let path = |place: &Place| {
        let root = Path::new(place.store_uri.trim_start_matches("file://"));
        root.join(place.prefix())
    };
    let mut originals = originals.iter();
    match originals.find(|original| path(&copy).starts_with(path(original))) {
        Some(original) if path(&copy) == path(original) => Err(Failure::invalid(format!(
            "{} and {to} are the same",
            original.uri
        ))),
        Some(original) => Err(Failure::invalid(format!("{to} lies in {}", original.uri))),
        None => Ok(copy),
    }
}

fn tell(verb: &str, contents: &Contents, global: &Global, out: &mut Output) -> Result<(), Failure> {
    for (folder, object_type) in contents.folders() {
        let folder = if folder.is_empty() { "." } else { folder };
        writeln!(out, "{verb} {} {folder}", object_type.name())?;
    }
    if global.verbose {
        for key in contents.keys() {
            writeln!(out, "{verb} {key}")?;
        }
        return Ok(());
    }
    // What others put there goes along, and is not to go unnoticed.
    for key in contents.strange() {
        writeln!(out, "{verb} {key}")?;
    }
    Ok(())
}
