//! `tdb schema`: prints the schema of an array.

use std::io::Write;

use clap::Args;
use tdb::engine::array::StoredSchema;
use tdb::engine::filters::{
    Description, FilterList, FilterRecord, OptionValue, Registry, describe,
};
use tdb::engine::schema::json::schema_to_json;
use tdb::engine::schema::{ArraySchema, Attribute, CellValNum, Dimension, Enumeration};
use tdb::engine::tile::{Code, Datatype, FormatVersion};
use tdb::place;

use super::write_json;
use crate::context::context;
use crate::failure::Failure;
use crate::global::Global;
use crate::open::{Opener, warn_of_none_yet};
use crate::output::Output;
use crate::paint::{Role, Table, count, or_blank, wrapped};
use crate::value_format;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tdb schema fixtures/v22_tour/array\n  tdb schema --json fixtures/v22_tour/array"
)]
pub(crate) struct Arguments {
    /// An array
    uri: String,
}

pub(crate) fn run(arguments: &Arguments, global: &Global, out: &mut Output) -> Result<(), Failure> {
    let stored = open_schema(&arguments.uri, global, out)?;
    let enumerations = enumerations(&stored).map_err(|failure| failure.at(&arguments.uri))?;
    let schema = stored.schema();
    if global.json {
        let json = schema_to_json(schema, &enumerations, value_format::times(global.ticks));
        return write_json(out, &json);
    }
    let duplicates = if schema.allows_duplicates {
        ", duplicates allowed"
    } else {
        ""
    };
    let capacity = if schema.is_dense() {
        String::new()
    } else {
        format!(", {} cells to a tile", count(schema.capacity))
    };
    let first = format!(
        "{} array, format {}, cells {}, tiles {}{capacity}{duplicates}",
        schema.array_type.name(),
        schema.version,
        schema.cell_order.name(),
        schema.tile_order.name(),
    );
    writeln!(out, "{}", wrapped(&first, "", out.look))?;
    write_dimensions(schema, global.ticks, out)?;
    write_attributes(schema, global.ticks, out)?;
    write_labels(schema, out)?;
    write_enumerations(&enumerations, global.ticks, out)?;
    write_shared_filters(schema, out)
}

/// Opens the schema as of `--at` and `--since`, and prints warnings about the array.
fn open_schema(uri: &str, global: &Global, out: &Output) -> Result<StoredSchema, Failure> {
    let place = place::folder(uri, &global.counts)?;
    let opener = Opener::of_arguments(context(global)?, global);
    let (location, options) = (opener.location(&place), opener.options());
    let open = || StoredSchema::open(&location, options.clone());
    let stored = global
        .counts
        .stage("open", open)
        .map_err(|error| place.unopened(error))?;
    if let Some(made) = stored.came_later() {
        warn_of_none_yet(options.window.at, made, out);
    }
    for warning in stored.warnings() {
        out.warn(&warning.to_string());
    }
    Ok(stored)
}

/// Reads the enumerations of a schema.
fn enumerations(stored: &StoredSchema) -> Result<Vec<Enumeration>, Failure> {
    let entries = stored.schema().enumerations.iter();
    let read = entries.map(|entry| {
        stored
            .enumeration(&entry.name)
            .map(|found| (*found).clone())
    });
    Ok(read.collect::<Result<_, _>>()?)
}

fn write_dimensions(schema: &ArraySchema, ticks: bool, out: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&[
        "dimension",
        "type",
        "domain",
        "current domain",
        ">tile",
        "filters",
    ]);
    for (index, dimension) in schema.dimensions.iter().enumerate() {
        let current = (schema.current_domain.as_ref()).and_then(|ranges| ranges.get(index));
        let filters = schema.dimension_filters(index);
        table.painted([
            (Role::Title, dimension.name.clone()),
            (
                Role::Type,
                type_name(dimension.datatype, dimension.cell_val_num),
            ),
            (Role::Plain, domain(dimension, ticks)),
            (
                Role::Plain,
                or_blank(current.map(|range| value_format::range(dimension, range, ticks))),
            ),
            (Role::Plain, extent(dimension)),
            (
                Role::Plain,
                or_blank(filters.map(|list| filters_text(list, schema.version))),
            ),
        ]);
    }
    section(table, out)
}

fn write_attributes(schema: &ArraySchema, ticks: bool, out: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&[
        "attribute",
        "type",
        "nullable",
        "fill",
        "enumeration",
        "order",
        "filters",
    ]);
    for attribute in &schema.attributes {
        let enumeration = attribute.enumeration.clone();
        table.painted([
            (Role::Title, attribute.name.clone()),
            (
                Role::Type,
                type_name(attribute.datatype, attribute.cell_val_num),
            ),
            (
                Role::Plain,
                if attribute.nullable { "yes" } else { "" }.to_owned(),
            ),
            (Role::Plain, fill(attribute, ticks)),
            (Role::Plain, or_blank(enumeration)),
            (Role::Plain, order(attribute)),
            (
                Role::Plain,
                filters_text(&attribute.filters, schema.version),
            ),
        ]);
    }
    section(table, out)
}

fn write_labels(schema: &ArraySchema, out: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&["label", "type", "of", "order"]);
    for label in &schema.labels {
        let dimension = usize::try_from(label.dimension)
            .ok()
            .and_then(|i| schema.dimensions.get(i));
        table.painted([
            (Role::Title, label.name.clone()),
            (Role::Type, type_name(label.datatype, label.cell_val_num)),
            (Role::Plain, or_blank(dimension.map(|d| d.name.clone()))),
            (Role::Plain, label.order.name().to_owned()),
        ]);
    }
    section(table, out)
}

/// Number of enumeration values shown in a table; `--json` has all.
const SHOWN_VALUES: usize = 20;

fn write_enumerations(
    enumerations: &[Enumeration],
    ticks: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut table = Table::new(&["enumeration", "type", "ordered", ">values", ""]);
    for enumeration in enumerations {
        let (datatype, values) = (enumeration.datatype(), enumeration.cell_val_num());
        let mut shown: Vec<String> = (enumeration.iter().take(SHOWN_VALUES))
            .map(|value| value_format::stored(datatype, values, value, ticks))
            .collect();
        if enumeration.len() > shown.len() {
            let left_out = enumeration.len().saturating_sub(shown.len());
            shown.push(format!("and {} more", count(left_out as u64)));
        }
        table.painted([
            (Role::Title, enumeration.name().to_owned()),
            (Role::Type, type_name(datatype, values)),
            (
                Role::Plain,
                if enumeration.is_ordered() {
                    "yes"
                } else {
                    "no"
                }
                .to_owned(),
            ),
            (Role::Plain, count(enumeration.len() as u64)),
            (Role::Dim, shown.join(", ")),
        ]);
    }
    section(table, out)
}

fn write_shared_filters(schema: &ArraySchema, out: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(&["filters of", ""]);
    for (what, list) in [
        ("coordinates", &schema.coords_filters),
        ("offsets", &schema.offsets_filters),
        ("validity", &schema.validity_filters),
    ] {
        table.row([what.to_owned(), filters_text(list, schema.version)]);
    }
    section(table, out)
}

/// Writes a table after an empty line, unless it has no rows.
pub(crate) fn section(table: Table, out: &mut Output) -> Result<(), Failure> {
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let look = out.look;
    Ok(table.write(out, look)?)
}

/// Formats a type: `int32`, `float64 x 3`, `string_utf8 var`.
pub(crate) fn type_name(datatype: Datatype, values: CellValNum) -> String {
    match values {
        CellValNum::Fixed(1) => datatype.name().to_owned(),
        CellValNum::Fixed(n) => format!("{datatype} x {n}"),
        CellValNum::Var => format!("{datatype} var"),
    }
}

/// Formats the domain of a dimension; strings have none.
pub(crate) fn domain(dimension: &Dimension, ticks: bool) -> String {
    let domain = dimension.domain.as_ref();
    domain.map_or_else(
        || "any".to_owned(),
        |range| value_format::range(dimension, range, ticks),
    )
}

/// Formats the tile extent; for dates it is a number of their unit.
pub(crate) fn extent(dimension: &Dimension) -> String {
    let extent = dimension.extent.as_ref();
    let text = |bytes: &bytes::Bytes| {
        value_format::stored(dimension.datatype, CellValNum::Fixed(1), bytes, true)
    };
    or_blank(extent.map(text))
}

fn fill(attribute: &Attribute, ticks: bool) -> String {
    if attribute.nullable && !attribute.fill_valid {
        return "null".to_owned();
    }
    value_format::stored(
        attribute.datatype,
        attribute.cell_val_num,
        &attribute.fill,
        ticks,
    )
}

fn order(attribute: &Attribute) -> String {
    match attribute.order {
        tdb::engine::schema::DataOrder::Unordered => String::new(),
        order => order.name().to_owned(),
    }
}

/// Formats filters without options at their default: `byteshuffle, zstd(level=5)`; `-` if there are none.
pub(crate) fn filters_text(list: &FilterList, version: FormatVersion) -> String {
    let filters: Vec<String> = list
        .filters
        .iter()
        .map(|filter| filter_text(filter, version))
        .collect();
    if filters.is_empty() {
        "-".to_owned()
    } else {
        filters.join(", ")
    }
}

fn filter_text(filter: &FilterRecord, version: FormatVersion) -> String {
    let Ok(mut described) = describe(filter, version, Registry::builtin()) else {
        return format!("filter {}", filter.code);
    };
    let usual = (Registry::builtin().entry(filter.code))
        .and_then(|entry| (entry.build)(&Description::new(entry.name)).ok())
        .map_or_else(Vec::new, |filter| filter.describe());
    let is_usual = |(name, value): &(String, OptionValue)| {
        usual
            .iter()
            .any(|(known, default)| known == name && default == value)
    };
    described.options.retain(|option| !is_usual(option));
    described.to_string()
}
