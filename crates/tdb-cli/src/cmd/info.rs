//! `tdb info`: one screen about an array or group.

mod array;
mod array_screen;
mod cells;
mod group;

use clap::Args;
use tdb_array::{Array, Group, ObjectType};

use super::{open_options, session, write_json};
use crate::args::Global;
use crate::failure::Failure;
use crate::location;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb info fixtures/v22_tour/array\n  tdb info --json fixtures/v22_tour/array --at 2024-04-11T12:00:00Z"
)]
pub(crate) struct Arguments {
    /// An array or group
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let location = location::folder(&arguments.uri, global)?;
    let options = open_options(global, &session(global))?;
    let (store, prefix) = (location.store.clone(), location.prefix.as_str());
    match location.object_type()? {
        ObjectType::Array => {
            let open = || Array::open(store, prefix, options);
            let array = global.counts.stage("open", open);
            let array = array.map_err(|e| location.failed(e))?;
            let facts = array::Facts::gather(&array, global.at.is_none())
                .map_err(|e| location.failed(e))?;
            match global.json {
                true => write_json(out, &facts.json(&arguments.uri, global.ticks)),
                false => array_screen::write(&facts, &arguments.uri, global.ticks, out),
            }
        }
        ObjectType::Group => {
            let uri = location.store_uri.as_str();
            let group = Group::open(store.clone(), prefix, uri, options.clone());
            let group = group.map_err(|e| location.failed(e))?;
            let metadata = group.metadata().map_err(|e| location.failed(e))?;
            let facts = group::Facts::gather(&group, &metadata, &store, &options);
            if global.json {
                return write_json(out, &facts.json(&arguments.uri, global.ticks));
            }
            for warning in facts.warnings() {
                out.warn(&warning);
            }
            facts.write(&arguments.uri, global.ticks, out)
        }
        ObjectType::Invalid => Err(location::nothing(&arguments.uri, "array or group")),
    }
}
