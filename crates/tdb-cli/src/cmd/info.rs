//! `tdb info`: a one-screen summary of an array or group.

mod array;
mod array_screen;
mod group;

pub(super) use array::lost;
use clap::Args;
use tdb::engine::array::{Array, ArrayError, ErrorKind, Group, ObjectType};

use super::write_json;
use crate::access::{OpenSettings, session};
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
    let OpenSettings { access, options } = OpenSettings::new(global, &session(global))?;
    let place = access.to(&location);
    // Most objects are arrays. Trying to open one also determines the type, which saves a request to a remote store.
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
                let group = Group::open_location(place, &location.store_uri, options.clone())
                    .map_err(failed)?;
                let metadata = group.metadata().map_err(failed)?;
                Ok((group, metadata))
            })?;
            let opening = OpenSettings { access, options };
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
