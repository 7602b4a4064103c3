//! `tdb info`: a one-screen summary of an array or group.

mod array;
mod array_screen;
mod group;

pub(super) use array::lost;
use clap::Args;
use tdb::engine::array::{Array, ErrorKind};

use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::Opener;
use crate::output::Output;
use tdb::place::{self, Place};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb info fixtures/v22_tour/array\n  tdb info --json fixtures/v22_tour/array --at 2024-04-11T12:00:00Z"
)]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = place::folder(&arguments.uri, &global.counts)?;
    let opener = Opener::of_arguments(context(global)?, global);
    let open = || opener.array_unless_group(&location);
    if let Some(array) = global.counts.stage("open", open)? {
        return array_info(array.engine(), arguments, global, &location, out);
    }
    let (group, metadata) = opener.among_others(|opener| {
        let group = opener.group(&location)?;
        let metadata = group.metadata()?;
        Ok((group, metadata))
    })?;
    let facts = group::Facts::gather(group.engine(), &metadata, &location, &opener);
    if global.json {
        return write_json(out, &facts.json(&arguments.uri, global.ticks));
    }
    for warning in facts.warnings() {
        out.warn(&warning);
    }
    facts.write(&arguments.uri, global.ticks, out)
}

/// How often an array is reopened if an object has been removed meanwhile.
pub(super) const LOOKS: u32 = 8;

/// Prints the summary of an open array.
fn array_info(
    array: &Array,
    arguments: &Arguments,
    global: &Global,
    place: &Place,
    out: &mut Output,
) -> Result<(), Failure> {
    array_info_again(array, arguments, global, place, out, LOOKS)
}

/// Like [`array_info`], with the number of remaining attempts: if an object has been vacuumed meanwhile, the array is
/// reopened.
fn array_info_again(
    array: &Array,
    arguments: &Arguments,
    global: &Global,
    place: &Place,
    out: &mut Output,
    looks: u32,
) -> Result<(), Failure> {
    let facts = match array::Facts::gather(array, global.at().is_none()) {
        Err(failure) if failure.kind == ErrorKind::NotFound && looks > 0 => {
            let again = array
                .again()
                .map_err(|error| Failure::in_place(error, place))?
                .ok_or(failure)?;
            return array_info_again(&again, arguments, global, place, out, looks - 1);
        }
        facts => facts.map_err(|error| Failure::in_place(error, place))?,
    };
    if global.json {
        write_json(out, &facts.json(&arguments.uri, global.ticks))
    } else {
        array_screen::write(&facts, &arguments.uri, global.ticks, out)
    }
}
