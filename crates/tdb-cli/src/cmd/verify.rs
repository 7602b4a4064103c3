//! `tdb verify`: whether all of an array can be decoded.

use std::io::Write;

use clap::Args;
use serde_json::json;
use tdb::place;
use tdb_consolidate::{Damage, verify};

use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::Output;
use crate::paint::{plural, visible};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tdb verify fixtures/v22_tour/array\n\n\
    Every tile of every field of every fragment is read and decoded, also of cells that were overwritten or deleted. The exit \
    status is 1 where something cannot be. Data that was changed to other data is found where there is a checksum, a key, or a \
    compression that notices.")]
pub(crate) struct Arguments {
    /// An array
    array: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let session = session(global);
    let location = place::array(&arguments.array, &global.counts)?;
    let opening = Opening::new(global, &session)?;
    let mut damages: Vec<Damage> = Vec::new();
    let place = opening.access.to(&location);
    let look = || verify(&session, &place, &opening.options, &mut |d| damages.push(d));
    let verified = global.counts.stage("verify", look);
    let verified = verified.map_err(|error| Failure::in_place(error, &location))?;
    if global.json {
        let list = damages.iter().map(|damage| {
            json!({
                "fragment": damage.fragment,
                "field": damage.field,
                "tile": damage.tile,
                "error": text_of(damage),
            })
        });
        let facts = json!({
            "fragments": verified.fragments,
            "tiles": verified.tiles,
            "errors": list.collect::<Vec<_>>(),
        });
        write_json(out, &facts)?;
    } else {
        for damage in &damages {
            let (place, text) = (damage.to_string(), text_of(damage));
            // Errors of tiles say where they are.
            let line = if text.starts_with(&place) {
                text
            } else {
                format!("{place}: {text}")
            };
            writeln!(out, "{}", visible(&line))?;
        }
    }
    let (tiles, fragments) = (
        plural(verified.tiles, "tile"),
        plural(verified.fragments, "fragment"),
    );
    let all = format!("{tiles} in {fragments}");
    if damages.is_empty() {
        out.note(&format!("{all}: all can be decoded"));
        return Ok(());
    }
    let errors = plural(verified.damages, "error");
    let failure = Failure::finding(format!("{errors} in {all}")).within(&arguments.array);
    let mut names: Vec<&str> = damages.iter().map(|d| d.fragment.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    Err(failure.hint(format!(
        "tdb read --without-fragments {} reads what is sound",
        names.join(",")
    )))
}

fn text_of(damage: &Damage) -> String {
    let mut text = damage.error.to_string();
    let mut beneath = std::error::Error::source(&damage.error);
    while let Some(error) = beneath {
        let cause = error.to_string();
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        beneath = error.source();
    }
    text
}
