//! `tdb explain`: which tiles a read needs, and why the others are skipped.

use std::io::Write;

use clap::Args;
use serde_json::{Value as Json, json};
use tdb::engine::query::ReadOptions;
use tdb::engine::schema::ArraySchema;
use tdb::engine::schema::names::UnknownName;
use tdb::engine::schema::value::rfc3339;
use tdb::explain::{ExplainedFragment, Explanation};

use super::schema::section;
use super::selection::{OpenSelection, Selection};
use super::write_json;
use crate::failure::Failure;
use crate::global::Global;
use crate::names::{Names, joined, names};
use crate::output::Output;
use crate::paint::{Role, Table, bytes, count, plural, visible};

/// Number of fragments shown, those with the most tiles read first; `--json` has all.
const SHOWN: usize = 20;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb explain fixtures/v22_tour/array --where \"temperature < 0\"\n  \
    tdb explain fixtures/v22_dense_basics/array --json\n\n\
    A tile is skipped if it lies outside the ranges, if newer fragments of a dense array contain all of its cells (hidden), or if its \
    stored statistics prove that no cell matches the condition (ruled out). The bytes are an upper bound: if no cell matches, fields \
    that the condition does not test are not read."
)]
pub(crate) struct Arguments {
    /// An array
    array: String,
    #[command(flatten)]
    selection: Selection,
    /// Attributes that would be read [default: all]
    #[arg(long, value_name = "A,B", value_parser = names)]
    attrs: Vec<Names>,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let OpenSelection {
        session,
        array,
        mut options,
        ..
    } = arguments.selection.open(&arguments.array, global, out)?;
    if let Some(names) = joined(&arguments.attrs) {
        choose(&mut options, array.schema(), &names)?;
    }
    let explain = || Explanation::of(&session, &array, &options);
    let explained = global
        .counts
        .stage("explain", explain)
        .map_err(|error| Failure::from(error).at(&arguments.array))?;
    if global.json {
        return write_json(out, &explained_json(&explained, &arguments.array));
    }
    let title = out.look.paint(Role::Title, &visible(&arguments.array));
    let (read, tiles) = (explained.read(), plural(explained.tiles(), "tile"));
    let size = bytes(explained.bytes());
    writeln!(
        out,
        "{title}: reads {} of {tiles}, at most {size}",
        count(read)
    )?;
    let sum = |number: fn(&ExplainedFragment) -> u64| -> u64 {
        explained.fragments.iter().map(number).sum()
    };
    let by_points = options.points.is_some();
    let ruled_out = if by_points {
        "without a point, or ruled out by the condition"
    } else {
        "ruled out by the condition"
    };
    for (tiles, why) in [
        (sum(|f| f.outside), "outside of the ranges"),
        (sum(|f| f.hidden), "hidden by newer fragments"),
        (sum(|f| f.ruled_out), ruled_out),
    ] {
        if tiles > 0 {
            writeln!(out, "  {} {why}", count(tiles))?;
        }
    }
    section(fragments_table(&explained), out)?;
    let left_out = explained.fragments.len().saturating_sub(SHOWN);
    if left_out > 0 {
        let left_out = plural(left_out as u64, "more fragment");
        writeln!(out, "  {left_out}: --json has them")?;
    }
    section(fields_table(&explained), out)
}

/// Restricts a read to the named attributes.
fn choose(
    options: &mut ReadOptions,
    schema: &ArraySchema,
    names: &[String],
) -> Result<(), Failure> {
    let known = || schema.attributes.iter().map(|attribute| &*attribute.name);
    let is_unknown = |name: &&String| known().all(|known| known != name.as_str());
    if let Some(name) = names.iter().find(is_unknown) {
        let error = UnknownName::new("attribute", name, known());
        return Err(tdb::Error::from(error).into());
    }
    options.attributes = Some(names.to_vec());
    Ok(())
}

fn fragments_table(explained: &Explanation) -> Table {
    let mut table = Table::new(&[
        "written",
        ">outside",
        ">hidden",
        ">ruled out",
        ">read",
        ">bytes",
        "fragment",
    ]);
    let mut fragments: Vec<&ExplainedFragment> = explained.fragments.iter().collect();
    fragments.sort_by_key(|fragment| std::cmp::Reverse((fragment.read, fragment.times)));
    for fragment in fragments.into_iter().take(SHOWN) {
        let number = |tiles: u64| match tiles {
            0 => (Role::Dim, "0".to_owned()),
            tiles => (Role::Plain, count(tiles)),
        };
        table.painted([
            (Role::Plain, rfc3339(fragment.times.1)),
            number(fragment.outside),
            number(fragment.hidden),
            number(fragment.ruled_out),
            number(fragment.read),
            (Role::Plain, bytes(fragment.bytes)),
            (Role::Dim, fragment.name.clone()),
        ]);
    }
    table
}

fn fields_table(explained: &Explanation) -> Table {
    let mut table = Table::new(&["field", ">bytes", ""]);
    // Dense arrays do not store coordinates.
    for field in explained.fields.iter().filter(|field| field.bytes > 0) {
        let remark = if field.is_tested {
            "tested by the condition: read first"
        } else {
            ""
        };
        table.painted([
            (Role::Title, field.name.clone()),
            (Role::Plain, bytes(field.bytes)),
            (Role::Dim, remark.to_owned()),
        ]);
    }
    table
}

fn explained_json(explained: &Explanation, array: &str) -> Json {
    let fragments = explained.fragments.iter().map(|fragment| {
        json!({
            "name": fragment.name,
            "since": fragment.times.0,
            "until": fragment.times.1,
            "tiles_outside": fragment.outside,
            "tiles_hidden": fragment.hidden,
            "tiles_ruled_out": fragment.ruled_out,
            "tiles_read": fragment.read,
            "bytes": fragment.bytes,
        })
    });
    let fields = explained.fields.iter().map(
        |field| json!({ "name": field.name, "is_tested": field.is_tested, "bytes": field.bytes }),
    );
    json!({
        "array": array,
        "tiles": explained.tiles(),
        "tiles_read": explained.read(),
        "bytes": explained.bytes(),
        "fragments": fragments.collect::<Vec<Json>>(),
        "fields": fields.collect::<Vec<Json>>(),
    })
}
