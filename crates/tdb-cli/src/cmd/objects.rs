//! `tdb cp`, `tdb mv` and `tdb rm`: arrays and groups as a whole, and nothing outside of them.

use std::io::Write;
use std::path::Path;

use clap::Args;
use tdb_array::{ChangeOptions, Contents, OpenOptions, TimeWindow};
use tdb_tile::Code;

use super::{change, key, session};
use crate::args::Global;
use crate::failure::Failure;
use crate::location::{self, Location};
use crate::output::Output;

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
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb rm target/weather --dry-run\n\n\
    Of a group, members that lie in its folder go too; others are told, and stay.")]
pub(crate) struct RemoveArguments {
    /// An array or group
    uri: String,
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn copy(
    arguments: &CopyArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (location, contents) = find(&arguments.from, global, out)?;
    copy_to(&location, &contents, arguments, global, out)
}

pub(crate) fn rename(
    arguments: &CopyArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (location, contents) = find(&arguments.from, global, out)?;
    copy_to(&location, &contents, arguments, global, out)?;
    match arguments.dry_run {
        true => Ok(()),
        false => contents.remove().map_err(|error| location.failed(error)),
    }
}

pub(crate) fn remove(
    arguments: &RemoveArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (location, contents) = find(&arguments.uri, global, out)?;
    if arguments.dry_run {
        return tell("remove", &contents, global, out);
    }
    contents.remove().map_err(|error| location.failed(error))
}

fn find(uri: &str, global: &Global, out: &Output) -> Result<(Location, Contents), Failure> {
    let location = location::from_above(uri, global)?;
    let options = OpenOptions {
        window: TimeWindow::ALL,
        key: key(global)?,
        limits: session(global).limits().clone(),
        ..OpenOptions::default()
    };
    let (store, prefix) = (location.store.clone(), &location.prefix);
    let contents = Contents::find(store, prefix, &location.store_uri, options).map_err(
        |error| match error {
            tdb_array::ArrayError::NoSuch { .. } => location::nothing(uri, "array or group"),
            error => location.failed(error),
        },
    )?;
    for member in contents.left() {
        out.warn(&format!(
            "{member}: a member that lies outside, or is not there; left alone"
        ));
    }
    Ok((location, contents))
}

fn copy_to(
    location: &Location,
    contents: &Contents,
    arguments: &CopyArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let to = location::vacant(&arguments.to, global)?;
    let path = |place: &Location| {
        let root = Path::new(place.store_uri.trim_start_matches("file://"));
        root.join(&place.prefix)
    };
    let (original, copy) = (path(location), path(&to));
    if copy.starts_with(original) {
        let what = format!("{} lies in {}", arguments.to, arguments.from);
        return Err(Failure::invalid(what));
    }
    if arguments.dry_run {
        return tell("copy", contents, global, out);
    }
    let options = ChangeOptions {
        timestamp: global.at.map(|moment| moment.0),
        key: key(global)?,
        ..ChangeOptions::default()
    };
    contents
        .copy(&to.store, &to.prefix, &options)
        .map_err(|error| change::failed(&to, error))
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
    }
    Ok(())
}
