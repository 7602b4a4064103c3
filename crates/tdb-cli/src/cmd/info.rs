//! `tdb info`: one screen about an array or group.

mod array;
mod array_screen;
mod group;

use clap::Args;
use tdb_array::{Array, Group, ObjectType};

use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use tdb::place;

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
    match location.object_type()? {
        ObjectType::Array => {
            let open = || Array::open_location(&place, options);
            let array = global.counts.stage("open", open);
            let array = array.map_err(|e| Failure::in_place(e, &location))?;
            let facts = array::Facts::gather(&array, global.at().is_none())
                .map_err(|e| Failure::in_place(e, &location))?;
            if global.json {
                write_json(out, &facts.json(&arguments.uri, global.ticks))
            } else {
                array_screen::write(&facts, &arguments.uri, global.ticks, out)
            }
        }
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
        ObjectType::Invalid => Err(place::nothing(&arguments.uri, "array or group").into()),
    }
}
