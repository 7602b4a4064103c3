//! `tdb info`: one screen about an array or group.

mod array;
mod array_screen;
mod group;

pub(super) use array::lost;
use clap::Args;
use tdb_array::{Array, ArrayError, ErrorKind, Group, ObjectType};

use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
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
    let Opening { access, options } = Opening::new(global, &session(global))?;
    let place = access.to(&location);
    // Most of what is asked about are arrays: opening one tells that, too, and asks a far store once less.
    let open = || Array::open_location(&place, options.clone());
    let error = match global.counts.stage("open", open) {
        Ok(array) => return array_info(&array, arguments, global, &location, out),
        Err(error) => error,
    };
    if !matches!(error, ArrayError::NoSuch { .. }) {
        return Err(Failure::in_place(error, &location));
    }
    match location.object_type()? {
        ObjectType::Array => Err(Failure::in_place(error, &location)),
        ObjectType::Group => {
            let (group, metadata) = access.among_others(&location, |place| {
                let failed = |error| Failure::in_place(error, &location);
                let group = Group::open_location(place, &location.store_uri, options.clone());
                let group = group.map_err(failed)?;
                let metadata = group.metadata().map_err(failed)?;
                Ok((group, metadata))
            })?;
            let opening = Opening { access, options };
            let facts = group::Facts::gather(&group, &metadata, &location, &opening);
            if global.json {
                return write_json(out, &facts.json(&arguments.uri, global.ticks));
            }
            for warning in facts.warnings() {
                out.warn(&warning);
            }
            facts.write(&arguments.uri, global.ticks, out)
        }
        ObjectType::Invalid => Err(location.nothing("array or group").into()),
    }
}

/// How often an array is looked at anew, at most, where what it had is gone.
const LOOKS: u32 = 8;

/// Tells of an array that has been opened.
fn array_info(
    array: &Array,
    arguments: &Arguments,
    global: &Global,
    place: &Place,
    out: &mut Output,
) -> Result<(), Failure> {
    array_info_again(array, arguments, global, place, out, LOOKS)
}

/// As [`array_info`]; where an object is not there any more, of the array opened anew: others may have vacuumed it.
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
            let again = array.again();
            let again = again.map_err(|error| Failure::in_place(error, place))?;
            let again = again.ok_or(failure)?;
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
