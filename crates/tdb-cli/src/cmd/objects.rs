//! `tdb cp`, `tdb mv` and `tdb rm`: whole arrays and groups, and nothing outside them.

use std::io::Write;

use clap::Args;
use serde_json::json;
use tdb::engine::array::{Contents, ContentsSize};
use tdb::engine::tile::Code;
use tdb::place;

use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{bytes, plural};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb cp target/weather target/weather-copy\n\n\
    For a group, everything in its folder is included; members elsewhere are listed and stay where they are."
)]
pub(crate) struct CopyArguments {
    /// An array or group
    from: String,
    /// Target, which must not exist yet
    to: String,
    /// Also copy members outside of the group, into the folder of the copy
    #[arg(long)]
    follow_external: bool,
    /// Print what would be done, without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb mv target/weather-copy target/weather-moved\n\n\
    For a group, everything in its folder is included; members elsewhere are listed and stay where they are."
)]
pub(crate) struct MoveArguments {
    /// An array or group
    from: String,
    /// Target, which must not exist yet
    to: String,
    /// Print what would be done, without doing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb rm target/weather --dry-run\n\n\
    For a group, members in its folder are removed as well; members elsewhere, and other files in the folder, are listed and kept.")]
pub(crate) struct RemoveArguments {
    /// An array or group
    uri: String,
    /// Print what would be removed, without removing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

pub(crate) fn copy(
    arguments: &CopyArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (from, to) = (&arguments.from, &arguments.to);
    let objects = context(global)?.objects(from)?;
    if !arguments.follow_external {
        warn_of(objects.contents().left(), out);
        objects.check_vacant(to)?;
        if arguments.dry_run {
            tell("copy", objects.contents(), global, out)?;
            return sum_up("would be copied", true, objects.size()?, global, out);
        }
        objects.copy(to)?;
        return sum_up("copied", false, objects.size()?, global, out);
    }
    objects.check_vacant(to)?;
    let all = objects.with_outside()?;
    warn_of(all.contents().left(), out);
    // Members outside the group may also occupy the target.
    all.check_vacant(to)?;
    if arguments.dry_run {
        let folders = all.contents().folders().filter(|_| !global.json);
        for (uri, object_type) in folders {
            writeln!(out, "copy {} {uri}", object_type.name())?;
        }
        return sum_up("would be copied", true, all.size()?, global, out);
    }
    all.copy(to)?;
    sum_up("copied", false, all.size()?, global, out)
}

pub(crate) fn rename(
    arguments: &MoveArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    place::refuse_link(&arguments.from)?;
    let objects = context(global)?.objects(&arguments.from)?;
    warn_of(objects.contents().left(), out);
    objects.check_vacant(&arguments.to)?;
    let size = objects.size()?;
    if arguments.dry_run {
        tell("move", objects.contents(), global, out)?;
        return sum_up("would be moved", true, size, global, out);
    }
    objects.rename(&arguments.to)?;
    sum_up("moved", false, size, global, out)
}

pub(crate) fn remove(
    arguments: &RemoveArguments,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    place::refuse_link(&arguments.uri)?;
    let objects = context(global)?.objects(&arguments.uri)?;
    warn_of(objects.contents().left(), out);
    warn_of_others(objects.contents(), out);
    let objects = objects.of_members();
    let size = objects.size()?;
    if arguments.dry_run {
        tell("remove", objects.contents(), global, out)?;
        return sum_up("would be removed", true, size, global, out);
    }
    objects.remove()?;
    sum_up("removed", false, size, global, out)
}

/// Prints how much was, or would be, copied, moved or removed.
fn sum_up(
    done: &str,
    dry_run: bool,
    size: ContentsSize,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    if global.json {
        let told = json!({
            "arrays": size.arrays,
            "groups": size.groups,
            "objects": size.objects,
            "bytes": size.bytes,
            "dry_run": dry_run,
        });
        return write_json(out, &told);
    }
    let mut what: Vec<String> = [(size.arrays, "array"), (size.groups, "group")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| plural(count, name))
        .collect();
    what.push(plural(size.objects, "object"));
    out.note(&format!(
        "{} ({}) {done}",
        what.join(", "),
        bytes(size.bytes)
    ));
    Ok(())
}

fn warn_of(left: &[String], out: &Output) {
    for member in left {
        out.warn(&format!(
            "{member}: a member outside of the group, or missing; skipped"
        ));
    }
}

/// Warns about objects that a removal leaves in the group's folder.
fn warn_of_others(contents: &Contents, out: &Output) {
    let others: Vec<&str> = contents.others().collect();
    let Some(first) = others.first() else {
        return;
    };
    let more = match others.len() {
        1 => String::new(),
        count => format!(" and {} more", count.saturating_sub(1)),
    };
    out.warn(&format!(
        "{}{more}: in the folder of the group but not a member; kept",
        contents.uri(first)
    ));
}

fn tell(verb: &str, contents: &Contents, global: &Global, out: &mut Output) -> Result<(), Failure> {
    if global.json {
        return Ok(());
    }
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
    // Foreign files are copied as well, so they are listed.
    for key in contents.strange() {
        writeln!(out, "{verb} {key}")?;
    }
    Ok(())
}
