//! `tdb verify`: whether all of an array, or of the arrays of a group, can be decoded.

use std::collections::BTreeSet;
use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::place::{self, Place};
use tdb_array::{ErrorKind, Location, ObjectType};
use tdb_consolidate::{Damage, Verified, verify};

use super::children::{Kind, Site, children};
use super::progress::Line;
use super::write_json;
use crate::access::{Opening, session};
use crate::failure::Failure;
use crate::global::Global;
use crate::interrupt;
use crate::output::Output;
use crate::paint::{plural, visible};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tdb verify fixtures/v22_tour/array\n  tdb verify fixtures/v22_group/group\n\n\
    Every tile of every field of every fragment is read and decoded, also of cells that were overwritten or deleted. Of a group, \
    all arrays in it are looked at, but no members that are elsewhere. The exit \
    status is 1 where something cannot be. Data that was changed to other data is found where there is a checksum, a key, or a \
    compression that notices."
)]
pub(crate) struct Arguments {
    /// An array or a group
    #[arg(value_name = "URI")]
    uri: String,
}

/// What was found in an array.
struct Looked {
    uri: String,
    verified: Verified,
    damages: Vec<Damage>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let line = Line::new(global);
    let session = line.of_session(&session(global));
    let opening = Opening::new(global, &session)?;
    let look = |location: &Place, place: &Location| {
        let mut damages: Vec<Damage> = Vec::new();
        let look = || verify(&session, place, &opening.options, &mut |d| damages.push(d));
        let verified = global.counts.stage("verify", look);
        line.clear();
        let verified = verified.map_err(|error| Failure::in_place(error, location))?;
        if interrupt::is_noticed() {
            return Err(Failure::new(ErrorKind::Store, "interrupted"));
        }
        Ok::<_, Failure>(Looked {
            uri: location.uri.clone(),
            verified,
            damages,
        })
    };
    let folder = place::folder(&arguments.uri, &global.counts)?;
    if folder.object_type()? == ObjectType::Group {
        return of_group(&folder, &opening, &look, global, out);
    }
    let array = place::array(&arguments.uri, &global.counts)?;
    let looked = look(&array, &opening.access.to(&array))?;
    if global.json {
        write_json(out, &looked.json())?;
    } else {
        looked.write("", out)?;
    }
    let all = of_all(&looked.verified);
    if looked.damages.is_empty() {
        out.note(&format!("{all}: all can be decoded"));
        return Ok(());
    }
    let errors = plural(looked.verified.damages, "error");
    let failure = Failure::finding(format!("{errors} in {all}")).within(&arguments.uri);
    let mut names: Vec<&str> = looked.damages.iter().map(|d| d.fragment.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.len() as u64 >= looked.verified.fragments {
        return Err(failure.hint("no fragment is sound"));
    }
    Err(failure.hint(format!(
        "tdb read {} --without-fragments {} reads what is sound",
        arguments.uri,
        names.join(",")
    )))
}

/// Looks at all arrays in a group, and in groups in it.
fn of_group(
    group: &Place,
    opening: &Opening,
    look: &dyn Fn(&Place, &Location) -> Result<Looked, Failure>,
    global: &Global,
    out: &mut Output,
) -> Result<(), Failure> {
    let (mut arrays, mut unread, mut all) = (0_u64, Vec::new(), Verified::default());
    let mut json = Vec::new();
    for array in arrays_below(group, opening)? {
        arrays = arrays.saturating_add(1);
        let looked = opening
            .access
            .among_others(&array, |place| look(&array, place));
        let looked = match looked {
            Ok(looked) => looked,
            // One that cannot even be opened is told, and the others are looked at.
            Err(failure) if !interrupt::is_noticed() => {
                let (uri, text) = (&array.uri, failure.text());
                if global.json {
                    json.push(json!({ "array": uri, "errors": [{ "error": text }] }));
                } else {
                    writeln!(out, "{}", visible(&format!("{uri}: {text}")))?;
                }
                unread.push(array.uri);
                continue;
            }
            Err(interrupted) => return Err(interrupted),
        };
        all.fragments = all.fragments.saturating_add(looked.verified.fragments);
        all.tiles = all.tiles.saturating_add(looked.verified.tiles);
        all.damages = all.damages.saturating_add(looked.verified.damages);
        if global.json {
            let mut of_array = looked.json();
            if let Some(members) = of_array.as_object_mut() {
                members.shift_insert(0, "array".to_owned(), looked.uri.into());
            }
            json.push(of_array);
        } else {
            looked.write(&format!("{}: ", looked.uri), out)?;
        }
    }
    if global.json {
        write_json(out, &Json::Array(json))?;
    }
    let text = format!("{} in {}", of_all(&all), plural(arrays, "array"));
    let damages = all.damages.saturating_add(unread.len() as u64);
    if damages == 0 {
        out.note(&format!("{text}: all can be decoded"));
        return Ok(());
    }
    let errors = plural(damages, "error");
    Err(Failure::finding(format!("{errors} in {text}")).within(&group.uri))
}

/// The arrays in a group, and in groups and folders in it, each once.
fn arrays_below(group: &Place, opening: &Opening) -> Result<Vec<Place>, Failure> {
    let (mut arrays, mut seen) = (Vec::new(), BTreeSet::new());
    let mut waiting = vec![group.clone()];
    while let Some(folder) = waiting.pop() {
        if !seen.insert(folder.uri.clone()) {
            continue;
        }
        // The last that is put there is the next one.
        for child in children(&folder, opening)?.into_iter().rev() {
            let Site::Inside(place) = child.site else {
                continue;
            };
            match child.kind {
                Kind::Object(ObjectType::Array) if seen.insert(place.uri.clone()) => {
                    arrays.push(place);
                }
                kind if kind.has_children() => waiting.push(place),
                _ => {}
            }
        }
    }
    arrays.sort_by(|a, b| a.uri.cmp(&b.uri));
    Ok(arrays)
}

impl Looked {
    fn json(&self) -> Json {
        let list = self.damages.iter().map(|damage| {
            json!({
                "fragment": damage.fragment,
                "field": damage.field,
                "tile": damage.tile,
                "error": text_of(damage),
            })
        });
        json!({
            "fragments": self.verified.fragments,
            "tiles": self.verified.tiles,
            "errors": list.collect::<Vec<_>>(),
        })
    }

    /// A line for each damage.
    fn write(&self, before: &str, out: &mut Output) -> Result<(), Failure> {
        for damage in &self.damages {
            let (place, text) = (damage.to_string(), text_of(damage));
            // Errors of tiles say where they are.
            let line = if text.starts_with(&place) {
                text
            } else {
                format!("{place}: {text}")
            };
            writeln!(out, "{}", visible(&format!("{before}{line}")))?;
        }
        Ok(())
    }
}

fn of_all(verified: &Verified) -> String {
    let (tiles, fragments) = (
        plural(verified.tiles, "tile"),
        plural(verified.fragments, "fragment"),
    );
    format!("{tiles} in {fragments}")
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
